#include "10_mma_pipelines/matmul_swizzled.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/block_product.cuh"
#include "10_mma_pipelines/swizzled_tile.cuh"

namespace tut::ch10 {
namespace {

using namespace block_product;

//! [tiles]
/// Tiles without padding, whose chunks change places.
template <class T>
struct SwizzledTiles {
  alignas(128) T a[BM * BK];  // (row, k), swizzled
  alignas(128) T b[BK * BN];  // (k, col), swizzled

  __device__ void stage(MatrixView<const T> from_a, MatrixView<const T> from_b, int row0, int col0,
                        int k0) {
    copy_tile<THREADS, BM, BK>(from_a, row0, k0, ch09::is_float4_accessible(from_a), a);
    copy_tile<THREADS, BK, BN>(from_b, k0, col0, ch09::is_float4_accessible(from_b), b);
    ptx::cp_async_wait_all();  // this thread's copies; the barrier is for those of the others
    __syncthreads();
  }

  __device__ void load_a(unsigned (&part)[4], int row, int k) const {
    ch10::load_a<BK>(part, a, row, k);
  }
  __device__ void load_b(unsigned (&parts)[2][2], int k, int col) const {
    ch10::load_b<BN>(parts, b, k, col);
  }
};
//! [tiles]

}  // namespace

void matmul_swizzled(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                     cudaStream_t stream) {
  launch<SwizzledTiles<__half>>("matmul_swizzled", a, b, c, stream);
}

void matmul_swizzled(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                     MatrixView<float> c, cudaStream_t stream) {
  launch<SwizzledTiles<__nv_bfloat16>>("matmul_swizzled", a, b, c, stream);
}

}  // namespace tut::ch10
