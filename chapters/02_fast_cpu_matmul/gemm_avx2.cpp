#include "02_fast_cpu_matmul/gemm_blocks.hpp"

namespace tut::ch02 {

// 16 registers of 8 lanes: 12 sums, 2 vectors of B, 1 of A.
using Avx2Tile = Tile<6, 2, 8>;

extern const Gemm gemm_avx2;
const Gemm gemm_avx2 = {Simd::avx2,
                        "avx2",
                        Avx2Tile::rows,
                        Avx2Tile::cols,
                        {.rows = 120, .cols = 4096, .depth = 700},
                        multiply_as_worker<Avx2Tile>};

}  // namespace tut::ch02
