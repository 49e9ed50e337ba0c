// fails: stream
// says: 1 copy
// only: cpu backend, because a GPU does not tell which copies were issued
// Copies straight from the host's ordinary memory.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  if (n == 0) return;
  check(cudaMemcpyAsync(x, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));
  check(cudaStreamSynchronize(stream));
}

}  // namespace tut::ch06
