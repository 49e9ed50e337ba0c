// fails: stream
// says: 0 of
// only: cpu backend, because a GPU does not tell which copies were issued
// One buffer: the host fills it when its copy is done.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  constexpr std::size_t CHUNK = 4096;
  const PinnedBuffer<float> buffer(CHUNK);
  for (std::size_t first = 0; first < n; first += CHUNK) {
    const std::size_t size = std::min(CHUNK, n - first);
    std::copy_n(host + first, size, buffer.data());
    check(cudaMemcpyAsync(x + first, buffer.data(), size * sizeof(float), cudaMemcpyHostToDevice,
                          stream));
    check(cudaStreamSynchronize(stream));
  }
}

}  // namespace tut::ch06
