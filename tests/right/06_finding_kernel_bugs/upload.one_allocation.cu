// One piece of pinned memory holds both buffers, and an event goes with each.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstring>

#include "tut/errors/check.hpp"

namespace tut::ch06 {
namespace {

constexpr std::size_t CHUNK = 4096;

}  // namespace

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  float* pinned = nullptr;
  check(cudaMallocHost(&pinned, 2 * CHUNK * sizeof(float)));
  cudaEvent_t copied[2];
  for (cudaEvent_t& event : copied) {
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  int turn = 0;
  for (std::size_t done = 0; done < n; done += CHUNK, turn = 1 - turn) {
    check(cudaEventSynchronize(copied[turn]));  // an event without a record is over
    const std::size_t bytes = std::min(CHUNK, n - done) * sizeof(float);
    float* const buffer = pinned + turn * CHUNK;
    std::memcpy(buffer, host + done, bytes);
    check(cudaMemcpyAsync(x + done, buffer, bytes, cudaMemcpyHostToDevice, stream));
    check(cudaEventRecord(copied[turn], stream));
  }
  check(cudaStreamSynchronize(stream));
  for (cudaEvent_t event : copied) check(cudaEventDestroy(event));
  check(cudaFreeHost(pinned));
}

}  // namespace tut::ch06
