// fails: values
// says: the average is
// Times each call, and gives the shortest time.
#include "03_first_kernels/average_ms.hpp"

#include <algorithm>
#include <vector>

#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  std::vector<Event> starts, stops;
  work(stream);
  for (int i = 0; i < repeats; ++i) {
    starts.emplace_back().record(stream);
    work(stream);
    stops.emplace_back().record(stream);
  }
  stops.back().synchronize();
  float best = Event::elapsed_ms(starts[0], stops[0]);
  for (std::size_t i = 1; i < stops.size(); ++i) {
    best = std::min(best, Event::elapsed_ms(starts[i], stops[i]));
  }
  return best;
}

}  // namespace tut::ch03
