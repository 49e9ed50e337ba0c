#include "08_reductions/cub_sum.hpp"

#include <cstdint>
#include <cub/device/device_reduce.cuh>

#include "tut/errors/check.hpp"

namespace tut::ch08 {

std::size_t cub_sum_scratch(std::size_t size) {
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const float*>(nullptr),
                               static_cast<float*>(nullptr), static_cast<std::int64_t>(size)));
  return bytes;
}

void cub_sum(std::span<const float> in, std::span<std::byte> scratch, float* out,
             cudaStream_t stream) {
  std::size_t bytes = scratch.size();
  check(cub::DeviceReduce::Sum(scratch.data(), bytes, in.data(), out,
                               static_cast<std::int64_t>(in.size()), stream));
}

}  // namespace tut::ch08
