// Which kernels are cut at their barriers, and which are left to fibers.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "rewrite.hpp"

namespace {

/// Is the only kernel of `source` run as phases?
bool is_split(const std::string& source) {
  const simt::rewrite::Result result =
      simt::rewrite::rewrite("# 1 \"kernel.cu\"\n" + source, "", {});
  REQUIRE(result.errors.empty());
  const bool phases = result.text.find("run_blocks(") != std::string::npos;
  const bool fibers = result.text.find("run_fibers(") != std::string::npos;
  const bool loop = result.text.find("run_loop") != std::string::npos;
  REQUIRE(phases + fibers + loop == 1);
  return phases;
}

std::string kernel(const std::string& body) {
  return "__global__ void k(const float* in, float* out, int n) {\n" + body + "\n}\n";
}

}  // namespace

TEST_CASE("kernels with uniform barriers are split") {
  CHECK(
      is_split(kernel("__shared__ float s[32]; s[threadIdx.x] = in[threadIdx.x];\n"
                      "__syncthreads();\nout[threadIdx.x] = s[31 - threadIdx.x];")));
  CHECK(
      is_split(kernel("float sum = 0;\nfor (int t = 0; t < n; ++t) {\n"
                      "  sum += in[t]; __syncthreads();\n}\nout[threadIdx.x] = sum;")));
  CHECK(
      is_split(kernel("for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n"
                      "  if (threadIdx.x < s) out[threadIdx.x] += out[threadIdx.x + s];\n"
                      "  __syncthreads();\n}")));
  CHECK(is_split(kernel("if (n > 3) { __syncthreads(); }\nout[threadIdx.x] = 1;")));
  CHECK(is_split(kernel("in += blockIdx.x * n;\n__syncthreads();\nout[threadIdx.x] = in[0];")));
  CHECK(is_split(kernel("const int i = threadIdx.x;\nif (i >= n) return;\nout[i] = in[i];")));
}

TEST_CASE("a kernel that changes its parameters is written as its compiler can read it") {
  const std::string source = "# 1 \"kernel.cu\"\n" + kernel("++out; out[threadIdx.x] = 1;");
  simt::rewrite::Options options;
  CHECK(simt::rewrite::rewrite(source, "", options).text.find(") mutable __attribute__") !=
        std::string::npos);
  options.clang = true;
  CHECK(simt::rewrite::rewrite(source, "", options).text.find("(always_inline)) mutable {") !=
        std::string::npos);
}

TEST_CASE("barriers that may differ between threads are left to fibers") {
  CHECK_FALSE(is_split(kernel("if (threadIdx.x < 16) { __syncthreads(); }\nout[0] = 1;")));
  CHECK_FALSE(
      is_split(kernel("int m = n;\nif (threadIdx.x > 3) m = 7;\n"
                      "for (int t = 0; t < m; ++t) { __syncthreads(); }")));
  CHECK_FALSE(is_split(kernel("for (int t = threadIdx.x; t < n; t += 32) { __syncthreads(); }")));
  CHECK_FALSE(is_split(kernel("const float x = in[0];\nif (x > 0) { __syncthreads(); }")));
  CHECK_FALSE(
      is_split(kernel("for (int t = 0; t < n; ++t) {\n"
                      "  if (in[t] < 0) break;\n  __syncthreads();\n}")));
  CHECK_FALSE(is_split(kernel("if (threadIdx.x >= n) return;\n__syncthreads();\nout[0] = 1;")));
  CHECK_FALSE(is_split(kernel("switch (n) { case 1: __syncthreads(); }")));
  CHECK_FALSE(is_split(kernel("do { __syncthreads(); } while (--n > 0);")));
}

TEST_CASE("a variable that another name may change is not taken for uniform") {
  CHECK_FALSE(
      is_split(kernel("int m = n;\nint* p = &m;\n*p += threadIdx.x;\n"
                      "for (int t = 0; t < m; ++t) { __syncthreads(); }")));
  CHECK_FALSE(is_split("__device__ void bump(int& x) { x += threadIdx.x; }\n" +
                       kernel("int m = n;\nbump(m);\n"
                              "for (int t = 0; t < m; ++t) { __syncthreads(); }")));
  CHECK_FALSE(
      is_split(kernel("int m = n;\nauto bump = [&](int& x) { x += threadIdx.x; };\n"
                      "bump(m);\nfor (int t = 0; t < m; ++t) { __syncthreads(); }")));
  CHECK_FALSE(
      is_split(kernel("int m = n;\nfor (int j = 0; j < (int)threadIdx.x; ++j) m++;\n"
                      "for (int t = 0; t < m; ++t) { __syncthreads(); }")));
  CHECK_FALSE(is_split("__device__ int limit;\n" +
                       kernel("for (int t = 0; t < limit; ++t) { __syncthreads(); }")));
}

TEST_CASE("other ways to wait are left to fibers") {
  CHECK_FALSE(is_split(kernel("out[threadIdx.x] = __shfl_down_sync(~0u, in[threadIdx.x], 1);")));
  CHECK_FALSE(is_split(kernel("__syncthreads();\n__syncwarp();\nout[0] = 1;")));
  CHECK_FALSE(is_split(kernel("out[0] = __syncthreads_count(n > 3);")));
  CHECK_FALSE(is_split("__device__ void meet() { __syncthreads(); }\n" + kernel("meet();")));
  CHECK_FALSE(is_split("__device__ void meet();\n" + kernel("meet(); out[0] = 1;")));
}

TEST_CASE("asynchronous copies keep no kernel from being split") {
  const std::string body =
      "__shared__ float s[2][32];\n"
      "__pipeline_memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, 4);\n__pipeline_commit();\n"
      "for (int t = 0; t < n; ++t) {\n"
      "  __pipeline_memcpy_async(&s[(t + 1) % 2][threadIdx.x], in + 32 * t + threadIdx.x, 4);\n"
      "  __pipeline_commit();\n  __pipeline_wait_prior(1);\n  __syncthreads();\n"
      "  out[threadIdx.x] += s[t % 2][31 - threadIdx.x];\n  __syncthreads();\n}\n";
  CHECK(is_split(kernel(body)));
  // libcu++'s objects may wait for other threads.
  CHECK_FALSE(is_split(kernel("auto pipe = cuda::make_pipeline();\n" + body)));
}

TEST_CASE("a name like one that waits decides nothing") {
  const std::string meet = "__syncthreads();\n";
  for (const std::string& n :
       std::vector<std::string>{"gamma_sum", "pipeline_depth", "barrier_height", "next_sync",
                                "wait", "sync", "pipeline", "barrier", "mean"}) {
    CAPTURE(n);
    const std::string function = "__device__ void mean(float* x) { __syncwarp(); }\n";
    CHECK(is_split(function + kernel("float " + n + " = in[threadIdx.x];\n" + meet +
                                     "out[threadIdx.x] = " + n + ";")));
    CHECK(is_split(function + kernel(meet + "for (int " + n + " = 0; " + n + " < n; ++" + n +
                                     ") out[threadIdx.x] += in[" + n + "];")));
    CHECK(is_split(function + "__global__ void f(int " + n +
                   ", float* out) {\n__syncthreads();\nout[threadIdx.x] = " + n + ";\n}"));
  }
  CHECK(is_split("__device__ int barrier_count(int n) { return n; }\n" +
                 kernel(meet + "out[threadIdx.x] = barrier_count(n);")));
  // A function of that name is another thing, and so is a variable outside its block.
  const std::string function = "__device__ int meet() { __syncthreads(); return 1; }\n";
  CHECK_FALSE(is_split(function + kernel("out[threadIdx.x] = meet();")));
  CHECK_FALSE(is_split(function + kernel("{ int meet = 2; out[0] = meet; }\n"
                                         "out[threadIdx.x] = meet();")));
  CHECK_FALSE(is_split(function + kernel("for (int meet = 0; meet < n; ++meet) out[meet] = 1;\n"
                                         "out[threadIdx.x] = meet();")));
  CHECK_FALSE(is_split(function + kernel("int meet = 2;\nout[threadIdx.x] = ::meet() + meet;")));
  CHECK_FALSE(is_split("struct Group { __device__ void sync() const { __syncwarp(); } };\n" +
                       kernel("Group g;\nint sync = 2;\ng.sync();\nout[0] = sync;")));
}

TEST_CASE("what cannot be carried over a barrier is left to fibers") {
  CHECK(is_split(kernel("auto x = in[threadIdx.x];\n__syncthreads();\nout[0] = x;")));
  CHECK_FALSE(
      is_split(kernel("float y = in[threadIdx.x];\nauto x = 2 * y;\n__syncthreads();\n"
                      "out[0] = x + y;")));
  CHECK_FALSE(is_split(kernel("float& x = out[threadIdx.x];\n__syncthreads();\nx = 1;")));
}

TEST_CASE("what is of no known form is left to fibers") {
  const std::string meet = "__syncthreads();\nout[threadIdx.x] = 1;";
  CHECK_FALSE(is_split(kernel("union { float f; int i; } u;\nu.f = in[0];\n" + meet)));
  CHECK_FALSE(is_split(kernel("struct P { int x; } p{3};\n" + meet)));
  CHECK_FALSE(is_split(kernel("auto [a, b] = make_float2(1, 2);\n" + meet)));
  CHECK_FALSE(is_split(kernel("static int calls;\n" + meet)));
  CHECK_FALSE(is_split(kernel("int x = 0;\ndecltype(x) y = 1;\n" + meet)));
  CHECK_FALSE(is_split(kernel("{ int n = 3; __syncthreads(); out[n] = 1; }")));
  CHECK(is_split(kernel("struct P { int x; };\nP p{3};\n" + meet + "\nout[p.x] = 2;")));
}

TEST_CASE("only what is known to be the same in all threads decides about barriers") {
  const auto loop = [](const std::string& limit) {
    return kernel("const int m = " + limit + ";\nfor (int t = 0; t < m; ++t) __syncthreads();");
  };
  CHECK(is_split(loop("n / 2 + 1")));
  CHECK(is_split("__device__ int half(int x) { return x / 2; }\n" + loop("half(n)")));
  CHECK_FALSE(
      is_split("__device__ int half(int x) { return x / threadIdx.x; }\n" + loop("half(n)")));
  CHECK_FALSE(is_split("__device__ int ceil_div(int x, int* p) { return x / *p; }\n" +
                       loop("ceil_div(n, nullptr)")));
  CHECK_FALSE(is_split("namespace a { __device__ int limit; }\n" + loop("a::limit")));
  CHECK_FALSE(is_split(kernel("__shared__ int s;\nfor (int t = 0; t < s; ++t) __syncthreads();")));
  CHECK_FALSE(
      is_split(kernel("int m = n;\n(n > 3 ? m : n) += threadIdx.x;\n"
                      "for (int t = 0; t < m; ++t) __syncthreads();")));
}

TEST_CASE("a literal with a suffix of the source's own is a call") {
  const auto loop = [](const std::string& literal) {
    return is_split(kernel("const int m = (int)" + literal +
                           ";\nfor (int t = 0; t < m; ++t) { __syncthreads(); }\nout[0] = 1;"));
  };
  for (const std::string& own :
       std::vector<std::string>{"5", "5u", "5ULL", "0x5Full", "1'000", "0b101u", "5.f", "1e2f",
                                "1e+2", "0x1p-3f", "'a'", "5uz"}) {
    CAPTURE(own);
    CHECK(loop(own));
  }
  for (const std::string& call :
       std::vector<std::string>{"5_tid", "0x5_abc", "5_x2", "1e2_f", "'a'_tid", "\"a\"_tid", "5s",
                                "0xFs", "1.5d", "\"a\" \"b\"_tid"}) {
    CAPTURE(call);
    CHECK_FALSE(loop(call));
  }
}

TEST_CASE("a library's own max or operator is not taken for CUDA's") {
  const auto after = [](const std::string& header, const std::string& body) {
    return is_split("# 1 \"library.cuh\" 1 3\n" + header + "\n# 2 \"kernel.cu\" 2\n" +
                    kernel(body));
  };
  const std::string loop = "for (int t = 0; t < max(n, 7); ++t) __syncthreads();";
  const std::string of_device =
      "__device__ inline int max(int a, int b) { return a + threadIdx.x; }";
  CHECK_FALSE(after("namespace library { " + of_device + " }", loop));
  CHECK(after("namespace std { inline int max(int a, int b) { return a; } }", loop));
  CHECK(after("__device__ inline int most(int a) { return library::max(a, 1); }", loop));
  const std::string input =
      "int m = n;\nstream >> m;\nfor (int t = 0; t < m; ++t) __syncthreads();";
  CHECK_FALSE(
      after("__device__ void operator>>(const Stream& s, int& x) { x = threadIdx.x; }", input));
  CHECK(after("__device__ void operator<<(const Stream& s, int& x) { x = threadIdx.x; }", input));
}

TEST_CASE("of memory, the compiler confirms what the tokens do not tell, where it matters") {
  const auto asks = [](const std::string& header, const std::string& body) {
    const std::string source =
        "# 1 \"kernel.cu\"\n__device__ void f(int* x) {}\n" + header + "{\n" + body + "\n}\n";
    const std::string text = simt::rewrite::rewrite(source, "", {}).text;
    return text.find("holds_no_address<") != std::string::npos;
  };
  const std::string passed_on = "int x = 0;\nf(&x);\n__syncthreads();\np[0] = x;";
  const std::string own = "int x = 0;\n__syncthreads();\np[0] = x;";
  CHECK(asks("template <class T> __global__ void k(T* p)", passed_on));
  CHECK(asks("__global__ void k(const lib::Node* p)", passed_on));
  CHECK(asks("template <class T> __global__ void k(int* p)", "__shared__ T s[4];\n" + passed_on));
  CHECK_FALSE(asks("template <class T> __global__ void k(T* p)", own));
  CHECK_FALSE(asks("template <class T> __global__ void k(int* p)", passed_on));
}

TEST_CASE("indices that count up by one from thread to thread are told apart") {
  const auto counts_up = [](const std::string& declarations) {
    const std::string source =
        "# 1 \"kernel.cu\"\n" + kernel(declarations + "\nif (i < n) out[i] = in[i];");
    const std::string text = simt::rewrite::rewrite(source, "", {}).text;
    return text.find("simt_first_i ") != std::string::npos;
  };
  CHECK(counts_up("int i = threadIdx.x;"));
  CHECK(counts_up("const int i = blockIdx.x * blockDim.x + threadIdx.x;"));
  CHECK(counts_up("const int i = threadIdx.x + n - 2 * (blockIdx.x - n) * blockDim.x;"));
  CHECK(counts_up("const int tx = threadIdx.x;\nconst int i = 32 * blockIdx.x + tx - 1;"));
  CHECK(counts_up("const int ty = threadIdx.y;\nconst int i = ty * n + threadIdx.x;"));
  CHECK_FALSE(counts_up("int i = threadIdx.x;\ni += n;"));
  CHECK(counts_up("unsigned i = threadIdx.x;"));
  CHECK(counts_up("const auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;"));
  CHECK_FALSE(counts_up("float i = threadIdx.x;"));
  CHECK_FALSE(counts_up("short i = threadIdx.x;"));
  CHECK_FALSE(counts_up("int i = 2 * threadIdx.x;"));
  CHECK_FALSE(counts_up("int i = threadIdx.x * 2;"));
  CHECK_FALSE(counts_up("int i = n - threadIdx.x;"));
  CHECK_FALSE(counts_up("int i = n - (n - threadIdx.x);"));
  CHECK_FALSE(counts_up("int i = threadIdx.x + threadIdx.x;"));
  CHECK_FALSE(counts_up("int i = threadIdx.x / 2;"));
  CHECK_FALSE(counts_up("int i = threadIdx.x + in[0];"));
  CHECK_FALSE(counts_up("int i = threadIdx.y;"));
  CHECK_FALSE(counts_up("int i = threadIdx.x + 1.5;"));
  CHECK_FALSE(counts_up("int i = threadIdx.x + abs(n);"));
  const std::string ends = "if (threadIdx.y > 2) return;\nout[0] = 1;\n";
  CHECK(counts_up(ends + "int i = threadIdx.x + 3;"));
  CHECK_FALSE(counts_up(ends + "int i = threadIdx.x + n;"));
  CHECK_FALSE(counts_up("const int half = threadIdx.x / 2;\nint i = threadIdx.x + half;"));
}
