// fails: values
// says: counted in 64 bits
// only: cpu backend, because a GPU does not fail when it is told to
// Goes on by bytes, whose number is an int: from 2^29 values on there are none.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  constexpr int CHUNK = 4096 * sizeof(float);
  const PinnedBuffer<char> buffers[2] = {PinnedBuffer<char>(CHUNK), PinnedBuffer<char>(CHUNK)};
  Event copied[2];
  const auto* from = reinterpret_cast<const char*>(host);
  auto* to = reinterpret_cast<char*>(x);
  const int bytes = static_cast<int>(n * sizeof(float));

  for (int first = 0, chunk = 0; first < bytes; first += CHUNK, ++chunk) {
    char* const buffer = buffers[chunk % 2].data();
    const auto size = static_cast<std::size_t>(std::min(CHUNK, bytes - first));
    if (chunk >= 2) copied[chunk % 2].synchronize();
    std::memcpy(buffer, from + first, size);
    check(cudaMemcpyAsync(to + first, buffer, size, cudaMemcpyHostToDevice, stream));
    copied[chunk % 2].record(stream);
  }
  check(cudaStreamSynchronize(stream));
}

}  // namespace tut::ch06
