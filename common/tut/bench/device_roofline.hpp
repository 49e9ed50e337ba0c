/// \file
/// What the current device reaches at most, measured: the bounds that the rows of a benchmark are
/// compared with.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace tut {

/// Bytes/s of a copy from device memory to device memory, read and written bytes together: the best
/// of several copies of `bytes`, by default of 512 MiB, or a quarter of what is free.
double measure_copy_rate(std::size_t bytes = 0);

/// FLOP/s of independent multiply-adds in registers, in all threads that the device holds: "fp32"
/// on CUDA cores; "fp16", "bf16" and "tf32" on tensor cores, by nvcuda::wmma with sums in FP32: on
/// Hopper about 63 % of what wgmma reaches, which the benchmark of chapter 11 measures for itself.
/// The best of several runs, after enough runs to bring a GPU from its idle clocks to its sustained
/// ones. `steps`: rounds of multiply-adds of each thread.
///
/// Errors: std::invalid_argument for another name; std::runtime_error where the device's tensor
/// cores do not multiply such numbers; CudaError.
double measure_flop_rate(const std::string& arithmetic, int steps = 1 << 14);

/// The multiply-adds alone, for a test. FP32: sums[t] = what thread t's chains come to, in all.
inline constexpr int ROOFLINE_CHAINS = 8, ROOFLINE_THREADS = 256;
void run_multiply_adds(float* sums, int blocks, int steps, cudaStream_t stream);

/// The same on tensor cores: each warp multiplies fragments of ones and adds to ROOFLINE_FRAGMENTS
/// accumulators, which start with 0, 1, 2, 3; sums[w] = the sum of what lane 0 of warp w holds of
/// them. T is __half, __nv_bfloat16 or Tf32.
inline constexpr int ROOFLINE_FRAGMENTS = 4;
template <class T>
void run_tensor_multiply_adds(float* sums, int blocks, int steps, cudaStream_t stream);

/// The depth of one product of fragments of T: 16, or 8 for Tf32.
template <class T>
int tensor_depth();

}  // namespace tut
