// fails: leak
// The buffers are allocated by hand, and nobody frees them.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  constexpr std::size_t CHUNK = 4096;
  if (n == 0) return;
  float* buffers[2];
  for (auto& b : buffers)
    check(cudaMallocHost(reinterpret_cast<void**>(&b), CHUNK * sizeof(float)));
  Event copied[2];
  std::size_t chunk = 0;
  for (std::size_t first = 0; first < n; first += CHUNK, ++chunk) {
    float* buffer = buffers[chunk % 2];
    const std::size_t size = std::min(CHUNK, n - first);
    if (chunk >= 2) copied[chunk % 2].synchronize();
    std::memcpy(buffer, host + first, size * sizeof(float));
    check(cudaMemcpyAsync(x + first, buffer, size * sizeof(float), cudaMemcpyHostToDevice, stream));
    copied[chunk % 2].record(stream);
  }
  check(cudaStreamSynchronize(stream));
}

}  // namespace tut::ch06
