#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <utility>

#include "tut/check.hpp"
#include "tut/guarded_buffer.hpp"
#include "tut/host_matmul_test.hpp"
#include "tut/source_location.hpp"
#include "tut/stream.hpp"

namespace tut {

template <class T, class U>
using DeviceMatmul =
    std::function<void(MatrixView<const T>, MatrixView<const T>, MatrixView<U>, cudaStream_t)>;

/// Runs `call(stream)`, which launches kernels, to their end. Throws CudaError, also for a launch
/// that was refused without a word and for what went wrong in a kernel.
template <class Call>
void run_to_end(Call&& call) {
  const Stream stream;
  check_launch();
  std::forward<Call>(call)(stream.get());
  check_launch();
  stream.synchronize();
  check(cudaDeviceSynchronize());
}

/// Runs a matmul on device memory, C = A B, over the whole battery (run_matmul_battery).
template <class T, class U>
Outcome matmul_outcome(const DeviceMatmul<T, U>& function, const MatmulTestOptions& options = {}) {
  return run_matmul_battery<T, U>(
      [&](Guarded<T>& a, Guarded<T>& b, Guarded<U>& c) {
        try {
          const GuardedBuffer<T> device_a(a), device_b(b);
          const GuardedBuffer<U> device_c(c);
          run_to_end([&](cudaStream_t stream) {
            function(device_a.cview(), device_b.cview(), device_c.view(), stream);
          });
          device_a.download(a);
          device_b.download(b);
          device_c.download(c);
        } catch (const CudaError& error) {
          throw LaunchFailure(error.what());
        }
      },
      options);
}

/// The same, reported through doctest: `test_matmul(ch05::matmul_tiled, {.shapes =
/// matmul_shapes(32)});`.
template <class T, class U>
void test_matmul(void (*function)(MatrixView<const T>, MatrixView<const T>, MatrixView<U>,
                                  cudaStream_t),
                 const MatmulTestOptions& options = {},
                 const SourceLocation& where = SourceLocation::current()) {
  expect(matmul_outcome<T, U>(DeviceMatmul<T, U>(function), options), where);
}

}  // namespace tut
