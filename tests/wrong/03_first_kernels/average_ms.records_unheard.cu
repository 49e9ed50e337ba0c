// fails: values
// says: failed, and nothing was thrown
// only: cpu backend, because a GPU does not fail when it is told to
// Asks whether the wait and the time were right, and takes no notice of what recording returns.
#include "03_first_kernels/average_ms.hpp"

#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  const Event start, stop;
  work(stream);
  cudaEventRecord(start, stream);
  for (int i = 0; i < repeats; ++i) work(stream);
  cudaEventRecord(stop, stream);
  check(cudaStreamSynchronize(stream));
  float milliseconds = 0.0f;
  cudaEventElapsedTime(&milliseconds, start, stop);
  return milliseconds / static_cast<float>(repeats);
}

}  // namespace tut::ch03
