// fails: values
// only: cpu backend, because a GPU does not tell what the host has waited for
// The host waits after every 64th call.
#include "03_first_kernels/average_ms.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/require.hpp"
#include "tut/stream.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  constexpr int QUEUE = 64;  // calls under way at most: a stream's queue has an end
  Event start;
  Event stop;

  work(stream);

  start.record(stream);
  for (int i = 1; i <= repeats; ++i) {
    work(stream);
    if (i % QUEUE == 0) check(cudaStreamSynchronize(stream));
  }
  stop.record(stream);
  stop.synchronize();

  return Event::elapsed_ms(start, stop) / static_cast<float>(repeats);
}

}  // namespace tut::ch03
