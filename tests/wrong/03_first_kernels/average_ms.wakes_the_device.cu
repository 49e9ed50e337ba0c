// fails: values
// says: expected none but work's
// Launches a kernel of its own, so that the device is awake.
#include "03_first_kernels/average_ms.hpp"

#include <algorithm>
#include <vector>

#include "tut/check.hpp"
#include "tut/require.hpp"
#include "tut/stream.hpp"

namespace tut::ch03 {

namespace {
__global__ void wake_up() {}
}  // namespace

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  Event start, stop;
  wake_up<<<1, 32, 0, stream>>>();
  check_launch();
  work(stream);
  start.record(stream);
  for (int i = 0; i < repeats; ++i) work(stream);
  stop.record(stream);
  stop.synchronize();
  return Event::elapsed_ms(start, stop) / static_cast<float>(repeats);
}

}  // namespace tut::ch03
