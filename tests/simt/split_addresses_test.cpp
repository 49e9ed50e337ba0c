// Addresses of what a phase has for itself: where they may outlive it, its variables stay in their
// places, or the kernel is left to fibers.
#include <doctest/doctest.h>

#include <string>

#include "passes/rewrite.hpp"

namespace {

std::string text_of(const std::string& before, const std::string& body,
                    const std::string& parameters = "int* to") {
  const std::string source = "# 1 \"kernel.cu\"\n" + before + "\n__global__ void k(" + parameters +
                             ") {\n" + body + "\n}\n";
  const simt::rewrite::Result result = simt::rewrite::rewrite(source, "", {});
  REQUIRE(result.errors.empty());
  return result.text;
}

bool is_split(const std::string& before, const std::string& body) {
  return text_of(before, body).find("run_blocks(") != std::string::npos;
}

/// Does `m`, whose address is taken and which lives across a barrier, stay in its place?
bool stays(const std::string& first, const std::string& before = "",
           const std::string& parameters = "int* to", const std::string& behind = "") {
  const std::string text = text_of(before,
                                   "int m = 3 * threadIdx.x;\n" + first +
                                       "\n__syncthreads();\n++m;\nto[threadIdx.x] = m;" + behind,
                                   parameters);
  REQUIRE(text.find("run_blocks(") != std::string::npos);
  const bool in_place = text.find("simt_type_m& m = simt_all_m") != std::string::npos;
  CHECK(in_place != (text.find("carried_t<simt_type_m> m = simt_all_m") != std::string::npos));
  return in_place;
}

/// Is a kernel split whose first phase has `first`, with another phase behind it?
bool two_phases(const std::string& first, const std::string& before = "") {
  return is_split(before, first + "\n__syncthreads();\nto[threadIdx.x] = 1;");
}

}  // namespace

TEST_CASE("addresses: an integer may hold that of a variable") {
  CHECK(stays("long long a = (long long)&m; to[0] = a;"));
  CHECK(stays("std::size_t a = (std::size_t)&m; to[0] = a;"));
  CHECK(stays("std::size_t a = std::size_t(&m); to[0] = a;"));
  CHECK(stays("unsigned a = (unsigned)reinterpret_cast<unsigned long long>(&m); to[0] = a;"));
  CHECK(stays("long long a = std::bit_cast<long long>(&m); to[0] = a;"));
  CHECK(stays("int* p = &m; long long a = 0; memcpy(&a, &p, 8); to[0] = a;"));
  CHECK(stays("int* p = &m; to[0] = *reinterpret_cast<long long*>(&p);"));
  CHECK(stays("int* p = &m; to[0] = (long long&)p;"));
  CHECK(stays("long long a = (char*)&m - (char*)to; to[0] = a;"));
  CHECK(stays("printf(\"%p\", &m);"));
  CHECK(stays("to[0] = address(m);",
              "__device__ long long address(const int& x) { return (long long)&x; }"));
  CHECK(stays("to[0] = address<long long>(m);",
              "template <class T> __device__ T address(const int& x) { return (T)&x; }"));
  const std::string held = "int* p = &m; to[0] = *p;";
  CHECK(stays(held, "union U { int* p; long long a; };"));
  CHECK(stays(held,
              "using P = int*;\nstruct S { P p; };\n__device__ void f(char* x, int* p) "
              "{ ((S*)x)->p = p; }"));
  CHECK(stays(held,
              "using P = int*;\nstruct B { P p; };\nstruct S : B {};\n"
              "__device__ void f(char* x, int* p) { ((S*)x)->p = p; }"));
  // Numbers alone are converted, or nothing but a pointer.
  CHECK_FALSE(stays(held));
  CHECK_FALSE(stays(held + "long long a = (long long)m; to[1] = a;"));
  CHECK_FALSE(stays(held + "long long a = (long long)(m + 3 * blockIdx.x); to[1] = a;"));
  CHECK_FALSE(stays(held + "float x = 1; memcpy(&m, &x, sizeof(x));"));
  CHECK_FALSE(stays(held + "to[1] = std::bit_cast<unsigned>(1.0f);"));
  CHECK_FALSE(stays(held + "to[1] = reinterpret_cast<std::uintptr_t>(to) % 16 == 0;"));
  CHECK_FALSE(stays(held + "to[1] = reinterpret_cast<int4*>(to)[3].x;"));
  CHECK_FALSE(stays(held,
                    "struct B { int i; };\nstruct S : B {};\n"
                    "__device__ void f(char* x, int i) { ((S*)x)->i = i; }"));
  CHECK_FALSE(stays(held, "long long host(int* p) { return (long long)p; }"));
}

TEST_CASE("addresses: memory of a class that holds a pointer") {
  const std::string kept = "g[threadIdx.x].p = &m;";
  CHECK(stays(kept, "struct S { int* p; };", "int* to, S* g"));
  CHECK(stays(kept, "using P = int*;\nstruct S { P p; };", "int* to, S* g"));
  CHECK_FALSE(
      stays("f(&m);", "__device__ void f(int* p) {}\nstruct S { int p; };", "int* to, S* g"));
}

TEST_CASE("addresses: a phase's threadIdx ends with it") {
  CHECK_FALSE(two_phases("const unsigned& r = threadIdx.x; to[r] = 2;"));
  CHECK_FALSE(two_phases("const unsigned* r = &threadIdx.x; to[*r] = 2;"));
  CHECK_FALSE(two_phases("const unsigned& r = std::min(threadIdx.x, blockDim.x); to[r] = 2;"));
  CHECK_FALSE(two_phases("S s{threadIdx.x}; to[s.r] = 2;", "struct S { const unsigned& r; };"));
  CHECK_FALSE(two_phases("S s{threadIdx.x}; to[s.r] = 2;",
                         "using R = const unsigned&;\nstruct S { R r; };"));
  CHECK_FALSE(two_phases("S<const unsigned&> s{threadIdx.x}; to[s.r] = 2;",
                         "template <class T> struct S { T r; };"));
  CHECK_FALSE(two_phases("S s; s.set(threadIdx.x);",
                         "struct S { const unsigned* r; "
                         "__device__ void set(const unsigned& x) { r = &x; } };"));
  const std::string made =
      "struct S { const unsigned* r; __device__ S(const unsigned& x) : r(&x) {} };";
  CHECK_FALSE(two_phases("f(threadIdx.x);", made + "__device__ void f(S s) {}"));
  CHECK_FALSE(
      two_phases("f<S>(threadIdx.x);", made + "template <class T> __device__ void f(T s) {}"));
  // Copies, and what has no place for an address.
  CHECK(two_phases("unsigned r = threadIdx.x; to[r] = 2;"));
  CHECK(two_phases("S s{threadIdx.x}; to[s.r] = 2;", "struct S { unsigned r; };"));
  CHECK(two_phases("f(threadIdx.x);", "__device__ void f(unsigned x) {}"));
  CHECK(two_phases("const unsigned& r = blockDim.x; to[r] = 2;"));
  CHECK(is_split("__device__ void f(const unsigned& x) {}", "f(threadIdx.x);"));
}

TEST_CASE("addresses: a parameter that is an object may be made of the argument") {
  const auto kept = [](const std::string& before, const std::string& behind) {
    return stays("S s; f(s, m);", before, "int* to", behind);
  };
  CHECK(
      kept("struct S { const int* r; S() = default; __device__ S(const int& x) : r(&x) {} };\n"
           "__device__ void f(S& to, S s) { to = s; }",
           "to[0] = *s.r;"));
  CHECK_FALSE(
      kept("struct S { int r; };\n__device__ void f(S& to, int s) { to.r = s; }", "to[0] = s.r;"));
}

TEST_CASE("addresses: arguments and results of calls in which threads meet are only copied") {
  const auto confirmed = [](const std::string& type, const std::string& what) {
    const std::string text =
        text_of("__device__ int f(" + type + " x) { return __shfl_xor_sync(~0u, x, 1); }",
                "to[threadIdx.x] = f(to[0]);");
    return text.find(what) != std::string::npos;
  };
  const std::string copies = "is_trivially_copyable_v<simt_argument_";
  const std::string converts = "ElementsOf<decltype(simt_given_x), simt_type_x>";
  for (const std::string type : {"int", "short", "float"}) {
    CHECK(confirmed(type, copies));
    CHECK(confirmed(type, converts));
  }
  // A reference gets no copy.
  CHECK_FALSE(confirmed("int&", copies));
  CHECK_FALSE(confirmed("int&", converts));
}
