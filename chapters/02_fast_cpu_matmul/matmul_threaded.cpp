#include "02_fast_cpu_matmul/matmul_threaded.hpp"

#include <algorithm>
#include <thread>

#include "02_fast_cpu_matmul/gemm.hpp"

namespace tut::ch02 {

void matmul_threaded(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  static const Simd simd = best_simd();
  static const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  run_gemm(simd, find_gemm(simd)->blocking, cores, a, b, c);
}

}  // namespace tut::ch02
