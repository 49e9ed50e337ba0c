// fails: race
// The copies do not wait for the work that is on the stream already.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>

#include "tut/check.hpp"
#include "tut/device_buffer.hpp"
#include "tut/stream.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t) {
  constexpr std::size_t CHUNK = 4096;
  PinnedBuffer<float> buffers[2] = {PinnedBuffer<float>(CHUNK), PinnedBuffer<float>(CHUNK)};
  Event copied[2];
  const Stream own(cudaStreamNonBlocking);

  for (std::size_t first = 0, chunk = 0; first < n; first += CHUNK, ++chunk) {
    const PinnedBuffer<float>& buffer = buffers[chunk % 2];
    const std::size_t size = std::min(CHUNK, n - first);
    // The buffer may be filled again when the copy that took it, two chunks ago, is done.
    if (chunk >= 2) copied[chunk % 2].synchronize();
    for (std::size_t i = 0; i < size; ++i) buffer[i] = host[first + i];
    check(cudaMemcpyAsync(x + first, buffer.data(), size * sizeof(float), cudaMemcpyHostToDevice,
                          own));
    copied[chunk % 2].record(own);
  }
  check(cudaStreamSynchronize(own));
}

}  // namespace tut::ch06
