#pragma once

#include <cstdint>
#include <string>

#include "tut/call_outcome.hpp"
#include "tut/device_trial.hpp"
#include "tut/sparse_matrix.hpp"

namespace tut {

/// More elements than 2^30: the third row or matrix begins beyond what an int can count, the fifth
/// beyond 32 bits.
constexpr std::int64_t kFarStride = (std::int64_t{1} << 30) + 64;

/// More elements than 2^29: a step of 8 rows is beyond 32 bits, and each longer one. A matrix of
/// kFarRows has more than two tiles of 64 rows.
constexpr std::int64_t kFarTileStride = (std::int64_t{1} << 29) + 64;
constexpr int kFarRows = 140;

/// As many rows, in whole tiles of 64, of less than 2^24 elements: 32 bits hold the offsets within
/// a tile, and not those within the matrix.
constexpr std::int64_t kFarWholeStride = (std::int64_t{1} << 24) - 64;
constexpr int kFarWholeRows = 320;

/// "2^30 elements apart", for the stride that is next to that power.
inline std::string far_text(std::int64_t stride) {
  const char* power = stride == kFarWholeStride  ? "2^24"
                      : stride == kFarTileStride ? "2^29"
                                                 : "2^30";
  return std::string(power) + " elements apart";
}

/// Runs `call` to its end on matrices that are far apart (SparseMatrix); `text` describes the case.
inline Outcome run_far(const std::string& text, const StreamCall& call) {
  return outcome_of_call(
      text, [&] { run_to_end(call); }, ": are offsets computed in 64 bits?");
}

}  // namespace tut
