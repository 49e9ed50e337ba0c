#pragma once

#include "cuda_runtime.h"

/// Runs `body(threadIdx, blockIdx, blockDim, gridDim)` as a kernel on fibers, as a rewritten
/// `__global__` function would. Returns the error of the launch itself.
template <class Body>
cudaError_t run_kernel(const simt::LaunchConfig& config, const Body& body, int max_threads = 0) {
  static simt::KernelInfo kernel{"test_kernel", "run_kernel.hpp", 1, 0};
  kernel.max_threads = max_threads;
  simt::detail::configure(config);
  simt::Launch launch(kernel);
  if (launch.ready()) launch.run_fibers(body);
  return cudaGetLastError();
}

template <class Body>
cudaError_t run_kernel(dim3 grid, dim3 block, const Body& body) {
  return run_kernel({grid, block, 0, nullptr, false}, body);
}

/// The same as plain loops.
template <class Body>
cudaError_t run_loop_kernel(dim3 grid, dim3 block, const Body& body) {
  static simt::KernelInfo kernel{"test_loop_kernel", "run_kernel.hpp", 1, 0};
  simt::configure(grid, block);
  simt::Launch launch(kernel);
  if (launch.ready()) launch.run_loop(body);
  return cudaGetLastError();
}

/// Ends whatever errors a test has caused.
inline void reset_device() {
  cudaDeviceReset();
  cudaGetLastError();
}
