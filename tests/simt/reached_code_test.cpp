// What a kernel may reach where no name leads to it: it runs on fibers if a thread may wait there.
#include <doctest/doctest.h>

#include <string>

#include "passes/rewrite.hpp"

namespace {

/// May a thread of the only kernel wait for another? Its body is `to[threadIdx.x] = VALUE`.
bool waits(const std::string& before, const std::string& value) {
  const std::string source = "# 1 \"kernel.cu\"\n" + before +
                             "\n__global__ void k(int* to) {\nto[threadIdx.x] = " + value +
                             ";\n}\n";
  const simt::rewrite::Result result = simt::rewrite::rewrite(source, "", {});
  REQUIRE(result.errors.empty());
  REQUIRE(result.kernels.size() == 1);
  return result.kernels[0].waits;
}

std::string lambda(const std::string& value) { return "[](int x) { return " + value + "; }"; }

const std::string kShuffle = "__shfl_xor_sync(~0u, x, 1)";

}  // namespace

TEST_CASE("reached: what a pointer or an object may lead to, wherever it was made") {
  for (const std::string& declared :
       {std::string("__device__ int (*f)(int) = "), std::string("constexpr auto f = "),
        std::string("__device__ auto f = ")}) {
    CHECK(waits(declared + lambda(kShuffle) + ";", "f(3)"));
    CHECK_FALSE(waits(declared + lambda("x + 1") + ";", "f(3)"));
  }
  const auto member = [](const std::string& value) {
    return "struct S { static constexpr int (*table[])(int) = {" + lambda(value) + "}; };";
  };
  CHECK(waits(member(kShuffle), "S::table[0](3)"));
  CHECK_FALSE(waits(member("x"), "S::table[0](3)"));
  const auto another = [](const std::string& value) {
    return "__device__ int (*f)(int);\n__device__ void set() { f = " + lambda(value) + "; }";
  };
  CHECK(waits(another(kShuffle), "f(3)"));
  CHECK_FALSE(waits(another("x"), "f(3)"));
}

TEST_CASE("reached: classes' code that runs unnamed, and members by their names") {
  const auto own = [](const std::string& head, const std::string& value) {
    return "struct S { int x; __device__ " + head + " { return " + value + "; } };";
  };
  CHECK(waits(own("operator int() const", kShuffle), "S{3}"));
  CHECK_FALSE(waits(own("operator int() const", "x"), "S{3}"));
  // What a range-based for calls, and templates of libraries.
  CHECK(waits(own("int begin() const", kShuffle), "0"));
  CHECK_FALSE(waits(own("int begin() const", "x"), "0"));
  CHECK(waits(own("int meet() const", kShuffle), "S{3}.meet()"));
  CHECK_FALSE(waits(own("int meet() const", kShuffle), "S{3}.x"));
  CHECK(waits("struct S { int x; __device__ S(int x) : x(" + kShuffle + ") {} };", "1"));
  CHECK_FALSE(waits("struct S { int x; __device__ S(int x) : x(x) {} };", "1"));
  // A type that leads to a call is none.
  CHECK_FALSE(
      waits("namespace cg = cooperative_groups; struct S { cg::thread_block block; };", "1"));
}

TEST_CASE("reached: functions whose heads hold braces, lambdas or no parameters") {
  const auto constrained = [](const std::string& before, const std::string& behind,
                              const std::string& value) {
    return "template <class T> " + before + " __device__ T f(T x) " + behind + " { return " +
           value + "; }";
  };
  for (const std::string& clause :
       {std::string("requires requires { x + x; }"),
        std::string("requires std::is_integral_v<T> && requires(T z) { {z * z}; }"),
        std::string("requires (sizeof(T) == 4)")}) {
    CHECK(waits(constrained("", clause, kShuffle), "f(3)"));
    CHECK_FALSE(waits(constrained("", clause, "x"), "f(3)"));
  }
  CHECK(waits(constrained("requires requires(T y) { y + y; }", "", kShuffle), "f(3)"));
  const auto given = [](const std::string& value) {
    return "template <auto L = " + lambda(value) + "> __device__ int f(int x) { return L(x); }";
  };
  CHECK(waits(given(kShuffle), "f<>(3)"));
  CHECK_FALSE(waits(given("x"), "f<>(3)"));
  CHECK(waits("using F = int(int);\n__device__ F f;", "f(3)"));
  CHECK_FALSE(
      waits("using F = int(int);\n__device__ F f;\n__device__ int f(int x) { return x; }", "f(3)"));
}

TEST_CASE("reached: a function whose template's header holds a call has no form for a block") {
  const auto splits = [](const std::string& head) {
    const std::string source = "# 1 \"kernel.cu\"\ntemplate <" + head +
                               "> __device__ int f(int x) { return __shfl_xor_sync(~0u, x, 1); }\n"
                               "__global__ void k(int* to) { to[threadIdx.x] = f<>(3); }\n";
    return simt::rewrite::rewrite(source, "", {}).kernels.at(0).split;
  };
  CHECK(splits("int N = 3"));
  CHECK_FALSE(splits("auto L = " + lambda(kShuffle)));
}
