// The rewriter as a library: what CUDA's syntax becomes, without compiling it.
#include "passes/rewrite.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "frontend/token.hpp"

namespace {

using simt::rewrite::Options;
using simt::rewrite::Result;

Result run(std::string_view code, Options options = {}) {
  options.split_barriers = false;
  return simt::rewrite::rewrite("# 1 \"t.cu\"\n" + std::string(code), {}, options);
}

bool is_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// The text without line markers, and with blanks only where they part two words.
std::string flat(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  bool blank = false;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    blank = true;
    if (line.starts_with("# ")) continue;
    for (const char c : line) {
      if (c != ' ') {
        if (blank && !result.empty() && is_word(result.back()) && is_word(c)) result += ' ';
        result += c;
      }
      blank = c == ' ';
    }
  }
  return result;
}

std::string rewritten(std::string_view code) {
  const Result result = run(code);
  for (const std::string& error : result.errors) CHECK_MESSAGE(false, error);
  return flat(result.text);
}

bool has(const std::string& text, std::string_view part) {
  const bool found = text.find(flat(part)) != std::string::npos;
  if (!found) MESSAGE("not found: ", std::string(part), "\nin: ", text);
  return found;
}

std::string first_error(std::string_view code) {
  const Result result = run(code);
  return result.errors.empty() ? "" : result.errors[0];
}

/// Which way of running threads the only kernel of the code got.
std::string runner(std::string_view code) {
  const std::string text = rewritten(code);
  const std::size_t begin = text.find("simt_launch.run_") + 12;
  return text.substr(begin, text.find('(', begin) - begin);
}

}  // namespace

TEST_CASE("rewriter: plain C++ passes through unchanged") {
  const std::string code =
      "# 1 \"t.cu\"\ntemplate <class T> bool f(T a, T b) { return a < b && b > a; }\n"
      "const char* s = R\"x(__global__ <<<1, 2>>> \" )x\"; char c = '\"'; int n = 1'000'000;\n"
      "int m = n << 3 >> 2; // no comment reaches the rewriter\n";
  CHECK(simt::rewrite::rewrite(code, {}, {}).text == code);
}

TEST_CASE("rewriter: a launch keeps its callee and moves its configuration ahead") {
  CHECK(rewritten("void f() { k<<<1, 2>>>(a, b); }") ==
        flat("void f() { (::simt::configure( 1, 2), k (a, b)) ; }"));
  CHECK(rewritten("void f() { n::k<int, (3 > 2)> <<<dim3(1, 2), 32, 0, s>>> (); }") ==
        flat("void f() { (::simt::configure( dim3(1, 2), 32, 0, s), n::k<int, (3 > 2)> ()) ; }"));
  CHECK(has(rewritten("void f() { if (x) (*p)<<<a<b>, c>>>(y); }"),
            "if (x) (::simt::configure( a<b>, c), (*p) (y))"));
  CHECK(has(rewritten("void f() { return o->t[i].k<<<1, v<int>>>>(y); }"),
            "return (::simt::configure( 1, v<int>), o->t[i].k (y))"));
  CHECK(has(rewritten("void f() { ::a::b<c>::template k<d><<<1, 1>>>(); }"),
            "{ (::simt::configure( 1, 1), ::a::b<c>::template k<d> ())"));
  // The preprocessor parts the angle brackets where a macro's argument ends.
  CHECK(has(rewritten("void f() { k<< <1, 2>> >(a); }"), "(::simt::configure( 1, 2), k (a))"));
}

TEST_CASE("rewriter: operator<< with template arguments is no launch") {
  const std::string code = "void f() { operator<<<int>(a, b); }";
  CHECK(rewritten(code) == flat(code));
}

TEST_CASE("rewriter: a launch that cannot be read is named") {
  CHECK(
      first_error("void f() {\n k<<<1, 2>>>;\n}").starts_with("t.cu:2: error: this kernel launch"));
  CHECK(first_error("void f() {\n + <<<1, 2>>>(x);\n}").starts_with("t.cu:2: error: "));
}

TEST_CASE("rewriter: kernels run as loops unless a thread may wait") {
  CHECK(runner("__global__ void k(int* p) { p[threadIdx.x] = 1; }") == "run_loop<false>");
  CHECK(runner("__device__ int f() { return threadIdx.x; }"
               "__global__ void k(int* p) { p[f()] = 1; }") == "run_loop");
  CHECK(runner("__device__ int g() { return 1; } __device__ int f() { return g(); }"
               "__global__ void k(int* p) { p[f()] = 1; }") == "run_loop<false>");
  CHECK(runner("__global__ void k() { __syncthreads(); }") == "run_fibers");
  CHECK(runner("__device__ void g() { __syncwarp(); } __device__ void f() { g(); }"
               "__global__ void k() { f(); }") == "run_fibers");
  CHECK(runner("__global__ void k(int* p) { *p = __shfl_down_sync(~0u, *p, 1); }") == "run_fibers");
  CHECK(runner("namespace cg = cooperative_groups;"
               "__global__ void k() { auto g = cg::this_thread_block(); }") == "run_fibers");
  CHECK(runner("__device__ void elsewhere(); __global__ void k() { elsewhere(); }") ==
        "run_fibers");
  CHECK(runner("__device__ void f(); __global__ void k() { f(); } __device__ void f() {}") ==
        "run_loop<false>");
  CHECK(runner("template <class F> __global__ void k(F f) { f(); }"
               "void h() { k<<<1, 1>>>([] __device__ { __syncthreads(); }); }") == "run_fibers");
  CHECK(runner("struct S { __device__ int operator()() { return blockIdx.x; } };"
               "template <class F> __global__ void k(F f) { f(); }") == "run_loop");
  CHECK(runner("__global__ void k(volatile int* p) { while (*p == 0); }") == "run_fibers");
  CHECK(runner("__global__ void k(int* p) { do { } while (atomicAdd(p, 0) == 0); }") ==
        "run_fibers");
  // A retried compare-and-swap waits for nobody, nor does a copy loop.
  CHECK(runner("__global__ void k(int* p) { int o = *p, a; do { a = o; o = atomicCAS(p, a, a + 1);"
               " } while (a != o); }") == "run_loop<false>");
  CHECK(runner("__global__ void k(char* d, const char* s) { while ((*d++ = *s++)); }") ==
        "run_loop<false>");
}

TEST_CASE("rewriter: a body that cannot name the parameters reads the global variables") {
  const auto names_parameter = [](std::string_view body) {
    return rewritten("__global__ void k(int* p) { " + std::string(body) + " }")
               .find("uint3 threadIdx") != std::string::npos;
  };
  CHECK(names_parameter("p[threadIdx.x] = 0;"));
  CHECK(names_parameter("auto f = [=] { return threadIdx.x; };"));
  CHECK(names_parameter("auto f = [&, p] { return threadIdx.x; };"));
  CHECK(names_parameter("auto f = [p] { return p[0]; }; p[threadIdx.x] = f();"));
  CHECK_FALSE(names_parameter("auto f = [] { return threadIdx.x; };"));
  CHECK_FALSE(names_parameter("auto f = [p](int i) -> int { return p[i + blockIdx.x]; };"));
  CHECK_FALSE(names_parameter("struct S { int f() { return threadIdx.x; } };"));
}

TEST_CASE("rewriter: the kernel's stub says name, place and bound") {
  CHECK(has(rewritten("\n\ntemplate <int N> __global__ void __launch_bounds__(N * 32, 2) k() {}"),
            "static ::simt::KernelInfo simt_kernel{\"k\", \"t.cu\", 3, static_cast<int>( N * 32)}; "
            "struct simt_owner {"));
  CHECK(has(rewritten("__global__ void k() {}"), "{\"k\", \"t.cu\", 1, 0}"));
  CHECK(rewritten("__global__ void k(int, float* p = nullptr);") ==
        flat("void k(int, float* p = nullptr);"));
  CHECK(has(rewritten("__global__ void k(int* p) { f(__func__); }"), "f( \"k\" )"));
}

TEST_CASE("rewriter: shared arrays become places in the block's memory") {
  const std::string one = rewritten("__global__ void k() { __shared__ float a[4][5]; }");
  CHECK(has(one, "struct simt_shared_0 { float a[4][5] ; };"));
  CHECK(has(one, "auto& a = ::simt::shared<simt_shared_0>().a;"));
  CHECK(has(rewritten("__global__ void k() { __shared__ int a; a = 1; }"),
            "auto& a = ::simt::shared<simt_shared_0, simt_owner>().a;"));
  CHECK(has(rewritten("__device__ void f() { __shared__ int a; a = 1; }"),
            "auto& a = ::simt::shared<simt_shared_0>().a;"));
  const std::string two = rewritten("__global__ void k() { static __shared__ const T *a, b[3]; }");
  CHECK(has(two, "struct simt_shared_0 { const T *a ; };"));
  CHECK(has(two, "struct simt_shared_1 { const T b[3] ; };"));
  CHECK(has(rewritten("__global__ void k() { __shared__ __align__(16) char a[3]; }"),
            "{ __attribute__((aligned(16))) char a[3] ; }"));
  CHECK(has(rewritten("__global__ void k() { extern __shared__ float s[]; }"),
            "auto* s = reinterpret_cast< float *>(::simt::dynamic_shared());"));
  CHECK(has(rewritten("__global__ void k() { extern __shared__ alignas(16) T s[][33]; }"),
            "auto* s = reinterpret_cast< T (*) [33] >(::simt::dynamic_shared());"));
  const std::string outside = rewritten(
      "extern __shared__ int s[]; __global__ void k() { s[0] = 1; }"
      "__device__ int f() { return s[1]; } __device__ int g(int s) { return s; }");
  CHECK(has(outside, "{ [[maybe_unused]] auto* s = reinterpret_cast< int *>"));
  CHECK(has(outside, "int f() { [[maybe_unused]] auto* s"));
  CHECK(has(outside, "int g(int s) { return s; }"));
  CHECK(first_error("__global__ void k() {\n __shared__ int a = 1; }") ==
        "t.cu:2: error: an initializer is not allowed for the __shared__ variable 'a'");
}

TEST_CASE("rewriter: what nvcc refuses of device code is refused on request") {
  const std::string source = "float f(float x);\n__global__ void k(float* p) { *p = f(1); }";
  Options strict;
  strict.strict_device = true;
  CHECK(run(source, {}).errors.empty());
  const std::vector<std::string> errors = run(source, strict).errors;
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].starts_with("t.cu:2: error: nvcc refuses: a call of the host function 'f'"));
}

TEST_CASE("rewriter: device variables are registered, and belong to their file") {
  const std::string text = rewritten("__device__ int a[3], b = 2;");
  CHECK(has(text, "static int a[3], b = 2;"));
  CHECK(has(text,
            "simt_symbol_a(__builtin_addressof(a), sizeof(a), \"a\", "
            "::simt::SymbolKind::device);"));
  CHECK(has(text, "simt_symbol_b("));
  CHECK(has(rewritten("__constant__ float c[4];"), "SymbolKind::constant"));
  CHECK(has(rewritten("__device__ __managed__ int m;"), "SymbolKind::managed"));
  CHECK(rewritten("extern __device__ int e;") == flat("extern int e;"));
  CHECK(rewritten("struct S { static __device__ int s; };") == flat("struct S { static int s; };"));
  CHECK(rewritten("template <class T> __device__ T t = 1;") == flat("template <class T> T t = 1;"));
  Options separate;
  separate.separate_compilation = true;
  CHECK(flat(run("__device__ int a;", separate).text).starts_with("int a;"));
  CHECK(flat(run("__device__ int f() { return 1; }", separate).text) ==
        flat("int f() { return 1; }"));
  CHECK(rewritten("__device__ int f() { return 1; }") ==
        flat("static __attribute__((unused)) int f() { return 1; }"));
  CHECK(rewritten("extern __device__ int f(); __device__ int f() { return 1; }") ==
        flat("extern int f(); int f() { return 1; }"));
}

TEST_CASE("rewriter: attributes and pragmas") {
  CHECK(rewritten("__host__ __device__ int f();") == flat("int f();"));
  CHECK(has(rewritten("__device__ __forceinline__ int f() { return 1; }"),
            "inline __attribute__((always_inline)) int f()"));
  CHECK(rewritten("inline __host__ __device__ __forceinline__ int f();") ==
        flat("inline __attribute__((always_inline)) int f();"));
  CHECK(rewritten("__attribute__((__noinline__)) void f();") ==
        flat("__attribute__((__noinline__)) void f();"));
  CHECK(rewritten("struct __align__(8) S {};") == flat("struct __attribute__((aligned(8))) S {};"));
  CHECK(has(rewritten("void f() {\n#pragma unroll 4\nfor (;;);\n}"), "#pragma GCC unroll 4 for"));
  CHECK(has(rewritten("void f() {\n#pragma unroll(8)\nfor (;;);\n}"), "#pragma GCC unroll 8 for"));
  // All rounds, or as many as an expression says: that is left to the compiler.
  CHECK_FALSE(has(rewritten("void f() {\n#pragma unroll\nfor (;;);\n}"), "unroll"));
  CHECK_FALSE(has(rewritten("void f() {\n#pragma unroll N\nfor (;;);\n}"), "unroll"));
  CHECK_FALSE(has(rewritten("void f() {\n#pragma unroll 4\nint x;\n}"), "unroll"));
  CHECK(has(rewritten("#pragma once_upon_a_time\nint x;"), "#pragma once_upon_a_time"));
}

TEST_CASE("rewriter: kernels as untyped pointers") {
  const std::string kernel = "__global__ void k(int); template <class T> __global__ void t(T);";
  CHECK(has(rewritten(kernel + "void f() { g((void*)k); }"), "::simt::kernel_ref( k ))"));
  CHECK(has(rewritten(kernel + "void f() { g((const void *)&t<int>, 1); }"),
            "::simt::kernel_ref( &t<int> ))"));
  CHECK(has(rewritten(kernel + "void f() { g(reinterpret_cast<const void*>(k)); }"),
            "::simt::kernel_ref( k ))"));
  CHECK(has(rewritten(kernel + "void f() { g((void*)other); }"), "g((void*)other)"));
}

TEST_CASE("rewriter: inline PTX becomes calls, operands stay where they are") {
  const std::string text = rewritten(
      "__device__ int f(int a) { int r;\n asm volatile(\"add.s32 %0, %1, %%laneid;\" : \"=r\"(r) : "
      "\"r\"(a + 1));\n return r; }");
  CHECK(has(text,
            "::simt::ptx::put(simt_0, ::simt::ptx::add<::simt::ptx::s32>(simt_1, "
            "::simt::lane_id()));"));
  CHECK(has(text, "::simt::ptx::in<::simt::ptx::u32>( a + 1"));
  CHECK(has(text, "::simt::ptx::out( r"));
  // What the host may run, too, is PTX by its instructions' names.
  CHECK(has(rewritten("inline void f() { asm volatile(\"cp.async.wait_all;\"); }"), "::simt::"));
  CHECK(has(rewritten("inline void f() { asm(\"{ bar.sync 0; }\"); }"), "::simt::"));
  for (const char* host :
       {"mfence", "rep; nop", "lock; incl %0", ".byte 0x90", "jmp .L1", "1: pause"}) {
    CHECK(has(rewritten("inline void f(int& a) { asm volatile(\"" + std::string(host) +
                        "\" : \"+m\"(a)); }"),
              host));
  }
  CHECK(has(rewritten("__device__ long f() { return clock(); }"), "::simt::device_clock()"));
  CHECK(!has(rewritten("long f() { return clock(); }"), "device_clock"));
}

TEST_CASE("rewriter: what the CPU backend cannot run is named by file and line") {
  CHECK(first_error(
            "__global__ void k(cudaTextureObject_t t) {\n float x = tex2D<float>(t, 1, 2); }") ==
        "t.cu:2: error: texture objects are not supported on the CPU backend (tex2D)");
  CHECK(first_error("texture<float, 2> image;") ==
        "t.cu:1: error: texture references are not supported on the CPU backend");
  CHECK(first_error("__global__ void k() {\n surf2Dwrite(1, s, 2, 3); }") ==
        "t.cu:2: error: surface objects are not supported on the CPU backend (surf2Dwrite)");
  CHECK(first_error("__global__ void c() {}\n__global__ void k() {\n c<<<1, 1>>>(); }") ==
        "t.cu:3: error: launching a kernel from device code (dynamic parallelism) is not supported "
        "on the CPU backend");
  CHECK(first_error("__device__ void f(int r) {\n asm volatile(\"bra %0;\" :: \"r\"(r)); }") ==
        "t.cu:2: error: PTX instruction 'bra' is not supported on the CPU backend");
  CHECK(first_error("__device__ void f() {\n asm(\"add.sat.s32 %0, %0, 1;\"); }") ==
        "t.cu:2: error: PTX instruction 'add.sat.s32' is not supported on the CPU backend");
  CHECK(first_error("__device__ void f(int r) {\n asm(\"mov.b32 %0, %0;\" : \"+C\"(r)); }") ==
        "t.cu:2: error: the PTX constraint '+C' is not supported on the CPU backend");
  CHECK(first_error("__global__ void k(int* p) {\n *p = 1; %>") ==
        "t.cu:2: error: `%>` is not supported; write `}`");
  CHECK(first_error("template <class T> struct S {};\nS<::S<int>> s; int f(int a) { return a%3; }")
            .empty());
  CHECK(first_error("__global__\nint x = 3;") ==
        "t.cu:1: error: `__global__` belongs to no function: write `__global__ void "
        "NAME(PARAMETERS)`");
  CHECK(first_error("__global__ void (k)(int* p) { *p = 1; }").empty());
  CHECK(first_error("__device__ void f() { asm volatile(\"\" ::: \"memory\"); }").empty());
  CHECK(first_error("void host() { asm(\"nop\"); }").empty());
  CHECK(first_error("struct S { int texture; }; int tex2D(int); void f() { tex2D(1); }").empty());
}

TEST_CASE("rewriter: a loop that another thread may have to end lets it run, and no other does") {
  const auto yields = [](const std::string& code, const std::string& before = "") {
    const std::string kernel = "__global__ void k(int* p, int n) { int i = 0, a, b = 0; " + code;
    return run(before + kernel + " }").text.find("::simt::yield()") != std::string::npos;
  };
  const std::string lambda = "const auto f = [&] { return atomicAdd(p, 0); }; ";
  for (const char* code : {
           "for (;;) { if (atomicAdd(p, 0) > n) break; }",
           "while (i < n) { i = atomicAdd(p, 0); }",
           "while (i < n) { if (atomicAdd(p, 0)) continue; ++i; }",
           "while (i < n || !i) { a = atomicAdd(p, 1); i += 2; }",
           "for (; i < n; ++i) { if (atomicAdd(p, 0)) --i; }",
           "for (; i < n; ++i) { if (atomicAdd(p, 0)) i = 0; }",
           "for (i = atomicAdd(p, 0); i < n; i = atomicAdd(p, 0)) b++;",
           "do { a = b; } while (atomicCAS(p, 0, 1) != 0);",
           "do { a = b; b = atomicCAS(p, 0, 1); } while (b != 0);",
           "do { a = b; b = atomicCAS(p, 0, 1); } while (a != b);",
           "again: if (atomicAdd(p, 0) < n) goto again;",
           "while (!i) { __threadfence(); i = *p; }",
           "while (!i) { asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(i) : \"l\"(p)); }",
           "while (true) { atomicAdd(p, 1); if (*(volatile int*)p > n) break; }",
       }) {
    CAPTURE(std::string(code));
    CHECK(yields(code));
  }
  CHECK(yields(lambda + "while (i < n) { ++b; i = f(); }"));
  CHECK(yields("while (i < n) i = g(p);", "__device__ int g(int* p) { return atomicAdd(p, 0); }"));
  for (const char* code : {
           "for (; i < n; i += 32) { a = atomicAdd(p, 1); p[a] = i; }",
           "for (i = n; i > 0; i >>= 1) { a = atomicAdd(p, 1); }",
           "while (i < n) { a = atomicAdd(p, 1); p[a] = i; i += blockDim.x; }",
           "while (n-- > 0) { a = atomicAdd(p, 1); }",
           "while (!i) { atomicAdd(p, 1); if (n > 3) atomicMax(p, 4); i = p[n]; }",
           "do { a = b; b = atomicCAS(p, a, a + 1); } while (a != b);",
           "for (int c : {1, 2}) b += atomicAdd(p, c);",
           "while (i != n) { i = p[i]; }",
           "if (n > 1) goto done; a = atomicAdd(p, 1); done: p[0] = 1;",
       }) {
    CAPTURE(std::string(code));
    CHECK_FALSE(yields(code));
  }
  CHECK_FALSE(yields(lambda + "for (; i < n; ++i) b += f();"));
  CHECK_FALSE(yields("while (i < n) i = g(p);", "__device__ int g(int* p) { return *p; }"));
}

TEST_CASE("rewriter: what is assigned is a value of its own, what is compared stays") {
  const auto watched = [](const std::string& code) {
    return flat(run("__device__ void f(int* p) { " + code + " }", {.watched = true}).text);
  };
  CHECK(has(watched("*p = p[1] + p[2];"), "*p = ::simt::watched_value(p[1] + p[2]);"));
  CHECK(has(watched("if (*p >= 0 && p[1] < 9) return;"), "if (*p >= 0 && p[1] < 9) return;"));
  CHECK(has(watched("*p >>= p[1] + p[2];"), "*p >>= p[1] + p[2];"));
}

TEST_CASE("rewriter: what a reference is bound to is an element of its array") {
  const std::string head =
      "struct F { void load(); }; __device__ void f(int (&row)[4], int n);"
      " template <class T, int N> __device__ void g(int n, const T (&row)[N]);"
      " __device__ void h(int* row); __device__ void m(int (&row)[4]); __device__ void m(int* row);"
      " __device__ void e(const int& x); __device__ constexpr int c(const int& x) { return x; }"
      " struct S { int rows[2][4]; F parts[2]; S* next; }; ";
  const auto text = [&](const std::string& call, bool watched) {
    const std::string code =
        "__device__ void k(int (&a)[2][4], F (&b)[2], S& s, S* q, int i) { " + call + "; }";
    return flat(run(head + code, {.watched = watched}).text);
  };
  const auto is_held = [&](const std::string& call) {
    return has(text(call, true), "::simt::elements(");
  };
  CHECK(has(text("f(a[i + 1], 3)", true), "f(::simt::elements(a)[i + 1].value, 3)"));
  CHECK(has(text("e(s.rows[i][1])", true),
            "e(::simt::elements(::simt::elements(s.rows)[i].value)[1].value)"));
  CHECK(has(text("b[i].load()", true), "{ ::simt::elements(b)[i].value.load(); }"));
  CHECK(is_held("g(1, a[i])"));
  CHECK(is_held("g<int, 4>(1, a[i])"));
  CHECK(is_held("f(q->next->rows[i], 1)"));
  CHECK(is_held("::f(a[i], 1)"));
  CHECK(is_held("s.parts[i].load()"));
  CHECK(is_held("int (&row)[4] = a[i]"));
  CHECK(is_held("auto& row = a[i]"));
  CHECK(is_held("const auto& x = a[i][3], &y = x"));
  CHECK_FALSE(is_held("h(a[i])"));
  CHECK_FALSE(is_held("m(a[i])"));  // the other one takes a pointer
  CHECK_FALSE(is_held("f(*q[i], 1)"));
  CHECK_FALSE(is_held("e(a[i][0] + 1)"));
  CHECK_FALSE(is_held("g(a[0][i], *a)"));
  CHECK_FALSE(is_held("auto row = a[i]"));
  CHECK_FALSE(is_held("constexpr int n = c(table[2])"));
  CHECK_FALSE(is_held("int n = c(a[i][0])"));
  CHECK(is_held("nvcuda::wmma::mma_sync(c, a[i], d, c)"));
  CHECK_FALSE(is_held("nvcuda::wmma::store_matrix_sync(a[i], c, 16)"));
  CHECK_FALSE(is_held("a[i][0] += a[i][1]"));
  CHECK_FALSE(has(text("f(a[i], 3); b[i].load()", false), "elements("));
}

TEST_CASE("rewriter: variables without a value get one where they are watched") {
  const auto filled = [](const std::string& code) {
    const std::string text =
        flat(run("__device__ void f(int* p) { " + code + " }", {.watched = true}).text);
    std::string names;
    constexpr std::string_view call = "::simt::fill_unset(";
    for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
      const std::size_t first = at + call.size();
      names += (names.empty() ? "" : " ") + text.substr(first, text.find(',', first) - first);
    }
    return names;
  };
  CHECK(filled("float sum;") == "sum");
  CHECK(filled("unsigned int a, b[4], c = 3, d[2][3];") == "a b d");
  CHECK(filled("int* q; const int* r;") == "q");
  CHECK(filled("std::pair<float, int> best;") == "best");
  CHECK(filled("wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];") == "sums");
  CHECK(filled("[[maybe_unused]] alignas(16) float tile[4];") == "tile");
  CHECK(filled("if (p) { A a; } else { B b; }") == "a b");
  CHECK(filled("switch (*p) { case 1: int x; x = 2; default: break; }") == "x");
  CHECK(filled("again: int y; goto again;") == "y");
  CHECK(filled("const float* __restrict__ q = g(); unsigned long long n;") == "n");
  CHECK(filled("auto g = [&](int i) { float inner; return inner + i; };") == "inner");
  CHECK(filled("struct Pair { float left, right; }; Pair pair;") == "pair");
  for (const char* const code : {"float sum = 0, other{};",
                                 "for (int i = 0; i < 3; ++i) *p = i;",
                                 "return;",
                                 "*p = 3;",
                                 "__shared__ float tile[8];",
                                 "extern __shared__ int all[];",
                                 "static int calls;",
                                 "struct Pair { float left, right; };",
                                 "struct alignas(16) Node { Node* next; };",
                                 "using T = float;",
                                 "typedef float T;",
                                 "p[0] += 2;",
                                 "if (*p) return; else p++;",
                                 "const int n = 3;",
                                 "g(p);",
                                 "std::tie(p, p);",
                                 "(void)p;",
                                 "goto out; out: return;",
                                 "int a = *p ? 1 : 2 * p[3];",
                                 "*p = *p ? *p : *p * p[1];",
                                 "asm volatile(\"\");",
                                 "enum Kind { one, two };"}) {
    CAPTURE(std::string(code));
    CHECK(filled(code).empty());
  }
}

TEST_CASE("rewriter: what follows an edit stays in its line and column") {
  const std::string text = run("void f() {\n  k<<<1, 2>>>(a, b); g();\n  h();\n}").text;
  // The arguments, and what follows the closing parenthesis, are where the learner wrote them.
  const std::string marker = "\n# 2 \"t.cu\"\n";
  CHECK(text.find(marker + std::string(13, ' ') + "(a, b))") != std::string::npos);
  CHECK(text.find(marker + std::string(19, ' ') + "; g();\n  h();\n}") != std::string::npos);
}

TEST_CASE("rewriter: host and device passes are merged") {
  const auto merged = [](const std::string& host, const std::string& device) {
    const Result result =
        simt::rewrite::rewrite("# 1 \"t.cu\"\n" + host, "# 1 \"t.cu\"\n" + device, {});
    return flat(result.text);
  };
  CHECK(merged("__host__ __device__ int f() { return 1; }",
               "__host__ __device__ int f() { return 2; }") ==
        flat("int f() { if (!::simt::on_device()) { return 1; } else { return 2; } }"));
  CHECK(has(merged("__device__ int f() { return 1; }", "__device__ int f() { return 2; }"),
            "int f() { return 2; }"));
  CHECK(merged("int f() { return 1; }", "int f() { return 2; }") == flat("int f() { return 1; }"));
  CHECK(has(merged("int a; int z;", "int a; __device__ int f() { return 2; } int z;"),
            "int f() { return 2; } int z;"));
  CHECK(merged("int a; __device__ int f() { return 2; } int z;", "int a; int z;") ==
        flat("int a; int z;"));
  CHECK(merged("constexpr int n = 1; int z;", "constexpr int n = 2; int z;") ==
        flat("constexpr int n = 1; int z;"));
  CHECK(has(merged("struct S { __host__ __device__ int f() { return 1; } };",
                   "struct S { __host__ __device__ int f() { return 2; } };"),
            "if (!::simt::on_device()) { return 1; } else { return 2; }"));
}
