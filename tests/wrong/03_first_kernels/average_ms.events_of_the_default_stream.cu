// fails: values
// says: does not wait for the default stream
// Both events are recorded in the default stream, which not every stream waits for.
#include "03_first_kernels/average_ms.hpp"

#include <string>

#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  Event start;
  Event stop;

  work(stream);  // warm up
  start.record();
  for (int i = 0; i < repeats; ++i) work(stream);
  stop.record();
  stop.synchronize();  // the calls have long returned; their kernels may have not

  return Event::elapsed_ms(start, stop) / static_cast<float>(repeats);
}

}  // namespace tut::ch03
