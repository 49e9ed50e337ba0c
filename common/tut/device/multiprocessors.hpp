#pragma once

#include <cuda_runtime.h>

#include "tut/errors/check.hpp"

namespace tut {

/// The number of multiprocessors of the current device. A grid whose blocks divide the work among
/// themselves has a few for each; more would only queue.
///
/// Errors: `tut::CudaError` if there is no device.
inline int multiprocessor_count() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace tut
