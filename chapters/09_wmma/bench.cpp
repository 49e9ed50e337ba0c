// The products of this chapter beside cublasGemmEx in the same precision, and cublasSgemm in FP32.

#include "tut/bench/bench.hpp"

#include <string>
#include <type_traits>
#include <vector>

#include "09_wmma/matmul_wmma.hpp"
#include "09_wmma/matmul_wmma_staged.hpp"
#include "09_wmma/matmul_wmma_tiled.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas_gemm_ex.hpp"
#include "tut/device/cublas_matmul.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/numeric/precision_cuda.hpp"

namespace tut::ch09 {
namespace {

template <class T>
using Matmul = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<float>, cudaStream_t);

/// The ladder of T: its products, cuBLAS in the same precision, and cuBLAS in FP32.
template <class T>
void add_ladder(const std::vector<MatmulShape>& shapes) {
  const std::string ladder = std::is_same_v<T, __half> ? "half" : "bfloat16";
  const std::vector<MatmulRival<T, float>> rivals = {
      {.name = "matmul_wmma", .run = static_cast<Matmul<T>>(matmul_wmma)},
      {.name = "matmul_wmma_staged", .run = static_cast<Matmul<T>>(matmul_wmma_staged)},
      {.name = "matmul_wmma_two_stages", .run = static_cast<Matmul<T>>(matmul_wmma_two_stages)},
      {.name = "matmul_wmma_tiled", .run = static_cast<Matmul<T>>(matmul_wmma_tiled)},
      {.name = "cublasGemmEx", .run = cublas_gemm_ex<T>, .rival = true}};
  add_matmul_benchmarks(rivals, shapes, ladder);
  add_matmul_benchmarks<float, float>(
      {{.name = "cublasSgemm in FP32", .run = cublas_matmul, .rival = true}}, shapes, ladder);
}

const BenchRows rows_of_chapter([] {
  const auto shapes = on_cpu_backend
                          ? std::vector<MatmulShape>{{256, 256, 256}, {512, 512, 512}}
                          : std::vector<MatmulShape>{{4096, 4096, 4096}, {8192, 8192, 8192}};
  add_ladder<__half>(shapes);
  if (compute_capability() >= least_capability<__nv_bfloat16>) add_ladder<__nv_bfloat16>(shapes);
});

}  // namespace
}  // namespace tut::ch09
