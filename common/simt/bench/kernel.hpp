#pragma once

#include "cuda_runtime.h"

/// Launches `body(threadIdx, blockIdx, blockDim, gridDim)` on fibers, as a rewritten `__global__`
/// function would.
template <class Body>
void launch_fibers(dim3 grid, dim3 block, const Body& body) {
  static simt::KernelInfo kernel{"bench", "bench", 0, 0};
  simt::configure(grid, block);
  simt::Launch launch(kernel);
  if (launch.ready()) launch.run_fibers(body);
}

/// The same as plain loops.
template <class Body>
void launch_loop(dim3 grid, dim3 block, const Body& body) {
  static simt::KernelInfo kernel{"bench", "bench", 0, 0};
  simt::configure(grid, block);
  simt::Launch launch(kernel);
  if (launch.ready()) launch.run_loop<false>(body);
}
