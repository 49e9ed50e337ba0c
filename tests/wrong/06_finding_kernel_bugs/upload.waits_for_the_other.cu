// fails: values
// says: the host has not waited for the last copy
// only: cpu backend, because a GPU does not tell what the host has waited for
// Where 4096 divides n the last wait is for the other event.
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
  Event copied[2];

  for (std::size_t first = 0, chunk = 0; first < n; first += CHUNK, ++chunk) {
    const PinnedBuffer<float>& buffer = buffers[chunk % 2];
    const std::size_t size = std::min(CHUNK, n - first);
    if (chunk >= 2) copied[chunk % 2].synchronize();  // before the buffer is filled again
    for (std::size_t i = 0; i < size; ++i) buffer[i] = host[first + i];
    check(cudaMemcpyAsync(x + first, buffer.data(), size * sizeof(float), cudaMemcpyHostToDevice,
                          stream));
    copied[chunk % 2].record(stream);
  }
  // Copies of a stream are done in their order: when the last one is, all of them are. Whatever
  // else the caller puts into the stream need not be waited for.
  if (n > 0) copied[n / CHUNK % 2].synchronize();
}

}  // namespace tut::ch06
