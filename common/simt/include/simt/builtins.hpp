/// @file
/// CUDA's built-in variables. Inside a kernel's own body the rewriter passes them by value; what is
/// called from there reads these copies, which belong to the simulated thread now running on this
/// OS thread.
#ifndef SIMT_BUILTINS_HPP
#define SIMT_BUILTINS_HPP

#include "vector_types.h"

extern __thread uint3 threadIdx;
extern __thread uint3 blockIdx;
extern __thread dim3 blockDim;
extern __thread dim3 gridDim;

inline constexpr int warpSize = 32;

namespace simt {

namespace detail {
struct Block;
/// The block this OS thread is working on; null in host code.
extern __thread Block* current_block;
}  // namespace detail

/// True while this OS thread runs a kernel.
inline bool on_device() { return detail::current_block != nullptr; }

}  // namespace simt

#endif
