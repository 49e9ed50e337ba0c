#include <cstddef>
#include <numeric>

#include "06_finding_kernel_bugs/cooperation.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {

//! [copies]
double sum_on_host(const float* x, int n, cudaStream_t stream) {
  require(n >= 0, {"sum_on_host of ", n, " elements; expected 0 or more"});
  if (n == 0) return 0;
  const std::size_t first = n / 2, second = n - first;  // elements of the two halves
  const PinnedBuffer<float> host(n);
  Event first_is_here, all_is_here;

  check(cudaMemcpyAsync(host.data(), x, first * sizeof(float), cudaMemcpyDeviceToHost, stream));
  first_is_here.record(stream);
  check(cudaMemcpyAsync(host.data() + first, x + first, second * sizeof(float),
                        cudaMemcpyDeviceToHost, stream));
  all_is_here.record(stream);
  // Both copies may still be under way: nothing in host may be read yet.

  first_is_here.synchronize();
  // The second copy goes on while the host adds up the first half.
  double sum = std::accumulate(host.begin(), host.begin() + first, 0.0);
  all_is_here.synchronize();
  return std::accumulate(host.begin() + first, host.end(), sum);
}
//! [copies]

}  // namespace tut::ch06
