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
  float milliseconds = 0.0f;

  //! [hole-measure]
  // Warm up; then start, `repeats` times the work, stop. An event happens when the stream
  // reaches it, which may be long after record() returns: wait for the second before you read the
  // time.
  work(stream);
  start.record(stream);
  for (int i = 0; i < repeats; ++i) work(stream);
  stop.record(stream);
  stop.synchronize();
  milliseconds = Event::elapsed_ms(start, stop);
  //! [hole-measure]

  //! [hole-average]
  // Make it the time of one call.
  milliseconds /= static_cast<float>(repeats);
  //! [hole-average]
  return milliseconds;
}

}  // namespace tut::ch03
