// What the phases of a split kernel are made of, where that decides how fast they are.
#include <doctest/doctest.h>

#include <string>

#include "passes/rewrite.hpp"

namespace {

/// A kernel with this body, behind other declarations, rewritten.
std::string phases(const std::string& body, const std::string& before = "") {
  const std::string source = "# 1 \"kernel.cu\"\n" + before +
                             "__global__ void k(const float* in, float* out, int n) {\n" + body +
                             "\n}\n";
  const simt::rewrite::Result result = simt::rewrite::rewrite(source, "", {});
  REQUIRE(result.errors.empty());
  REQUIRE(result.text.find("run_blocks(") != std::string::npos);
  return result.text;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE("phases: an array that a phase only declares is not copied there") {
  const std::string later = "__syncthreads();\nfor (int i = 0; i < 4; ++i) out[i] += sums[i];";
  const auto copies = [&](const std::string& first) {
    return count(phases(first + later), "::simt::CarriedArray<");
  };
  CHECK(copies("float sums[4] = {};\n") == 1);
  CHECK(copies("float sums[4] = {};\nconst float x = in[threadIdx.x];\nout[0] = x;\n") == 1);
  // Something in the same phase uses it: by name, in a loop, or in a lambda.
  CHECK(copies("float sums[4] = {};\nsums[threadIdx.x % 4] = in[0];\n") == 2);
  CHECK(copies("float sums[4];\nfor (int i = 0; i < 4; ++i) sums[i] = in[i];\n") == 2);
  CHECK(copies("float sums[4] = {};\nconst auto set = [&](int i) { sums[i] = 1; };\nset(2);\n") >=
        2);
}

TEST_CASE("phases: a guarded store by a thread's own pointer runs thread by thread") {
  const auto one_by_one = [](const std::string& statement) {
    return count(phases("float* to = out;\nto += 5 * threadIdx.x;\nfloat x = in[threadIdx.x];\n"
                        "__syncthreads();\n" +
                        statement + "\n__syncthreads();\nx += 1; to[4] = x;"),
                 "::simt::for_each_lane(");
  };
  CHECK(one_by_one("if (threadIdx.x % 8 == 0) to[2] = x;") == 1);
  CHECK(one_by_one("if (threadIdx.x % 8 == 0) { to[n] = x; }") == 1);
  // Neighbours write neighbours, all write, or there is more to it.
  CHECK(one_by_one("if (threadIdx.x % 8 == 0) out[threadIdx.x] = x;") == 0);
  CHECK(one_by_one("if (threadIdx.x % 8 == 0) to[threadIdx.x] = x;") == 0);
  CHECK(one_by_one("to[2] = x;") == 0);
  CHECK(count(phases("float* to = out + threadIdx.x;\nfloat x = in[threadIdx.x];\n"
                     "__syncthreads();\nif (threadIdx.x > 3) to[0] = x;\n__syncthreads();"),
              "::simt::for_each_lane(") == 0);
  CHECK(one_by_one("if (threadIdx.x % 8 == 0) to[2] = x; else to[3] = x;") == 0);
}

TEST_CASE("phases: what a function's parameter is converted from may have another type") {
  const auto with = [](const std::string& head, const std::string& type) {
    const std::string source = "# 1 \"kernel.cu\"\ntemplate <" + head +
                               ">\n__device__ float next(" + type +
                               " lane, float (&x)[4]) { return __shfl_sync(~0u, x[1], lane); }\n"
                               "__global__ void k(float* out) {\nfloat x[4] = {};\n"
                               "out[threadIdx.x] = next(blockDim.x % 32, x);\n}\n";
    const simt::rewrite::Result result = simt::rewrite::rewrite(source, "", {});
    REQUIRE(result.errors.empty());
    return count(result.text, "const auto& simt_given_lane");
  };
  CHECK(with("int N", "int") == 1);
  CHECK(with("unsigned N, class T = int, int M", "unsigned") == 1);
  // The arguments decide what these parameters are.
  CHECK(with("class T", "T") == 0);
  CHECK(with("int N, class T = int", "const T") == 0);
  CHECK(with("class Int, int N = 2", "Int") == 0);
}

TEST_CASE("phases: a function that asks which thread runs it is told in the phases that reach it") {
  const std::string asks = "__device__ int own() { return threadIdx.x; }\n";
  const std::string others =
      "out[threadIdx.x] = n;\n__syncthreads();\nout[threadIdx.x] += in[0];\n__syncthreads();\n";
  const auto told = [&](const std::string& body, const std::string& more = "") {
    const std::string text = phases(others + body, asks + more);
    const int one_by_one = count(text, "::simt::for_each_lane(");
    CHECK(one_by_one == count(text, "simt_block.enter(threadIdx)"));
    return one_by_one;
  };
  CHECK(told("out[threadIdx.x] = 1;") == 0);
  CHECK(told("out[own()] = 1;") == 1);
  CHECK(told("out[via()] = 1;", "__device__ int via() { return own(); }\n") == 1);
  CHECK(told("const int i = own();\n__syncthreads();\nout[i] = 1;") == 1);
  CHECK(told("if (n < 0) __assert_fail(\"n\", \"f\", 1, \"k\");") == 1);
  // What may be called by another name tells everywhere.
  CHECK(told("const auto f = [&](int i) { return i + own(); };\nout[f(1)] = 1;") == 3);
  CHECK(told("struct Own { int at() { return own(); } };\nout[Own().at()] = 1;") == 3);
  CHECK(told("out[threadIdx.x] = 1;", "struct A { int i; __device__ A() : i(own()) {} };\n") == 3);
  CHECK(told("A a;\n__syncthreads();\nout[a.i] = 1;",
             "struct A { int i; __device__ A() : i(own()) {} };\n") == 4);
  CHECK(told("const auto f = [&](int i) { return i + n; };\nout[f(own())] = 1;") == 1);
}

TEST_CASE("phases: what a type of the template's is matters where a variable is converted") {
  const auto asks = [](const std::string& conversion) {
    const std::string source =
        "# 1 \"kernel.cu\"\ntemplate <class T> __global__ void k(const float* in, T* out) {\n"
        "__shared__ float s[64];\nfloat x = in[threadIdx.x];\nfloat a[2] = {x, x};\n"
        "s[threadIdx.x] = x;\n__syncthreads();\nout[threadIdx.x] = " +
        conversion + ";\n__syncthreads();\nout[0] = out[int(x + a[0])];\n}\n";
    const std::string text = simt::rewrite::rewrite(source, "", {}).text;
    REQUIRE(text.find("run_blocks(") != std::string::npos);
    return text.find("kIsSplitValue<") != std::string::npos;
  };
  for (const std::string of : {"x", "(x)", "a[1]", "in[0] > 0 ? x : 2", "x += 1", "++x"}) {
    CHECK(asks("static_cast<T>(" + of + ")"));
    CHECK(asks("T(" + of + ")"));
  }
  for (const std::string of : {"s[63 - threadIdx.x]", "in[int(x)]", "x + 1", "1.0f", "-x"}) {
    CHECK_FALSE(asks("static_cast<T>(" + of + ")"));
    CHECK_FALSE(asks("T(" + of + ")"));
  }
}
