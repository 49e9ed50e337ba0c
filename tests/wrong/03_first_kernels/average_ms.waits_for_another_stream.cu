// fails: launch
// says: returned cudaErrorNotReady
// Waits for a stream that has nothing to do.
#include "03_first_kernels/average_ms.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/require.hpp"
#include "tut/stream.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  Event start;
  Event stop;
  float milliseconds = 0.0f;

  work(stream);
  start.record(stream);
  for (int i = 0; i < repeats; ++i) work(stream);
  stop.record(stream);
  check(cudaStreamSynchronize(Stream(cudaStreamNonBlocking)));
  milliseconds = Event::elapsed_ms(start, stop);

  milliseconds /= static_cast<float>(repeats);
  return milliseconds;
}

}  // namespace tut::ch03
