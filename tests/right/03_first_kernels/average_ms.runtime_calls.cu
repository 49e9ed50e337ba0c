// The runtime's own functions; the events are freed on every way out.
#include "03_first_kernels/average_ms.hpp"

#include <memory>
#include <stdexcept>
#include <type_traits>

#include "tut/errors/check.hpp"

namespace tut::ch03 {
namespace {

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using EventOwner = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

EventOwner make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  return EventOwner(event);
}

}  // namespace

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  if (repeats < 1) throw std::invalid_argument("nothing is repeated");
  const EventOwner begin = make_event(), end = make_event();
  work(stream);
  check(cudaEventRecord(begin.get(), stream));
  for (int i = 0; i != repeats; ++i) work(stream);
  check(cudaEventRecord(end.get(), stream));
  check(cudaEventSynchronize(end.get()));
  float time = 0.0f;
  check(cudaEventElapsedTime(&time, begin.get(), end.get()));
  return time / static_cast<float>(repeats);
}

}  // namespace tut::ch03
