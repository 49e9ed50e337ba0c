// ldmatrix: each lane's registers hold the elements that the manual says, of rows that lie
// anywhere. needs: sm_80
#include <cuda_runtime.h>

#include "expect.cuh"
#include "tut/ptx/ldmatrix.cuh"
#include "tut/ptx/mma.cuh"

namespace {

constexpr int kStride = 24;  // elements between rows: 48 bytes

/// Where row r of matrix i begins, in elements: neither in order nor side by side.
__host__ __device__ int place_of(int matrix, int row) {
  return (matrix * 8 + (row * 5 + matrix) % 8) * kStride + (row % 3) * 8;
}

template <class Load>
__device__ void load_into(unsigned* out, int registers, Load load) {
  __shared__ alignas(16) unsigned short tile[32 * kStride];
  for (int i = threadIdx.x; i < 32 * kStride; i += 32) {
    tile[i] = static_cast<unsigned short>(i);
  }
  __syncwarp();
  const int lane = threadIdx.x;
  unsigned own[4];
  load(own, &tile[place_of(lane / 8, lane % 8)]);
  for (int i = 0; i < registers; ++i) out[lane * registers + i] = own[i];
}

__global__ void load(unsigned* out, int matrices, bool transposed) {
  load_into(out, matrices, [=](unsigned(&own)[4], const unsigned short* row) {
    unsigned one[1] = {}, two[2] = {};
    if (matrices == 1) {
      transposed ? tut::ptx::ldmatrix_x1_trans(one, row) : tut::ptx::ldmatrix_x1(one, row);
      own[0] = one[0];
    } else if (matrices == 2) {
      transposed ? tut::ptx::ldmatrix_x2_trans(two, row) : tut::ptx::ldmatrix_x2(two, row);
      own[0] = two[0];
      own[1] = two[1];
    } else {
      transposed ? tut::ptx::ldmatrix_x4_trans(own, row) : tut::ptx::ldmatrix_x4(own, row);
    }
  });
}

// Lanes without a row have addresses that nobody looks at; spelled as other programs do.
__global__ void spelled(unsigned* out) {
  __shared__ alignas(16) unsigned short tile[64];
  for (int i = threadIdx.x; i < 64; i += 32) tile[i] = static_cast<unsigned short>(i);
  __syncwarp();
  const int lane = threadIdx.x;
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + (lane % 8) * 16;
  if (lane >= 8) address += 2;
  unsigned plain, generic;
  asm volatile("ldmatrix.sync.aligned.x1.m8n8.shared.b16{%0},[ %1 + 0 ];\n\t"
               : "=r"(plain)
               : "r"(lane < 8 ? address : address - 2)
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.b16 {%0}, [%1];"
               : "=r"(generic)
               : "l"(&tile[lane % 8 * 8])
               : "memory");
  out[lane] = plain;
  out[32 + lane] = generic;
}

void check_load(unsigned* out, int matrices, bool transposed) {
  load<<<1, 32>>>(out, matrices, transposed);
  expect_each("ldmatrix", out, 32 * matrices, [=](int i) {
    const int lane = i / matrices, matrix = i % matrices, group = lane / 4, pair = lane % 4 * 2;
    const auto element = [=](int row, int column) {
      return static_cast<unsigned>(place_of(matrix, row) + column);
    };
    return transposed ? element(pair, group) | element(pair + 1, group) << 16
                      : element(group, pair) | element(group, pair + 1) << 16;
  });
}

// Fragments of A and B by ldmatrix, as a kernel for products loads them: D = A * B.
__global__ void product(const unsigned short* a, const unsigned short* b, float* d) {
  __shared__ alignas(16) unsigned short a_tile[16][16];
  __shared__ alignas(16) unsigned short b_tile[16][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 16 * 16; i += 32) a_tile[i / 16][i % 16] = a[i];
  for (int i = lane; i < 16 * 8; i += 32) b_tile[i / 8][i % 8] = b[i];
  __syncwarp();
  unsigned a_part[4], b_part[2];
  tut::ptx::ldmatrix_x4(a_part, &a_tile[lane % 16][lane / 16 * 8]);
  tut::ptx::ldmatrix_x2_trans(b_part, &b_tile[lane % 16][0]);
  float sums[4] = {};
  tut::ptx::mma_m16n8k16_f32_f16(sums, a_part, b_part, sums);
  for (int i = 0; i < 4; ++i) {
    d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sums[i];
  }
}

void check_product() {
  // 0, 1, 2 and 3 in half precision.
  constexpr unsigned short codes[] = {0x0000, 0x3C00, 0x4000, 0x4200};
  unsigned short *a, *b;
  float* d;
  cudaMallocManaged(reinterpret_cast<void**>(&a), 16 * 16 * sizeof(unsigned short));
  cudaMallocManaged(reinterpret_cast<void**>(&b), 16 * 8 * sizeof(unsigned short));
  cudaMallocManaged(reinterpret_cast<void**>(&d), 16 * 8 * sizeof(float));
  const auto of_a = [](int row, int k) { return (row * 3 + k * 5 + row * k) % 4; };
  const auto of_b = [](int k, int column) { return (k * 7 + column * 3) % 4; };
  for (int i = 0; i < 16 * 16; ++i) a[i] = codes[of_a(i / 16, i % 16)];
  for (int i = 0; i < 16 * 8; ++i) b[i] = codes[of_b(i / 8, i % 8)];
  product<<<1, 32>>>(a, b, d);
  expect_each("a product by way of ldmatrix", d, 16 * 8, [=](int i) {
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum += of_a(i / 8, k) * of_b(k, i % 8);
    return static_cast<float>(sum);
  });
  cudaFree(a);
  cudaFree(b);
  cudaFree(d);
}

}  // namespace

int main() {
  unsigned* out = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&out), 128 * sizeof(unsigned));
  for (const int matrices : {1, 2, 4}) {
    check_load(out, matrices, false);
    check_load(out, matrices, true);
  }
  spelled<<<1, 32>>>(out);
  expect_each("spelled otherwise", out, 64, [](int i) {
    const unsigned group = i % 32 / 4, pair = i % 4 * 2;
    const unsigned first = i < 32 ? group * 8 + pair : pair * 8 + group;
    return first | (i < 32 ? first + 1 : first + 8) << 16;
  });
  check_product();
  cudaFree(out);
  return report();
}
