#include "02_fast_cpu_matmul/gemm_blocks.hpp"

namespace tut::ch02 {

// 16 registers of 4 lanes: 12 sums, 2 vectors of B, 1 of A. The products are no multiply-adds.
using BaselineTile = Tile<6, 2, 4>;

extern const Gemm gemm_baseline;
const Gemm gemm_baseline = {Simd::baseline,
                            "baseline",
                            BaselineTile::rows,
                            BaselineTile::cols,
                            {.rows = 192, .cols = 4096, .depth = 384},
                            multiply_as_worker<BaselineTile>};

}  // namespace tut::ch02
