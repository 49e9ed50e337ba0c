// stmatrix: rows that lie anywhere get from each lane's registers the elements that the manual
// says, and nothing else is written. needs: sm_90
#include <cuda_runtime.h>

#include "expect.cuh"
#include "tut/ptx/stmatrix.cuh"

namespace {

constexpr int kStride = 24;  // elements between rows: 48 bytes
constexpr int kElements = 32 * kStride;

/// Where row r of matrix i begins, in elements: neither in order nor side by side.
__host__ __device__ int place_of(int matrix, int row) {
  return (matrix * 8 + (row * 5 + matrix) % 8) * kStride + (row % 3) * 8;
}

__global__ void store(unsigned* out, int matrices, bool transposed) {
  __shared__ alignas(16) unsigned short tile[kElements];
  const int lane = threadIdx.x;
  for (int i = lane; i < kElements; i += 32) tile[i] = 0xFFFF;
  __syncwarp();
  unsigned short* const row = &tile[place_of(lane / 8, lane % 8)];
  // The halves of register i of a lane are numbered through.
  unsigned own[4];
  for (int i = 0; i < 4; ++i) own[i] = (2 * lane + 64 * i) | (2 * lane + 64 * i + 1) << 16;
  const unsigned one[1] = {own[0]}, two[2] = {own[0], own[1]};
  if (matrices == 1) {
    transposed ? tut::ptx::stmatrix_x1_trans(row, one) : tut::ptx::stmatrix_x1(row, one);
  } else if (matrices == 2) {
    transposed ? tut::ptx::stmatrix_x2_trans(row, two) : tut::ptx::stmatrix_x2(row, two);
  } else {
    transposed ? tut::ptx::stmatrix_x4_trans(row, own) : tut::ptx::stmatrix_x4(row, own);
  }
  __syncwarp();
  for (int i = lane; i < kElements; i += 32) out[i] = tile[i];
}

void check_store(unsigned* out, int matrices, bool transposed) {
  store<<<1, 32>>>(out, matrices, transposed);
  unsigned wanted[kElements];
  for (unsigned& element : wanted) element = 0xFFFF;
  for (int matrix = 0; matrix < matrices; ++matrix) {
    for (int i = 0; i < 64; ++i) {
      const int group = i / 2 / 4, at = i / 2 % 4 * 2 + i % 2;
      const int row = transposed ? at : group, column = transposed ? group : at;
      wanted[place_of(matrix, row) + column] = static_cast<unsigned>(i + 64 * matrix);
    }
  }
  expect_each("stmatrix", out, kElements, [&](int i) { return wanted[i]; });
}

}  // namespace

int main() {
  unsigned* out = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&out), kElements * sizeof(unsigned));
  for (const int matrices : {1, 2, 4}) {
    check_store(out, matrices, false);
    check_store(out, matrices, true);
  }
  cudaFree(out);
  return report();
}
