// Which kernels are cut at their barriers, and which are left to fibers.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "passes/rewrite.hpp"

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

TEST_CASE("a loop around a barrier may be left by all threads together, and by no others") {
  const auto loop = [](const std::string& body) {
    return kernel("for (int t = 0;; ++t) {\n" + body +
                  "\nout[threadIdx.x] += t; __syncthreads();\n}");
  };
  for (const char* jump : {"break", "continue"}) {
    const std::string then = std::string(jump) + ";";
    CHECK(is_split(loop("if (t >= n) " + then)));
    CHECK(is_split(loop("if (blockIdx.x + t >= n) { " + then + " }")));
    CHECK(is_split(loop("if (n > 4) { __syncthreads(); if (t > n) " + then + " }")));
    CHECK_FALSE(is_split(loop("if (threadIdx.x >= n) " + then)));
    CHECK_FALSE(is_split(loop("if (in[t] > 0) " + then)));
    CHECK_FALSE(is_split(loop("if (t >= n) { out[0] = 1; " + then + " }")));
    CHECK_FALSE(is_split(loop("if (t >= n) " + then + " else out[0] = 1;")));
    // Of those who come to it only.
    CHECK_FALSE(is_split(loop(
        "if (threadIdx.x < 32) { out[0] = __shfl_sync(~0u, t, 0); if (t > 2) " + then + " }")));
    CHECK(is_split(loop("if (threadIdx.x < 32) { for (int k = 0; k < n; ++k) { if (k > 2) " + then +
                        " out[k] = __shfl_sync(~0u, t, 0); } }\nif (t > n) break;")));
  }
}

TEST_CASE("a variable may hide another") {
  CHECK(
      is_split(kernel("const int i = threadIdx.x;\nfor (int n = 0; n < 3; ++n) {\n"
                      "int i = n; __syncthreads(); out[i] += 1; { float out = in[i];\n"
                      "__syncthreads(); i += out; }\n}\nout[i] = n;")));
  CHECK_FALSE(
      is_split(kernel("__shared__ int s[4];\ns[0] = 1; __syncthreads();\n"
                      "{ int s = 2; __syncthreads(); out[0] = s; }")));
}

TEST_CASE("a pipeline of one thread waits for nobody, others may") {
  const auto piped = [](const std::string& pipe) {
    return "namespace cuda { enum Scope { thread_scope_thread, thread_scope_block }; template "
           "<Scope> "
           "struct pipeline { void consumer_wait(); }; }\n" +
           kernel(pipe + "\np.consumer_wait(); __syncthreads(); out[threadIdx.x] = 1;");
  };
  CHECK(is_split(piped("cuda::pipeline<cuda::thread_scope_thread> p = cuda::make_pipeline();")));
  CHECK_FALSE(is_split(piped("auto p = cuda::make_pipeline(group, &state);")));
  CHECK_FALSE(is_split(piped("cuda::pipeline<cuda::thread_scope_block> p = make(n);")));
}

TEST_CASE("threads that have ended have arrived at every barrier") {
  CHECK(is_split(kernel("if (threadIdx.x >= n) return;\n__syncthreads();\nout[0] = 1;")));
  CHECK(
      is_split(kernel("__syncthreads();\nif (in[threadIdx.x] > 0) return;\n__syncthreads();\n"
                      "out[0] = 1;")));
  CHECK_FALSE(
      is_split(kernel("for (int i = 0; i < n; ++i) {\nif (in[i] > 0) return;\n"
                      "__syncthreads();\n}\nout[0] = 1;")));
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

TEST_CASE("a condition around calls of warps is asked once where it is the same for all threads") {
  const auto has_flags = [](const std::string& condition) {
    const std::string source =
        "# 1 \"kernel.cu\"\n" +
        kernel("float v = in[threadIdx.x];\nfor (int i = 0; i < 4; ++i) {\nif (" + condition +
               ") v += __shfl_xor_sync(~0u, v, 1);\n}\nout[threadIdx.x] = v;");
    const std::string text = simt::rewrite::rewrite(source, "", {}).text;
    CHECK(text.find("simt_all___shfl_xor_sync") != std::string::npos);
    return text.find("simt_then_") != std::string::npos;
  };
  CHECK_FALSE(has_flags("i == 0"));
  CHECK_FALSE(has_flags("i > 1 && blockIdx.x < 3"));
  CHECK(has_flags("threadIdx.x < 32"));
  CHECK(has_flags("in[i] > 0"));
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
  CHECK_FALSE(is_split(kernel("out[threadIdx.x] = __match_any_sync(~0u, in[threadIdx.x]);")));
  CHECK_FALSE(is_split(kernel("out[0] = __syncthreads_count(n > 3);")));
  CHECK_FALSE(is_split("__device__ void meet();\n" + kernel("meet(); out[0] = 1;")));
}

TEST_CASE("calls in which a warp's threads meet are made once for the block") {
  CHECK(
      is_split(kernel("float v = in[threadIdx.x]; v += __shfl_xor_sync(~0u, v, 1); out[0] = v;")));
  CHECK(
      is_split(kernel("float v = in[0];\nfor (int o = 16; o > 0; o /= 2)\n"
                      "  v = fmaxf(v, __shfl_down_sync(~0u, v, o));\nout[threadIdx.x] = v;")));
  CHECK(
      is_split(kernel("if (threadIdx.x < 32) { const int b = __ballot_sync(~0u, in[0] > 0);\n"
                      "out[threadIdx.x] = b; }")));
  CHECK(
      is_split(kernel("for (int r = threadIdx.x / 32; r < n; r += 8) {\n"
                      "const float v = __shfl_sync(~0u, in[r], 0); out[r] = v; }")));
  CHECK(is_split(kernel("if (__any_sync(~0u, in[threadIdx.x] > 0)) out[threadIdx.x] = 1;")));
  const std::string sum =
      "__device__ float sum(float v) { v += __shfl_xor_sync(~0u, v, 1); return v; }\n";
  CHECK(is_split(sum + kernel("out[threadIdx.x] = 2 * sum(in[threadIdx.x]);")));
  CHECK(
      is_split("__device__ void meet() { __syncthreads(); }\n" + kernel("meet();\n__syncwarp();")));
  CHECK(is_split(sum + kernel("if (in[threadIdx.x] > 0) return;\nconst float v = sum(in[0]);\n"
                              "__syncthreads();\nout[threadIdx.x] = v;")));
  CHECK(
      is_split("template <class T, class Op> __device__ T all(T v, Op op) {\n"
               "for (int o = 16; o > 0; o /= 2) v = op(v, __shfl_xor_sync(~0u, v, o));\n"
               "return v; }\n" +
               kernel("const float v = all(in[threadIdx.x], 3); out[threadIdx.x] = v;")));
}

TEST_CASE("functions in which threads meet may take references and end early") {
  const std::string v = "float v = in[threadIdx.x];\n";
  CHECK(is_split("__device__ void add(float& v) { v += __shfl_xor_sync(~0u, v, 1); }\n" +
                 kernel(v + "add(v);\nout[threadIdx.x] = v;")));
  CHECK(
      is_split("template <int N> __device__ void add(const float (&v)[N], float& sum) {\n"
               "for (int i = 0; i < N; ++i) sum += __shfl_sync(~0u, v[i], 0); }\n" +
               kernel("float v[2] = {in[0], in[1]}, sum = 0;\nadd(v, sum);\nout[0] = sum;")));
  CHECK(
      is_split("__device__ float sum(float v) { if (v > 3) return v;\n"
               "return v + __shfl_xor_sync(~0u, v, 1); }\n" +
               kernel(v + "out[threadIdx.x] = sum(v);")));
}

TEST_CASE("addresses of a thread's own variables are not kept for calls in which threads meet") {
  const std::string by_pointer =
      "struct P { const float* p; };\n"
      "__device__ float next(const float* p) { return __shfl_xor_sync(~0u, *p, 1); }\n"
      "__device__ float next(P x) { return __shfl_xor_sync(~0u, *x.p, 1); }\n"
      "__device__ float other(float x) { return __shfl_xor_sync(~0u, x, 2); }\n";
  const auto splits = [&](const std::string& argument, const std::string& callee = "next") {
    return is_split(by_pointer + kernel("float n = in[threadIdx.x], a[2] = {n, n}, b[2][2] = {};\n"
                                        "__shared__ float s[64];\n"
                                        "out[threadIdx.x] = " +
                                        callee + "(" + argument + ");"));
  };
  for (const char* argument : {"&n", "a", "a + 1", "&a[1]", "b[1]", "&b[1][0]", "P{&n}"}) {
    CAPTURE(argument);
    CHECK_FALSE(splits(argument));
  }
  for (const char* argument : {"a[1]", "b[1][0]", "n", "n + s[3]", "static_cast<int>(n) & 3"}) {
    CAPTURE(argument);
    CHECK(splits(argument, "other"));
  }
  for (const char* argument : {"&s[3]", "s + 2", "in + 1", "&in[threadIdx.x]", "&s[a[0] > 1]"}) {
    CAPTURE(argument);
    CHECK(splits(argument));
  }
}

TEST_CASE("a built-in variable as a whole is copied, or the kernel is left to fibers") {
  const auto splits = [](const std::string& first) {
    return is_split("__device__ const uint3& same(const uint3& x) { return x; }\n" +
                    kernel(first + "\n__syncthreads();\nout[t.x] = in[t.x];"));
  };
  CHECK(splits("const uint3 t = threadIdx;"));
  CHECK_FALSE(splits("const uint3& t = threadIdx;"));
  CHECK_FALSE(splits("const auto& t = same(threadIdx);"));
  CHECK_FALSE(splits("const uint3* p = &threadIdx; const uint3 t = *p;"));
}

TEST_CASE("calls of WMMA are made for whole warps, or the kernel is left to fibers") {
  const auto product = [](const std::string& around, const std::string& declarations = "") {
    return is_split(
        declarations + "constexpr int kRows = 4;\n" +
        kernel("const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;\n"
               "wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];\n"
               "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;\n" +
               around +
               " { wmma::mma_sync(sum[0], a, a, sum[1]); }\n"
               "wmma::store_matrix_sync(out, sum[0], 16, wmma::mem_row_major);"));
  };
  CHECK(product(""));
  CHECK(product("if (warp < n)"));
  CHECK(product("if (threadIdx.y == 0 && (int)threadIdx.x >> 5 < kRows)"));
  CHECK(product("for (int i = warp; i < n; i += 4)"));
  CHECK(product("const bool busy = warp < n;\nfor (int i = 0; i < n && busy; ++i)"));
  CHECK(product("if (inside(warp, n))",
                "__device__ bool inside(int row, int rows) { return row + 1 < rows; }\n"));
  CHECK_FALSE(product("if (lane < 16)"));
  CHECK_FALSE(product("if (lane / 32 < 1)"));
  CHECK_FALSE(product("if (in[warp] > 0)"));
  CHECK_FALSE(product("int m = warp;\nm += lane;\nif (m < n)"));
  CHECK_FALSE(product("for (int i = threadIdx.x; i < n; i += 32)"));
  CHECK_FALSE(product("const bool busy = lane < n;\nfor (int i = 0; i < n && busy; ++i)"));
  CHECK_FALSE(product("bool busy = warp < n;\nfor (int i = 0; i < n && busy; ++i)"));
  CHECK_FALSE(product("if (inside(warp))",
                      "__device__ int rows;\n"
                      "__device__ bool inside(int row) { return row < rows; }\n"));
  CHECK_FALSE(product("if (inside(warp))",
                      "__device__ bool inside(int x) { return x < (int)threadIdx.x; }\n"));
}

TEST_CASE("what decides about a warp in a function, its callers see to") {
  const auto called = [](const std::string& argument, const std::string& condition = "row < n") {
    return is_split(
        "using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;\n"
        "__device__ void store(float* to, const Sum& sum, int row, int n) {\n"
        "if (" +
        condition +
        ") { wmma::store_matrix_sync(to, sum, 16, wmma::mem_row_major);\n"
        "return; }\n__syncwarp();\nto[threadIdx.x] = 0;\n}\n"
        "__device__ void twice(float* to, const Sum& sum, int row, int n) {\n"
        "store(to, sum, row, n);\nstore(to, sum, row + 1, n);\n}\n" +
        kernel("Sum sum;\nwmma::fill_fragment(sum, 1.0f);\n"
               "twice(out, sum, " +
               argument + ", n);"));
  };
  CHECK(called("threadIdx.x / 32"));
  CHECK(called("blockIdx.x"));
  CHECK_FALSE(called("threadIdx.x"));
  CHECK_FALSE(called("in[0]"));
  CHECK_FALSE(called("0", "to[row] > 0"));
}

TEST_CASE("calls in which threads meet, and which not all make, are left to fibers") {
  const std::string v = "float v = in[threadIdx.x];\n";
  CHECK_FALSE(is_split(kernel(v + "out[0] = n > 3 && __any_sync(~0u, v > 0);")));
  CHECK_FALSE(is_split(kernel(v + "out[0] = v > 0 ? __shfl_sync(~0u, v, 0) : 1;")));
  CHECK_FALSE(is_split(kernel(v + "const auto f = [&] { return __shfl_sync(~0u, v, 0); };\n"
                                  "out[0] = f();")));
  CHECK_FALSE(is_split(kernel(v + "while (__any_sync(~0u, v > 0)) v -= 1;\nout[0] = v;")));
  CHECK_FALSE(is_split(kernel(v + "while (v > 0) { v -= __shfl_sync(~0u, v, 0); }\nout[0] = v;")));
  // The index would be counted up behind the call.
  CHECK_FALSE(is_split(kernel(v + "int i = threadIdx.x;\nout[i++] = __shfl_sync(~0u, v, i);")));
  // A reference to what may be gone by the time that the call is made, or to a pointer.
  const std::string add = "__device__ void add(float& v) { v += __shfl_xor_sync(~0u, v, 1); }\n";
  CHECK_FALSE(is_split(add + kernel(v + "auto get = [&]() -> float& { return v; };\nadd(get());\n"
                                        "out[0] = v;")));
  CHECK_FALSE(is_split("__device__ void next(float*& p) { p += __shfl_sync(~0u, 1, 0); }\n" +
                       kernel("float* p = out;\nnext(p);\np[0] = 1;")));
  CHECK_FALSE(is_split(
      "__device__ float sum(float v) { for (int i = 0; i < 3; ++i) { if (v > i) return v; }\n"
      "return v + __shfl_xor_sync(~0u, v, 1); }\n" +
      kernel(v + "out[threadIdx.x] = sum(v);")));
  // One barrier of the block is not for some of its threads.
  CHECK_FALSE(is_split("__device__ float wait(float v) { __syncthreads(); return v; }\n" +
                       kernel(v + "if (threadIdx.x < 32) v = wait(v);\nout[threadIdx.x] = v;")));
  // A second function of the name that has no other form.
  CHECK_FALSE(
      is_split("__device__ float sum(float v) { return v + __shfl_xor_sync(~0u, v, 1); }\n"
               "__device__ void sum(float& a, float& b) { a = b = sum(a); }\n" +
               kernel(v + "out[threadIdx.x] = sum(v);")));
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
  // Of libcu++'s objects the one that a thread has for itself; others wait for other threads.
  CHECK(is_split(kernel("auto pipe = cuda::make_pipeline();\n" + body)));
  CHECK_FALSE(is_split(kernel("auto pipe = cuda::make_pipeline(group, &state);\n" + body)));
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
  const std::string function = "__device__ int meet() { return __syncthreads_count(1); }\n";
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
  CHECK(is_split(kernel("float& x = out[threadIdx.x];\n__syncthreads();\nx = 1;")));
  CHECK(
      is_split(kernel("float (&x)[2] = *reinterpret_cast<float (*)[2]>(out + 2 * threadIdx.x);\n"
                      "__syncthreads();\nx[1] = 1;")));
  CHECK_FALSE(is_split(kernel("const float& x{in[threadIdx.x]};\n__syncthreads();\nout[0] = x;")));
  CHECK_FALSE(is_split(kernel("float&& x = in[threadIdx.x] + 1;\n__syncthreads();\nout[0] = x;")));
}

TEST_CASE("what is of no known form is left to fibers") {
  const std::string meet = "__syncthreads();\nout[threadIdx.x] = 1;";
  CHECK_FALSE(is_split(kernel("union { float f; int i; } u;\nu.f = in[0];\n" + meet)));
  CHECK_FALSE(is_split(kernel("struct P { int x; } p{3};\n" + meet)));
  CHECK_FALSE(is_split(kernel("auto [a, b] = make_float2(1, 2);\n" + meet)));
  CHECK_FALSE(is_split(kernel("static int calls;\n" + meet)));
  CHECK_FALSE(is_split(kernel("int x = 0;\ndecltype(x) y = 1;\n" + meet)));
  CHECK(is_split(kernel("struct P { int x; };\nP p{3};\n" + meet + "\nout[p.x] = 2;")));
}

TEST_CASE("only what is known to be the same in all threads decides about barriers") {
  const auto loop = [](const std::string& limit) {
    return kernel("const int m = " + limit + ";\nfor (int t = 0; t < m; ++t) __syncthreads();");
  };
  CHECK(is_split(loop("n / 2 + 1")));
  // Of a type W it would be a conversion of what *n points at.
  CHECK(is_split("template <class T, int W> " + loop("(W)*n")));
  CHECK_FALSE(is_split("template <class W> " + loop("(W)*n")));
  CHECK_FALSE(is_split("template <int V, class W = int> " + loop("(W)*n")));
  // A number of the template header may be an argument of another template; a variable may not, so
  // that `f<n>(x)` is two comparisons.
  const std::string add = "template <int W> __device__ void add(float* x) { *x += W; }\n";
  CHECK(
      is_split(add + "template <int W> " + kernel("add<W>(out + threadIdx.x); __syncthreads();")));
  CHECK_FALSE(is_split(add + kernel("add<n>(out + threadIdx.x); __syncthreads();")));
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
