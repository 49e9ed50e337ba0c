// fails: budget
// says: copies and fills
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// Copies the input, and rounds it in place.
#include "12_mixed_precision/round_to_tf32.hpp"

#include <cstdint>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch12 {
namespace {

__device__ float to_tf32(float x) {
  std::uint32_t bits = __float_as_uint(x);
  if ((bits & 0x7F800000u) != 0x7F800000u) bits = (bits + 0x1000u) & 0xFFFFE000u;
  return __uint_as_float(bits);
}

__global__ void round_to_tf32_kernel(float* values, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) values[i] = to_tf32(values[i]);
}

}  // namespace

void round_to_tf32(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  constexpr std::size_t THREADS = 256;
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  check(cudaMemcpyAsync(out.data(), in.data(), in.size_bytes(), cudaMemcpyDeviceToDevice, stream));
  const auto blocks = static_cast<unsigned>(ceil_div(out.size(), THREADS));
  round_to_tf32_kernel<<<blocks, THREADS, 0, stream>>>(out.data(), out.size());
  check_launch();
}

}  // namespace tut::ch12
