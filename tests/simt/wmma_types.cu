// WMMA in bfloat16, TF32, 8-bit integers and double.
// needs: sm_80
#include "wmma_case.cuh"

using wmma::precision::tf32;

// A float whose low bits TF32 has not got: 1 + 2^-11 becomes 1 + 2^-10 when rounded.
__global__ void round_to_tf32(float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, tf32, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, tf32, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
  wmma::fill_fragment(a, 1.0f + 0x1p-11f);
  wmma::fill_fragment(b, 1.0f);
  wmma::fill_fragment(c, 0.0f);
  for (int i = 0; i < a.num_elements; ++i) a.x[i] = wmma::__float_to_tf32(a.x[i]);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(d, c, 16, wmma::mem_row_major);
}

__global__ void saturate(int* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(a, static_cast<signed char>(100));
  wmma::fill_fragment(b, static_cast<signed char>(100));
  wmma::fill_fragment(c, 2147483647 - 1000);
  wmma::mma_sync(c, a, b, c, true);
  wmma::store_matrix_sync(d, c, 16, wmma::mem_row_major);
}

__global__ void count_elements(int* counts) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> bf16;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, unsigned char, wmma::row_major> byte;
  wmma::fragment<wmma::matrix_a, 16, 16, 8, tf32, wmma::row_major> single;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> wide;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
  if (threadIdx.x == 0) {
    counts[0] = bf16.num_elements;
    counts[1] = byte.num_elements;
    counts[2] = single.num_elements;
    counts[3] = wide.num_elements;
    counts[4] = sum.num_elements;
  }
}

void check_special() {
  float* d = nullptr;
  int* whole = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&d), 256 * sizeof(float));
  cudaMallocManaged(reinterpret_cast<void**>(&whole), 256 * sizeof(int));
  round_to_tf32<<<1, 32>>>(d);
  saturate<<<1, 32>>>(whole);
  cudaDeviceSynchronize();
  expect("rounded to TF32", d[17] == 8.0f + 0x1p-7f, true);
  expect("saturated", whole[99], 2147483647);
  count_elements<<<1, 32>>>(whole);
  cudaDeviceSynchronize();
  expect("elements of bf16", whole[0], 8);
  expect("elements of bytes, 16x8", whole[1], 4);
  expect("elements of tf32", whole[2], 4);
  expect("elements of double", whole[3], 1);
  expect("elements of a sum of doubles", whole[4], 2);
  cudaFree(d);
  cudaFree(whole);
}

int main() {
  check_layouts<16, 16, 16, __nv_bfloat16, float>("bf16 16x16x16");
  check_layouts<32, 8, 16, __nv_bfloat16, float>("bf16 32x8x16");
  check_layouts<8, 32, 16, __nv_bfloat16, float>("bf16 8x32x16");
  check_layouts<16, 16, 8, tf32, float>("tf32 16x16x8");
  check_layouts<16, 16, 16, signed char, int>("signed char 16x16x16");
  check_layouts<32, 8, 16, signed char, int>("signed char 32x8x16");
  check_layouts<8, 32, 16, unsigned char, int>("unsigned char 8x32x16");
  check_layouts<16, 16, 16, unsigned char, int>("unsigned char 16x16x16");
  check_layouts<8, 8, 4, double, double>("double 8x8x4");
  check_special();
  return report();
}
