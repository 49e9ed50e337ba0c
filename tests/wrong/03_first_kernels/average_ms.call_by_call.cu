// fails: values
// says: the host has waited for one call before it issued the next
// only: cpu backend, because a GPU does not tell what the host has waited for
// Times every call by itself, and waits for each.
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

  work(stream);  // warm up

  float sum = 0.0f;
  for (int i = 0; i < repeats; ++i) {
    start.record(stream);
    work(stream);
    stop.record(stream);
    stop.synchronize();
    sum += Event::elapsed_ms(start, stop);
  }
  return sum / static_cast<float>(repeats);
}

}  // namespace tut::ch03
