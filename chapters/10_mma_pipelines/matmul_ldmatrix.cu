#include "10_mma_pipelines/matmul_ldmatrix.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/block_product.cuh"
#include "tut/ptx/ldmatrix.cuh"

namespace tut::ch10 {
namespace {

using ch09::PAD;
using namespace block_product;

/// Padded tiles, from which ldmatrix deals out the elements; without padding where PADDING is 0.
template <class T, int PADDING>
struct PaddedTiles {
  alignas(16) T a[BM][BK + PADDING];  // (row, k)
  alignas(16) T b[BK][BN + PADDING];  // (k, col)

  __device__ void stage(MatrixView<const T> from_a, MatrixView<const T> from_b, int row0, int col0,
                        int k0) {
    ch09::stage_tile<THREADS, BK>(from_a, row0, k0, ch09::is_float4_accessible(from_a), a);
    ch09::stage_tile<THREADS, BN>(from_b, k0, col0, ch09::is_float4_accessible(from_b), b);
    __syncthreads();
  }

  //! [load]
  __device__ void load_a(unsigned (&part)[4], int row, int k) const {
    const int lane = lane_of_thread();
    ptx::ldmatrix_x4(part, &a[row + lane % 16][k + lane / 16 * 8]);
  }

  __device__ void load_b(unsigned (&parts)[2][2], int k, int col) const {
    const int lane = lane_of_thread();
    unsigned four[4];
    ptx::ldmatrix_x4_trans(four, &b[k + lane % 16][col + lane / 16 * 8]);
    parts[0][0] = four[0];  // k to k + 7, the first 8 columns
    parts[0][1] = four[1];  // k + 8 to k + 15
    parts[1][0] = four[2];  // the same of the next 8 columns
    parts[1][1] = four[3];
  }
  //! [load]
};

}  // namespace

void matmul_ldmatrix(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                     cudaStream_t stream) {
  launch<PaddedTiles<__half, PAD>>("matmul_ldmatrix", a, b, c, stream);
}

void matmul_ldmatrix(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                     MatrixView<float> c, cudaStream_t stream) {
  launch<PaddedTiles<__nv_bfloat16, PAD>>("matmul_ldmatrix", a, b, c, stream);
}

void matmul_ldmatrix_unpadded(MatrixView<const __half> a, MatrixView<const __half> b,
                              MatrixView<float> c, cudaStream_t stream) {
  launch<PaddedTiles<__half, 0>>("matmul_ldmatrix_unpadded", a, b, c, stream);
}

void matmul_ldmatrix_unpadded(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                              MatrixView<float> c, cudaStream_t stream) {
  launch<PaddedTiles<__nv_bfloat16, 0>>("matmul_ldmatrix_unpadded", a, b, c, stream);
}

}  // namespace tut::ch10
