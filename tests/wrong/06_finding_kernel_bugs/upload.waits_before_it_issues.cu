// fails: stream
// says: are issued while another is under way
// only: cpu backend, because a GPU does not tell which copies were issued
// Fills the next buffer while a copy is under way, but waits for that one before it issues the
// next.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  constexpr std::size_t CHUNK = 4096;
  if (n == 0) return;
  PinnedBuffer<float> a(CHUNK), b(CHUNK);
  float *now = a.data(), *next = b.data();
  std::size_t size = std::min(CHUNK, n);
  std::memcpy(now, host, size * sizeof(float));
  for (std::size_t first = 0; first < n;) {
    check(cudaMemcpyAsync(x + first, now, size * sizeof(float), cudaMemcpyHostToDevice, stream));
    first += size;
    size = std::min(CHUNK, n - first);
    if (first < n) std::memcpy(next, host + first, size * sizeof(float));
    check(cudaStreamSynchronize(stream));
    std::swap(now, next);
  }
}

}  // namespace tut::ch06
