#include "07_register_tiling/matmul_tuned.hpp"

#include "07_register_tiling/tuned_kernel.cuh"

namespace tut::ch07 {
namespace {

//! [chosen]
// The tiles of compute capability 9.0. Put here what `ch07_tune` finds best on your GPU.
using Chosen = Tiling<128, 128, 8, 8, 16, 4>;  // BM, BN, BK, TM, TN, STAGES
//! [chosen]

}  // namespace

void matmul_tuned(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                  cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  if (tiles_fit_exactly(a, b, c, Chosen::BM, Chosen::BN, Chosen::BK)) {
    launch_tuned<Chosen, true>(a, b, c, stream);
  } else {
    launch_tuned<Chosen, false>(a, b, c, stream);
  }
}

}  // namespace tut::ch07
