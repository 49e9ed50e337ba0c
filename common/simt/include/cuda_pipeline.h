/// @file
/// The pipeline primitives: asynchronous copies to shared memory. libcu++'s cuda::pipeline is in
/// <cuda/pipeline>.
/// Source: CUDA Programming Guide, "Pipeline Primitives Interface".
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#if !defined(__CUDACC__) && !defined(__CUDA__)
#error "cuda_pipeline.h is for .cu files: CUDA's own does not compile as C++ either"
#endif

#include <cstddef>

#include "simt/async_copy.hpp"

/// Starts to copy 4, 8 or 16 bytes to shared memory; the last `zero_fill` of them become 0.
[[gnu::always_inline]] inline void __pipeline_memcpy_async(void* to, const void* from,
                                                           std::size_t size,
                                                           std::size_t zero_fill = 0) {
  simt::async_copy(to, from, static_cast<unsigned>(size), static_cast<unsigned>(zero_fill));
}

/// Closes a batch of copies.
[[gnu::always_inline]] inline void __pipeline_commit() { simt::async_commit(); }

/// Waits for all batches but the `pending` latest ones.
[[gnu::always_inline]] inline void __pipeline_wait_prior(std::size_t pending) {
  simt::async_wait(static_cast<unsigned>(pending));
}

#endif
