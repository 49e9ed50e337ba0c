// fails: stream
// says: a copy reads ordinary host memory
// only: cpu backend, because a GPU does not tell which copies were issued
// The buffers are ordinary memory: the host waits in every copy.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tut/check.hpp"
#include "tut/stream.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  constexpr std::size_t CHUNK = 4096;
  std::vector<float> buffers[2] = {std::vector<float>(CHUNK), std::vector<float>(CHUNK)};
  Event copied[2];

  for (std::size_t first = 0, chunk = 0; first < n; first += CHUNK, ++chunk) {
    std::vector<float>& buffer = buffers[chunk % 2];
    const std::size_t size = std::min(CHUNK, n - first);
    // The buffer may be filled again when the copy that took it, two chunks ago, is done.
    if (chunk >= 2) copied[chunk % 2].synchronize();
    for (std::size_t i = 0; i < size; ++i) buffer[i] = host[first + i];
    check(cudaMemcpyAsync(x + first, buffer.data(), size * sizeof(float), cudaMemcpyHostToDevice,
                          stream));
    copied[chunk % 2].record(stream);
  }
  check(cudaStreamSynchronize(stream));
}

}  // namespace tut::ch06
