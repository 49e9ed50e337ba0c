// The host asks for the event until the copy is over.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>

#include "tut/check.hpp"

namespace tut::ch06 {
namespace {

constexpr std::size_t CHUNK = 4096;

}  // namespace

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  struct Buffer {
    float* memory;
    cudaEvent_t copied;
  } buffers[2];
  for (Buffer& buffer : buffers) {
    check(cudaHostAlloc(&buffer.memory, CHUNK * sizeof(float), cudaHostAllocDefault));
    check(cudaEventCreate(&buffer.copied));
  }
  for (std::size_t chunk = 0; chunk * CHUNK < n; ++chunk) {
    Buffer& buffer = buffers[chunk % 2];
    cudaError_t status = cudaEventQuery(buffer.copied);
    while (status == cudaErrorNotReady) status = cudaEventQuery(buffer.copied);
    check(status);
    const float* const from = host + chunk * CHUNK;
    const std::size_t count = std::min(CHUNK, n - chunk * CHUNK);
    std::copy(from, from + count, buffer.memory);
    check(cudaMemcpyAsync(x + chunk * CHUNK, buffer.memory, count * sizeof(float),
                          cudaMemcpyHostToDevice, stream));
    check(cudaEventRecord(buffer.copied, stream));
  }
  for (Buffer& buffer : buffers) {
    check(cudaEventSynchronize(buffer.copied));
    check(cudaEventDestroy(buffer.copied));
    check(cudaFreeHost(buffer.memory));
  }
}

}  // namespace tut::ch06
