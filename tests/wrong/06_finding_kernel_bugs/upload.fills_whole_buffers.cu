// fails: out-of-bounds
// says: reads or writes memory past the end of host
// Fills the last buffer to its end too, with what lies behind the host's values.
#include "06_finding_kernel_bugs/upload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tut/check.hpp"
#include "tut/device_buffer.hpp"
#include "tut/stream.hpp"

namespace tut::ch06 {

void upload(const float* host, std::size_t n, float* x, cudaStream_t stream) {
  constexpr std::size_t CHUNK = 4096;
  PinnedBuffer<float> buffers[2] = {PinnedBuffer<float>(CHUNK), PinnedBuffer<float>(CHUNK)};
  Event copied[2];

  for (std::size_t first = 0, chunk = 0; first < n; first += CHUNK, ++chunk) {
    const PinnedBuffer<float>& buffer = buffers[chunk % 2];
    const std::size_t size = std::min(CHUNK, n - first);
    //! [bug-race]
    // The buffer may be filled again when the copy that took it, two chunks ago, is done.
    if (chunk >= 2) copied[chunk % 2].synchronize();
    //! [bug-race]
    std::memcpy(buffer.data(), host + first, CHUNK * sizeof(float));
    check(cudaMemcpyAsync(x + first, buffer.data(), size * sizeof(float), cudaMemcpyHostToDevice,
                          stream));
    copied[chunk % 2].record(stream);
  }
  check(cudaStreamSynchronize(stream));
}

}  // namespace tut::ch06
