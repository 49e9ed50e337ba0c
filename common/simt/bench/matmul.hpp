/// \file
/// The three matrix products that the backend is measured with. Square row-major device matrices of
/// n x n floats, n a multiple of 32; C = AB on the default stream.
#pragma once

namespace simt_bench {

using Matmul = void (*)(const float* a, const float* b, float* c, int n);

struct Products {
  Matmul naive;     ///< a thread per element, blocks of 16 x 16
  Matmul tiled_16;  ///< through shared tiles of 16 x 16
  Matmul tiled_32;  ///< through shared tiles of 32 x 32
};

extern const Products split_products;  ///< compiled as cucc does by default
extern const Products fiber_products;  ///< compiled with CUCC_SPLIT=off

}  // namespace simt_bench
