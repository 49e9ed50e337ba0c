#include "learn/core/submission.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tut::learn;

namespace {

const char* kOwn = R"(
0000000000000324 T tut::ch05::matmul_padded(tut::MatrixView<float const>, CUstream_st*)
0000000000000010 T tut::ch05::tile_kernel(float*)
0000000000000020 T helper(int)
0000000000000000 B table
0000000000000000 W void tut::require_matrix<float const>(tut::MatrixView<float const> const&)
0000000000000000 W tut::CudaError::~CudaError()
0000000000000000 V typeinfo for tut::CudaError
                 U simt::configure(dim3, dim3, unsigned long, CUstream_st*)
                 U tut::ch05::tile_width(int)
                 U std::runtime_error::what() const
                 U cudaGetLastError
)";

std::vector<std::string> wrong(const std::string& nm_output) {
  return foreign_symbols(parse_symbols(nm_output), 5, "x = tile_width(3);",
                         {"doctest::Context::run", "tut::compare", "tut::expect"});
}

std::string only(const std::string& nm_output) {
  const std::vector<std::string> lines = wrong(nm_output);
  REQUIRE(lines.size() == 1);
  return lines[0];
}

}  // namespace

TEST_CASE("a file of the learner's own code has nothing foreign") { CHECK(wrong(kOwn).empty()); }

TEST_CASE("calls of what the course has compiled are named, but for those of the solution") {
  CHECK(only("                 U tut::ch05::matmul_tiled(tut::MatrixView<float const>)\n") ==
        "it calls tut::ch05::matmul_tiled; expected code of its own that does this work");
  CHECK(only("                 U tut::Outcome tut::judge<float>(int)\n")
            .starts_with("it calls tut::judge<float>;"));
  CHECK(only("                 U cublasSgemm_v2\n").starts_with("it calls cublasSgemm_v2;"));
  CHECK(only("                 U cblas_sgemm\n").starts_with("it calls cblas_sgemm;"));
}

TEST_CASE("definitions that stand in for the test's, the system's or the language's are named") {
  CHECK(
      only("0000000000000000 T tut::expect(tut::Outcome const&, std::source_location const&)\n") ==
      "it defines tut::expect, which is not the exercise's; expected names of its own");
  // Weak, it would still be found before the library's.
  CHECK(only("0000000000000000 W tut::compare(int)\n").starts_with("it defines tut::compare,"));
  CHECK(only("0000000000000000 T tut::ch06::total(float const*)\n")
            .starts_with("it defines tut::ch06::total,"));
  CHECK(only("0000000000000000 T operator new(unsigned long)\n")
            .starts_with("it defines operator new,"));
  CHECK(only("0000000000000000 T doctest::Context::run()\n").starts_with("it defines doctest::"));
  for (const char* name : {"main", "malloc", "memcmp", "_exit", "cudaMemcpyAsync"}) {
    CHECK(only("0000000000000000 T " + std::string(name) + "\n")
              .starts_with("it defines the C function " + std::string(name) + ","));
  }
}

TEST_CASE("files of the course that are not headers for all are named") {
  const auto files = [](const std::vector<std::string>& paths) {
    return foreign_files(paths, "/course", "exercises/05_tiling/matmul_padded.cu");
  };
  CHECK(files({"/course/exercises/05_tiling/matmul_padded.cu",
               "/course/chapters/05_tiling/matmul_padded.hpp",
               "/course/common/tut/errors/check.hpp", "/usr/include/c++/12/cmath"})
            .empty());
  CHECK(files({"/course/exercises/05_tiling/../../solutions/05_tiling/matmul_padded.cu"}) ==
        std::vector<std::string>{
            "it includes solutions/05_tiling/matmul_padded.cu; expected code of its own"});
  CHECK(files({"/course/chapters/05_tiling/matmul_tiled.cu"}).size() == 1);
  CHECK(files({"/course/tests/05_tiling/matmul_padded_test.cpp"}).size() == 1);
  CHECK(files({"/course/exercises/05_tiling/rotate_tiled.cu"}).size() == 1);
  CHECK(files({"/usr/include/eigen3/Eigen/Dense"}).size() == 1);
}
