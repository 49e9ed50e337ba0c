// Its plain test passes, and yet it has a bug.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>

#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  constexpr std::size_t CHUNK = 4096;
  PinnedBuffer<float> buffers[2] = {PinnedBuffer<float>(CHUNK), PinnedBuffer<float>(CHUNK)};
  Event copied[2];

  for (std::size_t first = 0, chunk = 0; first < n; first += CHUNK, ++chunk) {
    const PinnedBuffer<float>& buffer = buffers[chunk % 2];
    const std::size_t size = std::min(CHUNK, n - first);
    for (std::size_t i = 0; i < size; ++i) buffer[i] = host[first + i];
    if (chunk >= 2) copied[chunk % 2].synchronize();
    check(cudaMemcpyAsync(x + first, buffer.data(), size * sizeof(float), cudaMemcpyHostToDevice,
                          stream));
    copied[chunk % 2].record(stream);
  }
  check(cudaStreamSynchronize(stream));
}

}  // namespace tut::ch06
