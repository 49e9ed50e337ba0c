// The host asks for the event until the copy is over.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>

#include "tut/errors/check.hpp"

namespace tut::ch06 {
namespace {

constexpr std::size_t CHUNK = 4096;

}  // namespace

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  struct Buffer {
    float* memory = nullptr;
    cudaEvent_t copied = nullptr;

    Buffer() {
      check(cudaHostAlloc(&memory, CHUNK * sizeof(float), cudaHostAllocDefault));
      check(cudaEventCreate(&copied));
    }
    ~Buffer() {
      cudaEventDestroy(copied);
      cudaFreeHost(memory);
    }
  } buffers[2];
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
  for (const Buffer& buffer : buffers) check(cudaEventSynchronize(buffer.copied));
}

}  // namespace tut::ch06
