/// @file
/// The rules of cudaMemcpy and cudaMemset: which pointers a call may take.
#ifndef SIMT_RUNTIME_COPY_HPP
#define SIMT_RUNTIME_COPY_HPP

#include <cstddef>

#include "driver_types.h"

namespace simt::detail {

/// Checks a copy of `to_size` bytes at `to` from `from_size` bytes at `from`.
/// Error 21 for a value that is no kind; 1 if a pointer is null, freed, too short for the copy, or
/// not where the kind says.
cudaError_t check_copy(const void* to, std::size_t to_size, const void* from, std::size_t from_size,
                       cudaMemcpyKind kind);

/// Checks that a kernel could write `size` bytes at `to`.
cudaError_t check_fill(const void* to, std::size_t size);

}  // namespace simt::detail

#endif
