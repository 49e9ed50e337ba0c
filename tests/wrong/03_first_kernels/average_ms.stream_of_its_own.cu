// fails: values
// says: another stream than that of the call
// Lets the work run in a stream of its own: what is timed is not what the caller's stream would do.
#include "03_first_kernels/average_ms.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/require.hpp"
#include "tut/stream.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  Event start;
  Event stop;
  float milliseconds = 0.0f;

  const Stream own;
  work(own);
  start.record(own);
  for (int i = 0; i < repeats; ++i) work(own);
  stop.record(own);
  stop.synchronize();
  milliseconds = Event::elapsed_ms(start, stop);

  milliseconds /= static_cast<float>(repeats);
  return milliseconds;
}

}  // namespace tut::ch03
