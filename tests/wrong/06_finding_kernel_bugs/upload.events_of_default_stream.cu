// fails: race
// says: which an asynchronous copy reads
// The events are recorded in the default stream, which a non-blocking stream does not wait for.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>

#include "tut/check.hpp"
#include "tut/device_buffer.hpp"
#include "tut/stream.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  constexpr std::size_t CHUNK = 4096;
  PinnedBuffer<float> buffers[2] = {PinnedBuffer<float>(CHUNK), PinnedBuffer<float>(CHUNK)};
  Event copied[2] = {Event(cudaEventDisableTiming), Event(cudaEventDisableTiming)};

  for (std::size_t first = 0, chunk = 0; first < n; first += CHUNK, ++chunk) {
    const PinnedBuffer<float>& buffer = buffers[chunk % 2];
    const std::size_t size = std::min(CHUNK, n - first);
    copied[chunk % 2].synchronize();  // returns at once before the first record
    std::copy_n(host + first, size, buffer.begin());
    check(cudaMemcpyAsync(x + first, buffer.data(), size * sizeof(float), cudaMemcpyHostToDevice,
                          stream));
    copied[chunk % 2].record();
  }
  check(cudaStreamSynchronize(stream));
}

}  // namespace tut::ch06
