#pragma once

#include <string>

#include "learn/bench/results.hpp"

namespace tut::learn {

/// How near a row comes to the device's roofs, as shares.
struct Shares {
  double bytes = 0;  ///< of the rate of what they come from; 0 where it is not known
  double flops = 0;  ///< of its arithmetic's
};

Shares shares_of(const ResultRow& row, const Results& results);

/// How the roof of an arithmetic of tensor cores was measured: " by WMMA", on Hopper about 63 % of
/// the most that the device can do, or " by wgmma"; else nothing.
std::string roof_words(const std::string& arithmetic);

/// What delivers bytes, by the name of its roof, in words: "memory", of "first_cache" "first
/// cache".
std::string source_words(const std::string& roof);

/// What limits the row: "bytes: 81 % of 4.1 TB/s", "bytes: 82 % of 209 GB/s of the first cache",
/// "FLOPs: 62 % of 52 TFLOP/s", "FLOPs: 90 % of 400 TFLOP/s by WMMA", or "neither: under half of
/// both". Empty where no roof was measured.
std::string limit_text(const ResultRow& row, const Results& results);

/// Whether the ladder's rows are better told by their FLOP/s than by their bytes/s: by what bounds
/// the first of them, by the roofs or, without, by its FLOPs for each byte.
bool counts_flops(const ResultLadder& ladder, const Results& results);

}  // namespace tut::learn
