#include "02_fast_cpu_matmul/matmul_packed.hpp"

#include "02_fast_cpu_matmul/gemm.hpp"

namespace tut::ch02 {

void matmul_packed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  static const Simd simd = best_simd();
  run_gemm(simd, find_gemm(simd)->blocking, 1, a, b, c);
}

}  // namespace tut::ch02
