#include "02_fast_cpu_matmul/gemm_blocks.hpp"

namespace tut::ch02 {

// 32 registers of 16 lanes: 24 sums, 4 vectors of B, 1 of A. Wide and low rather than square: each
// element of A is broadcast once for 4 multiply-adds.
using Avx512Tile = Tile<6, 4, 16>;

extern const Gemm gemm_avx512;
const Gemm gemm_avx512 = {Simd::avx512,
                          "avx512",
                          Avx512Tile::rows,
                          Avx512Tile::cols,
                          {.rows = 192, .cols = 4096, .depth = 700},
                          multiply_as_worker<Avx512Tile>};

}  // namespace tut::ch02
