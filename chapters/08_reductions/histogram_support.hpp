#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "08_reductions/histogram.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {

inline void require_histogram(std::span<const std::uint8_t> in, std::span<unsigned> bins,
                              const SourceLocation& where = SourceLocation::current()) {
  require_same_size(bins.size(), "bins", BINS, "the range of a byte", where);
  require(bins.data() != nullptr, "bins has no data (a null pointer)", where);
  require(in.empty() || in.data() != nullptr, "the input has no data (a null pointer)", where);
  require(in.size() < (std::uint64_t{1} << 32),
          {"the input has ", in.size(), " bytes; expected fewer than 2^32"}, where);
}

}  // namespace tut::ch08
