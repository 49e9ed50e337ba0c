// The steps of this chapter beside the tiled product of chapter 05 and cuBLAS, FP32 throughout.

#include "tut/bench/bench.hpp"

#include <vector>

#include "07_register_tiling/steps.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas_matmul.hpp"

namespace tut::ch07 {
namespace {

const BenchRows rows_of_chapter([] {
  std::vector<MatmulRival<float, float>> matmuls;
  for (const Step& step : steps) matmuls.push_back({.name = step.name, .run = step.matmul});
  matmuls.push_back({.name = "cublasSgemm", .run = cublas_matmul, .rival = true});
  add_matmul_benchmarks(
      matmuls, on_cpu_backend ? std::vector<MatmulShape>{{256, 256, 256}, {512, 512, 512}}
                              : std::vector<MatmulShape>{{4096, 4096, 4096}, {8192, 8192, 8192}});
});

}  // namespace
}  // namespace tut::ch07
