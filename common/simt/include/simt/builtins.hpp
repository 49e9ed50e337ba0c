/// @file
/// CUDA's built-in variables. Inside a kernel's own body the rewriter passes them by value; what is
/// called from there reads these copies, which belong to the simulated thread now running on this
/// OS thread.
#ifndef SIMT_BUILTINS_HPP
#define SIMT_BUILTINS_HPP

#include "vector_types.h"

// How code finds them. Left to itself g++ chooses "initial-exec" in code for programs, and may then
// load an offset by an instruction that linkers refuse ("TLS transition from R_X86_64_GOTTPOFF ...
// failed"). What is linked with the runtime's archive for certain may take the shortest way.
#if defined(__PIC__) && !defined(__PIE__)
#define SIMT_THREAD_LOCAL __thread
#elif defined(__SIMT_STATIC__)
#define SIMT_THREAD_LOCAL __thread __attribute__((tls_model("local-exec")))
#else
#define SIMT_THREAD_LOCAL __thread __attribute__((tls_model("global-dynamic")))
#endif

extern SIMT_THREAD_LOCAL uint3 threadIdx;
extern SIMT_THREAD_LOCAL uint3 blockIdx;
extern SIMT_THREAD_LOCAL dim3 blockDim;
extern SIMT_THREAD_LOCAL dim3 gridDim;

inline constexpr int warpSize = 32;

namespace simt {

namespace detail {
struct Block;
/// The block this OS thread is working on; null in host code.
extern SIMT_THREAD_LOCAL Block* current_block;
}  // namespace detail

#undef SIMT_THREAD_LOCAL

/// True while this OS thread runs a kernel.
inline bool on_device() { return detail::current_block != nullptr; }

}  // namespace simt

#endif
