// Waits for the warm-up, and asks for the second event until it has happened.
#include "03_first_kernels/average_ms.hpp"

#include <thread>

#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats});
  const auto issue = [&](int calls) {
    for (int i = 0; i < calls; ++i) work(stream);
  };
  issue(1);
  check(cudaStreamSynchronize(stream));
  Event start, stop;
  start.record(stream);
  issue(repeats);
  stop.record(stream);
  while (cudaEventQuery(stop) == cudaErrorNotReady) std::this_thread::yield();
  cudaGetLastError();  // "not ready" is no error of the caller's
  float milliseconds = 0.0f;
  check(cudaEventElapsedTime(&milliseconds, start, stop));
  return milliseconds / static_cast<float>(repeats);
}

}  // namespace tut::ch03
