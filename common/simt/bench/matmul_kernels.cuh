/// \file
/// The kernels, as a learner would write them: compiled twice, see CMakeLists.txt.
#pragma once

#include "matmul.hpp"

namespace {

__global__ void matmul_naive_kernel(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

template <int TILE>
__global__ void matmul_tiled_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[TILE][TILE];  // (row, k)
  __shared__ float b_tile[TILE][TILE];  // (k, col)
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += TILE) {
    a_tile[ty][tx] = a[row * n + k0 + tx];
    b_tile[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

void matmul_naive(const float* a, const float* b, float* c, int n) {
  matmul_naive_kernel<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}

template <int TILE>
void matmul_tiled(const float* a, const float* b, float* c, int n) {
  matmul_tiled_kernel<TILE><<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
}

}  // namespace
