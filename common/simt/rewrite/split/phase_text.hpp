/// \file
/// Text that phases are made of.
#pragma once

#include <string>

#include "frontend/edits.hpp"

namespace simt::rewrite::split {

/// The rows of a block, and the number of a row's first thread.
inline constexpr const char* kRows =
    " for (::std::ptrdiff_t simt_z = 0; simt_z < simt_nz; ++simt_z)"
    " for (::std::ptrdiff_t simt_y = 0; simt_y < simt_ny; ++simt_y)";
inline constexpr const char* kRow = "(simt_z * simt_ny + simt_y) * simt_nx";

/// This thread's element of what has one for each.
inline constexpr const char* kOwn = "[(simt_z * simt_ny + simt_y) * simt_nx + simt_x]";

/// The end of an assertion on what a split relies on; compile.cpp knows the words.
inline constexpr const char* kConfirmed = ", \"not confirmed for a split\");";

inline void add(Pieces& out, std::string text) { out.push_back(new_text(std::move(text))); }

inline void add(Pieces& out, Index first, Index last) {
  if (first < last) out.push_back(source(first, last));
}

}  // namespace simt::rewrite::split
