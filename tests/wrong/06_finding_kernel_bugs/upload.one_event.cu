// fails: stream
// says: are issued while another is under way
// only: cpu backend, because a GPU does not tell what the host has waited for
// One event for both buffers: before one is filled again, the other's copy is waited for, too.
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
  Event copied;  // copies of a stream end in their order

  for (std::size_t first = 0, chunk = 0; first < n; first += CHUNK, ++chunk) {
    const PinnedBuffer<float>& buffer = buffers[chunk % 2];
    const std::size_t size = std::min(CHUNK, n - first);
    if (chunk >= 2) copied.synchronize();
    for (std::size_t i = 0; i < size; ++i) buffer[i] = host[first + i];
    check(cudaMemcpyAsync(x + first, buffer.data(), size * sizeof(float), cudaMemcpyHostToDevice,
                          stream));
    copied.record(stream);
  }
  check(cudaStreamSynchronize(stream));
}

}  // namespace tut::ch06
