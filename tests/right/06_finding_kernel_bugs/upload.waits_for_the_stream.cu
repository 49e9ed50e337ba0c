// The host waits for the whole stream before it fills a buffer again.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>

#include "tut/errors/check.hpp"

namespace tut::ch06 {
namespace {

constexpr std::size_t CHUNK = 4096;

}  // namespace

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  float* buffers[2] = {};
  for (float*& buffer : buffers) check(cudaMallocHost(&buffer, CHUNK * sizeof(float)));
  for (std::size_t done = 0, chunk = 0; done < n; done += CHUNK, ++chunk) {
    const std::size_t count = std::min(CHUNK, n - done);
    if (chunk >= 2 && chunk % 2 == 0) check(cudaStreamSynchronize(stream));
    std::copy_n(host + done, count, buffers[chunk % 2]);
    check(cudaMemcpyAsync(x + done, buffers[chunk % 2], count * sizeof(float),
                          cudaMemcpyHostToDevice, stream));
  }
  check(cudaStreamSynchronize(stream));
  for (float* buffer : buffers) check(cudaFreeHost(buffer));
}

}  // namespace tut::ch06
