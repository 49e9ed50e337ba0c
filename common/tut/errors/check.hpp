#pragma once

#include <cuda_runtime.h>

#include <stdexcept>

#include "tut/errors/message.hpp"
#include "tut/errors/source_location.hpp"

namespace tut {

/// A failed CUDA call: what() is "NAME: text (FILE:LINE)", with CUDA's own name and text.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const SourceLocation& where)
      : std::runtime_error(
            text_of({cudaGetErrorName(code), ": ", cudaGetErrorString(code)}, where)),
        code_(code),
        where_(where) {}

  cudaError_t code() const noexcept { return code_; }
  /// The call that failed.
  const SourceLocation& where() const noexcept { return where_; }

 private:
  cudaError_t code_;
  SourceLocation where_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_cuda_error(cudaError_t code,
                                                                    const SourceLocation& where) {
  throw CudaError(code, where);
}

/// Throws CudaError unless `code` is cudaSuccess.
inline void check(cudaError_t code, const SourceLocation& where = SourceLocation::current()) {
  if (code != cudaSuccess) throw_cuda_error(code, where);
}

/// Throws CudaError if the last kernel launch was refused (a block too large, a null kernel, ...).
/// Errors while the kernel runs only show at the next synchronisation.
inline void check_launch(const SourceLocation& where = SourceLocation::current()) {
  check(cudaGetLastError(), where);
}

}  // namespace tut
