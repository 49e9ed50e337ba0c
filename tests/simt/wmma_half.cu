// WMMA in half: every shape, layout and sum, the number of elements a lane holds, and sums that
// need FP32.
#define WITHOUT_BF16
#include "wmma_case.cuh"

__global__ void count_elements(int* counts) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> c;
  if (threadIdx.x == 0) {
    counts[0] = a.num_elements;
    counts[1] = b.num_elements;
    counts[2] = c.num_elements;
  }
}

// Each product adds 16 * factor to all of c.
template <class Sum>
__global__ void fill_and_add(Sum* d, float start, float factor, int products) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> c;
  wmma::fill_fragment(a, __float2half(factor));
  wmma::fill_fragment(b, __float2half(1.0f));
  wmma::fill_fragment(c, Sum(start));
  for (int i = 0; i < products; ++i) wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(d, c, 16, wmma::mem_row_major);
}

// A sum in half out of one in float, and the other way round.
__global__ void mixed_sums(float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> wide;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> narrow;
  wmma::fill_fragment(a, __float2half(0.5f));
  wmma::fill_fragment(b, __float2half(2.0f));
  wmma::fill_fragment(wide, 3.0f);
  wmma::mma_sync(narrow, a, b, wide);  // 19
  wmma::mma_sync(wide, a, b, narrow);  // 35
  wmma::store_matrix_sync(d, wide, 16, wmma::mem_row_major);
}

// Two warps with a tile each, a strip of four products along k in shared memory.
__global__ void strips(const half* a, const half* b, float* d) {
  __shared__ alignas(32) half tile[2][16 * 64];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  for (int i = lane; i < 16 * 64; i += 32) tile[warp][i] = a[warp * 16 * 64 + i];
  __syncwarp();
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < 64; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a_part;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b_part;
    wmma::load_matrix_sync(a_part, &tile[warp][k], 64);
    wmma::load_matrix_sync(b_part, b + k * 16, 16);
    wmma::mma_sync(sum, a_part, b_part, sum);
  }
  wmma::store_matrix_sync(d + warp * 16, sum, 32, wmma::mem_col_major);
}

void check_counts() {
  int* counts = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&counts), 3 * sizeof(int));
  count_elements<<<1, 32>>>(counts);
  cudaDeviceSynchronize();
  expect("elements of a a lane", counts[0], 16);
  expect("elements of b a lane", counts[1], 16);
  expect("elements of the sum a lane", counts[2], 8);
  cudaFree(counts);
}

void check_sums() {
  float* wide = nullptr;
  half* narrow = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&wide), 256 * sizeof(float));
  cudaMallocManaged(reinterpret_cast<void**>(&narrow), 256 * sizeof(half));
  fill_and_add<float><<<1, 32>>>(wide, 2048.0f, 1.0f, 3);
  fill_and_add<half><<<1, 32>>>(narrow, 2048.0f, 1.0f, 3);
  cudaDeviceSynchronize();
  expect("sum in float", wide[37], 2096);
  expect("sum in half", __half2float(narrow[255]), 2096);
  fill_and_add<half><<<1, 32>>>(narrow, 65472.0f, 4.0f, 1);
  cudaDeviceSynchronize();
  expect("beyond half", __half2float(narrow[8]) > 70000.0f, true);
  mixed_sums<<<1, 32>>>(wide);
  cudaDeviceSynchronize();
  expect("half out of float and back", wide[100], 35);
  cudaFree(wide);
  cudaFree(narrow);
}

void check_strips() {
  const auto a = matrix<half>(32, 64, 64, true, 9, 4);
  const auto b = matrix<half>(64, 16, 16, true, 7, 3);
  half *da = to_device(a), *db = to_device(b);
  float* d = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&d), 32 * 16 * sizeof(float));
  strips<<<1, 64>>>(da, db, d);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int row = 0; row < 32; ++row) {
    for (int column = 0; column < 16; ++column) {
      double sum = 0;
      for (int i = 0; i < 64; ++i) sum += value(a[row * 64 + i]) * value(b[i * 16 + column]);
      wrong += d[column * 32 + row] != sum ? 1 : 0;
    }
  }
  expect("strips along k", wrong, 0);
  cudaFree(da);
  cudaFree(db);
  cudaFree(d);
}

int main() {
  check_counts();
  check_layouts<16, 16, 16, half, float>("half 16x16x16 to float");
  check_layouts<32, 8, 16, half, float>("half 32x8x16 to float");
  check_layouts<8, 32, 16, half, float>("half 8x32x16 to float");
  check_layouts<16, 16, 16, half, half>("half 16x16x16 to half");
  check_layouts<32, 8, 16, half, half>("half 32x8x16 to half");
  check_layouts<8, 32, 16, half, half>("half 8x32x16 to half");
  check_sums();
  check_strips();
  return report();
}
