// Waits for the stream, which has nothing behind the second event; events that let the host sleep.
#include "03_first_kernels/average_ms.hpp"

#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats > 0, "expected at least one call to time");
  Event first(cudaEventBlockingSync), last(cudaEventBlockingSync);
  work(stream);
  first.record(stream);
  int left = repeats;
  while (left-- > 0) work(stream);
  last.record(stream);
  check(cudaStreamSynchronize(stream));
  return Event::elapsed_ms(first, last) / static_cast<float>(repeats);
}

}  // namespace tut::ch03
