#include "matmul_kernels.cuh"

const simt_bench::Products simt_bench::fiber_products = {matmul_naive, matmul_tiled<16>,
                                                         matmul_tiled<32>};
