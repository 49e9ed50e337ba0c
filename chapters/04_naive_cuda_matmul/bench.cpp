// The two naive products beside cuBLAS.

#include "tut/bench/bench.hpp"

#include <vector>

#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "04_naive_cuda_matmul/matmul_uncoalesced.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas_matmul.hpp"

namespace tut::ch04 {
namespace {

const BenchRows rows_of_chapter([] {
  const std::vector<MatmulRival<float, float>> rivals = {
      {.name = "matmul_uncoalesced", .run = matmul_uncoalesced},
      {.name = "matmul_coalesced", .run = matmul_coalesced},
      {.name = "cublasSgemm", .run = cublas_matmul, .rival = true},
  };
  add_matmul_benchmarks(rivals, on_cpu_backend
                                    ? std::vector<MatmulShape>{{64, 64, 64}, {256, 256, 256}}
                                    : std::vector<MatmulShape>{
                                          {256, 256, 256}, {1024, 1024, 1024}, {4096, 4096, 4096}});
});

}  // namespace
}  // namespace tut::ch04
