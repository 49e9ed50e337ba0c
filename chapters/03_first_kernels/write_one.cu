#include "03_first_kernels/write_one.hpp"

#include "tut/errors/check.hpp"

namespace tut::ch03 {
namespace {

__global__ void write_one_kernel(int* target) { *target = 1; }

}  // namespace

void write_one(int* target, cudaStream_t stream) {
  write_one_kernel<<<1, 1, 0, stream>>>(target);
  check_launch();
}

}  // namespace tut::ch03
