#include "10_mma_pipelines/matmul_mma.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/block_product.cuh"

namespace tut::ch10 {
namespace {

using ch09::PAD;
using namespace block_product;

//! [pairs]
/// Two neighbours of a row in one register, the first in its lower half.
template <class T>
__device__ unsigned pair(const T* from) {
  return *reinterpret_cast<const unsigned*>(from);
}

/// Two elements that are no neighbours.
template <class T>
__device__ unsigned joined(const T& lower, const T& upper) {
  const auto bits = [](const T& x) -> unsigned {
    return *reinterpret_cast<const unsigned short*>(&x);
  };
  return bits(lower) | bits(upper) << 16;
}
//! [pairs]

//! [tiles]
/// Padded tiles, from which each lane picks its elements.
template <class T>
struct TilesByHand {
  alignas(16) T a[BM][BK + PAD];  // (row, k)
  alignas(16) T b[BK][BN + PAD];  // (k, col)

  __device__ void stage(MatrixView<const T> from_a, MatrixView<const T> from_b, int row0, int col0,
                        int k0) {
    ch09::stage_tile<THREADS, BK>(from_a, row0, k0, ch09::is_float4_accessible(from_a), a);
    ch09::stage_tile<THREADS, BN>(from_b, k0, col0, ch09::is_float4_accessible(from_b), b);
    __syncthreads();
  }

  __device__ void load_a(unsigned (&part)[4], int row, int k) const {
    const int g = lane_of_thread() / 4, t = lane_of_thread() % 4;
    part[0] = pair(&a[row + g][k + 2 * t]);
    part[1] = pair(&a[row + g + 8][k + 2 * t]);
    part[2] = pair(&a[row + g][k + 2 * t + 8]);
    part[3] = pair(&a[row + g + 8][k + 2 * t + 8]);
  }

  __device__ void load_b(unsigned (&parts)[2][2], int k, int col) const {
    const int g = lane_of_thread() / 4, t = lane_of_thread() % 4;
    for (int j = 0; j < 2; ++j) {
      const int c = col + 8 * j + g;
      parts[j][0] = joined(b[k + 2 * t][c], b[k + 2 * t + 1][c]);
      parts[j][1] = joined(b[k + 2 * t + 8][c], b[k + 2 * t + 9][c]);
    }
  }
};
//! [tiles]

}  // namespace

void matmul_mma(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                cudaStream_t stream) {
  launch<TilesByHand<__half>>("matmul_mma", a, b, c, stream);
}

void matmul_mma(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                MatrixView<float> c, cudaStream_t stream) {
  launch<TilesByHand<__nv_bfloat16>>("matmul_mma", a, b, c, stream);
}

}  // namespace tut::ch10
