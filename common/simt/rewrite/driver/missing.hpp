/// \file
/// A C++ compiler's messages about what CUDA has and the CPU backend does not.
#pragma once

#include <string>
#include <string_view>

namespace simt::rewrite {

/// What is said in place of a compiler's messages, if these are about a header or about names of
/// CUDA's that the CPU backend has none of; else empty. No list can tell which names a program has
/// of its own, in which scopes: the compiler can. So a name of CUDA's that it finds no declaration
/// of, and that no header in `include_folder` mentions, is missing.
std::string missing_text(std::string_view messages, const std::string& include_folder);

}  // namespace simt::rewrite
