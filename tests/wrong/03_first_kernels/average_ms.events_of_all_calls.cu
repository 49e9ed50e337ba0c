// fails: values
// All calls share two events, also one within another.
#include "03_first_kernels/average_ms.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/require.hpp"
#include "tut/stream.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  // Made once: a benchmark calls this many times, and creating events takes time.
  static Event start;
  static Event stop;

  work(stream);

  start.record(stream);
  for (int i = 0; i < repeats; ++i) work(stream);
  stop.record(stream);
  stop.synchronize();

  return Event::elapsed_ms(start, stop) / static_cast<float>(repeats);
}

}  // namespace tut::ch03
