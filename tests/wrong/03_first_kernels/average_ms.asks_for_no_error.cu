// fails: values
// says: expected a tut::CudaError
// Takes no notice of what the runtime's functions return: the time is 0 where they failed.
#include "03_first_kernels/average_ms.hpp"

#include <string>

#include "tut/errors/require.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  float milliseconds = 0.0f;

  work(stream);
  cudaEventRecord(start, stream);
  for (int i = 0; i < repeats; ++i) work(stream);
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);
  cudaEventElapsedTime(&milliseconds, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  milliseconds /= static_cast<float>(repeats);
  return milliseconds;
}

}  // namespace tut::ch03
