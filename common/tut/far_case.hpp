#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "tut/check.hpp"
#include "tut/device_trial.hpp"
#include "tut/outcome.hpp"
#include "tut/sparse_matrix.hpp"

namespace tut {

/// More elements than 2^30: the third row or matrix begins beyond what an int can count, the fifth
/// beyond 32 bits.
constexpr std::int64_t kFarStride = (std::int64_t{1} << 30) + 64;

/// Runs `call` to its end on matrices that are far apart (SparseMatrix); `text` describes the case.
inline Outcome run_far(const std::string& text, const StreamCall& call) {
  try {
    run_to_end(call);
  } catch (const CudaError& error) {
    return failure("launch", "the kernel did not run to its end: " + std::string(error.what()) +
                                 " (" + text + "): are offsets computed in 64 bits?");
  } catch (const std::exception& error) {
    return failure("values",
                   "the function threw \"" + std::string(error.what()) + "\" (" + text + ")");
  }
  return {};
}

}  // namespace tut
