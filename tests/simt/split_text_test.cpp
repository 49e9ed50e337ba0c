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

TEST_CASE("phases: all tell which thread runs them where no name leads to what asks") {
  const auto tellings = [](const std::string& before, const std::string& first,
                           const std::string& second, const std::string& behind = "") {
    const std::string source = "# 1 \"kernel.cu\"\n" + before + "\n__global__ void k(int* to) {\n" +
                               first + "\n__syncthreads();\nto[threadIdx.x] = " + second +
                               ";\n}\n" + behind;
    const simt::rewrite::Result result = simt::rewrite::rewrite(source, "", {});
    REQUIRE(result.errors.empty());
    REQUIRE(result.text.find("run_blocks(") != std::string::npos);
    return count(result.text, "simt_block.enter(threadIdx)");
  };
  const std::string ask = "__device__ int ask() { return threadIdx.x; }\n";
  // By name: where it is called, in functions on the way, or nowhere.
  CHECK(tellings(ask, "", "3") == 0);
  CHECK(tellings(ask, "to[0] = ask();", "3") == 1);
  CHECK(tellings(ask, "", "ask()") == 1);
  CHECK(tellings(ask + "__device__ int more(int x) { return x + ask(); }", "", "more(2)") == 1);
  CHECK(tellings("int host() { return 3; }\n" + ask, "", "3") == 0);
  CHECK(tellings("struct S { int n; __device__ int more() const { return n + 1; } };", "S s{4};",
                 "s.more()") == 0);

  const std::string rank = "{ __device__ int rank() const { return threadIdx.x; } };";
  CHECK(tellings("__device__ auto make() { return [](int x) { return x + (int)threadIdx.x; }; }",
                 "auto l = make();", "l(100)") > 0);
  CHECK(tellings("__device__ auto make() { struct L " + rank + " return L{}; }", "auto l = make();",
                 "l.rank()") > 0);
  CHECK(tellings("struct S " + rank, "S s;", "s.rank()") > 0);
  CHECK(tellings("struct B { __device__ virtual int f() = 0; };\n__device__ B* make(void* p) {\n"
                 "struct D : B { __device__ int f() override { return threadIdx.x; } };\n"
                 "return new (p) D; }",
                 "__shared__ long long memory[64]; B* b = make(&memory[threadIdx.x]);",
                 "b->f()") > 0);
  CHECK(tellings("__device__ int (*pointer)();\n"
                 "__device__ void set() { pointer = [] { return (int)threadIdx.x; }; }",
                 "set();", "pointer()") > 0);
  CHECK(tellings(ask + "__device__ int (*pointer)() = ask;", "", "pointer()") > 0);
  CHECK(tellings(ask + "__device__ int f(int x = ask());", "", "f()",
                 "__device__ int f(int x) { return x + 1; }") > 0);
  CHECK(tellings(ask + "struct S { int n; __device__ int f(int x = ask()) const; };", "S s{1};",
                 "s.f()", "__device__ int S::f(int x) const { return x + n; }") > 0);
  CHECK(tellings("template <class T> __device__ int f(T x) requires requires { x + x; }\n"
                 "{ return x + threadIdx.x; }",
                 "", "f(100)") > 0);
  CHECK(tellings("struct Tag { int n; };\ntemplate <Tag T> struct Base { int v = T.n; };\n"
                 "struct D : Base<Tag{3}> " +
                     rank,
                 "D d;", "d.rank()") > 0);
  CHECK(tellings("struct S { static constexpr int (*table[])(int) = {\n"
                 "[](int x) { return x + (int)threadIdx.x; }}; };",
                 "", "S::table[0](100)") > 0);
}

namespace {

/// Do phases copy an array, which threads then have in registers? A pointer of the thread's own,
/// which could get its address in the first phase, lives on.
bool copies_array(const std::string& first, const std::string& before = "",
                  const std::string& parameter = "int n") {
  const std::string source =
      "# 1 \"kernel.cu\"\n" + before + "\n__global__ void k(const " + parameter +
      ", const float* in, float* out) {\nfloat sums[4][2];\n"
      "const float* from = in + threadIdx.x;\nfrom += 2;\n" +
      first +
      "\n__syncthreads();\nfor (int i = 0; i < 4; ++i) sums[i][0] += from[i];"
      "\n__syncthreads();\nout[threadIdx.x] = sums[0][0];\n}\n";
  const simt::rewrite::Result result = simt::rewrite::rewrite(source, "", {});
  REQUIRE(result.errors.empty());
  REQUIRE(result.text.find("run_blocks(") != std::string::npos);
  return count(result.text, "::simt::CarriedArray<") > 0;
}

}  // namespace

TEST_CASE("phases: who only assigns to elements does not keep an array's address") {
  const auto with = [](const std::string& body, const std::string& more = "") {
    return copies_array(
        "start(sums, 1.0f);",
        "__device__ void start(float (&x)[4][2], float v) {\n" + body + "\n}\n" + more);
  };
  CHECK(with("for (int i = 0; i < 4; ++i) x[i][0] = v;"));
  CHECK(with(
      "#pragma unroll\nfor (int i = 0; i < 4; ++i)\n#pragma unroll\nfor (int j = 0; j < 2; ++j)"
      "\nx[i][j] += v * j;"));
  CHECK_FALSE(with("x[0][0] = v; keep(x);"));
  CHECK_FALSE(with("x[0][0] = v; keep(x[1]);"));
  CHECK_FALSE(with("float& r = x[0][0] = v; keep(r);"));
  CHECK_FALSE(with("float* p = x[0]; p[0] = v;"));
  CHECK_FALSE(with("keep(&x[1][1]);"));
  CHECK_FALSE(with("const auto set = [&] { x[0][0] = v; }; set();"));
  CHECK_FALSE(
      with("x[0][0] = v;", "__device__ void start(float (&x)[4][2], int v) { keep(x); }\n"));
  CHECK_FALSE(with("x[0][0] = v;", "template <class T> __device__ void start(T&& x, int v);\n"));
  CHECK_FALSE(
      with("x[0][0] = v;", "struct start { float* p; start(float (&x)[4][2], int v); };\n"));
}

TEST_CASE("phases: what is assigned to an element is no reference to it") {
  const std::string binds =
      "struct Ref { const float& r; __device__ Ref(const float& x) : r(x) {} };\n";
  CHECK(copies_array("sums[0][0] = sums[1][0] = 1.0f;", binds));
  CHECK(copies_array("for (int i = 0; i < 4; ++i) sums[i][0] = (sums[i][1] += 2.0f);", binds));
  CHECK_FALSE(copies_array("Ref ref = sums[1][0]; out[0] = ref.r;", binds));
}

TEST_CASE("phases: a class may hold an address if its base may") {
  const std::string layer =
      "struct Layer { const float *in, *bias; int n; };\nenum class Way : unsigned char { up, down "
      "};\n";
  const auto with = [&](const std::string& more) {
    return copies_array("sums[0][0] = 1.0f;\nkeep(sums);", layer + more, "Wide s");
  };
  // The function that may keep the address is in the second phase, where nothing could keep it.
  const auto later = [&](const std::string& more) {
    return copies_array("sums[0][0] = 1.0f;\n__syncthreads();\nkeep(sums);", layer + more,
                        "Wide s");
  };
  const std::string keep = "__device__ void keep(float (&x)[4][2]) { use(x); }\n";
  CHECK_FALSE(with(keep + "struct Wide : Layer { Way* ways; };\n"));
  CHECK(later(keep + "struct Wide : Layer { Way* ways; };\n"));
  CHECK(later(keep + "struct Wide : public Layer { bool fits; };\n"));
  CHECK(later(keep + "struct Even { int i; }; struct Wide : private Even, Layer { Way way; };\n"));
  CHECK_FALSE(later(keep + "struct Node { float** next; }; struct Wide : Node { int i; };\n"));
  CHECK_FALSE(later(keep + "struct Wide : Layer { float** next; };\n"));
  CHECK_FALSE(later(keep + "struct Wide : Elsewhere { int i; };\n"));
  CHECK_FALSE(later(keep + "struct Wide : Box<float*> { int i; };\n"));
  CHECK_FALSE(later(keep + "struct Wide : virtual Layer { int i; };\n"));
}

TEST_CASE(
    "phases: an array of which a call in which threads meet has the address is copied elsewhere") {
  const std::string next =
      "__device__ float next(float (&x)[4][2]) { return __shfl_sync(~0u, x[0][0], 1); }\n"
      "__device__ float* row(float (&x)[4][2]) { __syncwarp(); return x[0]; }\n";
  CHECK(copies_array("sums[0][0] = 1;\n__syncthreads();\nout[threadIdx.x] = next(sums);", next));
  // Its address may be what the call returns.
  CHECK_FALSE(copies_array(
      "sums[0][0] = 1;\n__syncthreads();\nfloat* p = row(sums);\n__syncthreads();\np[0] += 1;",
      next));
}
