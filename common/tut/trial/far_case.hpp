#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "simt/runtime/interface.hpp"
#include "tut/matrix/sparse_matrix.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/device_trial.hpp"

namespace tut {

/// Beyond what an int can count from the third row or matrix on, and beyond 32 bits from the fifth.
constexpr std::int64_t kFarIntStride = (std::int64_t{1} << 30) + 64;

/// 2^32 more, so that no 32-bit integer holds the stride itself. On a GPU, where the memory has to
/// exist, the stride before.
inline const std::int64_t kFarStride =
    (simt_allocate_sparse != nullptr ? std::int64_t{1} << 32 : 0) + kFarIntStride;

/// More elements than 2^29: a step of 8 rows is beyond 32 bits, and each longer one. A matrix of
/// kFarRows has more than two tiles of 64 rows.
constexpr std::int64_t kFarTileStride = (std::int64_t{1} << 29) + 64;
constexpr int kFarRows = 140;

/// As many rows, in whole tiles of 64, of less than 2^24 elements: 32 bits hold the offsets within
/// a tile, and not those within the matrix.
constexpr std::int64_t kFarWholeStride = (std::int64_t{1} << 24) - 64;
constexpr int kFarWholeRows = 320;

/// Of rows that lie so many elements apart the 32nd begins beyond 32 bits: more than the blocks of
/// 32 rows that most kernels for rows have.
constexpr std::int64_t kFarRowStride = (std::int64_t{1} << 27) + 8;

/// "2^29 elements apart", for one of these strides.
inline std::string far_text(std::int64_t stride) {
  const auto power = [&](int bits) { return std::abs(stride - (std::int64_t{1} << bits)) <= 64; };
  for (const int bits : {24, 25, 27, 29, 30}) {
    if (power(bits)) return "2^" + std::to_string(bits) + " elements apart";
  }
  return "5 * 2^30 elements apart";
}

/// Runs `call` to its end on matrices that are far apart (SparseMatrix); `text` describes the case.
inline Outcome run_far(const std::string& text, const StreamCall& call) {
  return outcome_of_call(
      text, [&] { run_to_end(call); }, ": are offsets computed in 64 bits?");
}

}  // namespace tut
