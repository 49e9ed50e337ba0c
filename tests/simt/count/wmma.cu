// Fragments: what nvcc makes of them. A factor in half is read from shared memory as ldmatrix reads
// it, from global memory in words of which a request takes 16 bytes of each of 8 rows.
#include <mma.h>

namespace wmma = nvcuda::wmma;

// clang-format off
// From global memory a request touches 8 sectors and uses half of each.
__global__ void from_global(const half* a, const half* b, float* c, int stride) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a_part;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b_part;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(a_part, a, stride);  // counts: global_load requests=4 sectors=32 bytes_ideal=512
  wmma::load_matrix_sync(b_part, b, stride);  // counts: global_load requests=4 sectors=32 bytes_ideal=512
  wmma::mma_sync(sum, a_part, b_part, sum);
  wmma::store_matrix_sync(c, sum, stride, wmma::mem_row_major);  // counts: global_store requests=4 sectors=32 bytes_ideal=1024
}

// Rows of 64 bytes: every second one begins in the same bank, and 8 rows of 16 bytes take 4 passes.
__global__ void unpadded(float* c) {
  __shared__ alignas(32) half tile[16 * 32];
  __shared__ alignas(32) float sums[16 * 16];
  for (int i = threadIdx.x; i < 16 * 32; i += 32) tile[i] = __float2half(0.5f);  // counts: shared_store requests=16 wavefronts=16
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a_part;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b_part;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(a_part, tile, 32);  // counts: shared_load requests=1 wavefronts=16 bank_conflicts=12 worst_conflict_ways=4
  wmma::load_matrix_sync(b_part, tile, 32);  // counts: shared_load requests=1 wavefronts=16 bank_conflicts=12 worst_conflict_ways=4
  wmma::mma_sync(sum, a_part, b_part, sum);
  wmma::store_matrix_sync(sums, sum, 16, wmma::mem_row_major);  // counts: shared_store requests=4 wavefronts=16 bank_conflicts=8
  __syncwarp();
  c[threadIdx.x] = sums[threadIdx.x];  // counts: shared_load requests=1 wavefronts=1; global_store requests=1
}

// Rows of 80 bytes: 8 rows of 16 bytes lie in 32 banks.
__global__ void padded() {
  __shared__ alignas(32) half tile[16 * 40];
  for (int i = threadIdx.x; i < 16 * 40; i += 32) tile[i] = __float2half(0.5f);  // counts: shared_store requests=20 wavefronts=20
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a_part;
  wmma::load_matrix_sync(a_part, tile, 40);  // counts: shared_load requests=1 wavefronts=4 bank_conflicts=0
}

// Not 16 bits wide, or not half: four words of each of 8 lines at a time, a pass for each.
__global__ void bfloat16() {
  __shared__ alignas(32) __nv_bfloat16 tile[16 * 40];
  for (int i = threadIdx.x; i < 16 * 40; i += 32) tile[i] = __float2bfloat16(0.5f);  // counts: shared_store requests=20 wavefronts=20
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a_part;
  wmma::load_matrix_sync(a_part, tile, 40);  // counts: shared_load requests=4 wavefronts=4 bank_conflicts=0
}

// TF32: eight rows or columns by four in k. If k counts the lines, four of them are read at a time.
__global__ void tf32() {
  __shared__ alignas(32) float tile[16 * 36];
  for (int i = threadIdx.x; i < 16 * 36; i += 32) tile[i] = 0.5f;  // counts: shared_store requests=18 wavefronts=18
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a_rows;
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::col_major> a_columns;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b_rows;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b_columns;
  wmma::load_matrix_sync(a_rows, tile, 36);  // counts: shared_load requests=4 wavefronts=4 bank_conflicts=0
  wmma::load_matrix_sync(b_columns, tile, 36);  // counts: shared_load requests=4 wavefronts=4 bank_conflicts=0
  wmma::load_matrix_sync(a_columns, tile, 24);  // counts: shared_load requests=4 wavefronts=4 bank_conflicts=0
  wmma::load_matrix_sync(b_rows, tile, 24);  // counts: shared_load requests=4 wavefronts=4 bank_conflicts=0
  wmma::load_matrix_sync(b_rows, tile, 20);  // counts: shared_load requests=4 wavefronts=8 bank_conflicts=4 worst_conflict_ways=2
}

int main() {
  constexpr int stride = 64;
  half* factors = nullptr;
  float* c = nullptr;
  cudaMalloc(&factors, 16 * stride * sizeof(half));
  cudaMalloc(&c, 16 * stride * sizeof(float));
  cudaMemset(factors, 0, 16 * stride * sizeof(half));
  from_global<<<1, 32>>>(factors, factors, c, stride);
  unpadded<<<1, 32>>>(c);
  padded<<<1, 32>>>();
  bfloat16<<<1, 32>>>();
  tf32<<<1, 32>>>();
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(factors);
  cudaFree(c);
  return ok ? 0 : 1;
}
