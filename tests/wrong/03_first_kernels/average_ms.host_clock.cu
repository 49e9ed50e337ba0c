// fails: values
// says: no call of cudaEventElapsedTime
// only: cpu backend, because a GPU does not tell what was called
// The clock of the host, from the end of the warm-up to that of the last call.
#include "03_first_kernels/average_ms.hpp"

#include <chrono>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {

float average_ms(const std::function<void(cudaStream_t)>& work, int repeats, cudaStream_t stream) {
  require(repeats >= 1, {"repeats is ", repeats, "; expected at least 1"});
  work(stream);
  check(cudaStreamSynchronize(stream));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) work(stream);
  check(cudaStreamSynchronize(stream));
  const std::chrono::duration<float, std::milli> all = std::chrono::steady_clock::now() - start;
  return all.count() / static_cast<float>(repeats);
}

}  // namespace tut::ch03
