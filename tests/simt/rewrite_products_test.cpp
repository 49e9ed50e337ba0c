// The rewriter: loops that add products to a thread's sums, and choices between a value and a
// literal. What is recognised, and twins that look like it and must stay as they are.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "passes/rewrite.hpp"

namespace {

using simt::rewrite::Options;

std::string rewritten(std::string_view code, const Options& options = {}) {
  const auto result = simt::rewrite::rewrite("# 1 \"t.cu\"\n" + std::string(code), {}, options);
  for (const std::string& error : result.errors) CHECK_MESSAGE(false, error);
  return result.text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A device function that multiplies, made of what stands before its loops and of a statement.
std::string function(std::string_view head, std::string_view statement) {
  return "constexpr int M = 4, N = 8;\n__device__ void add(const float* in, float (&sums)[M][N], "
         "int n) {\n" +
         std::string(head) +
         "\n  for (int i = 0; i < M; ++i) {\n#pragma unroll\n    for (int j = 0; j < N; ++j) {\n" +
         std::string(statement) + "\n    }\n  }\n}\n";
}

constexpr std::string_view kArrays = "float a[M], b[2 * N], c[3][N]; a[0] = in[0];";

bool is_vector(const std::string& code) { return has(rewritten(code), "added_products("); }

}  // namespace

TEST_CASE("products: loops over a thread's sums get a call that does the same by vectors") {
  const std::string text = rewritten(function(kArrays, "sums[i][j] += a[i] * b[j];"));
  CHECK(
      has(text,
          "if (::simt::added_products(M, N, sums, ::simt::product_row(a, ::simt::product_index()), "
          "::simt::product_row(b, ::simt::product_index()))) {} else"));
  CHECK(has(text, "sums[i][j] += a[i] * b[j];"));
  CHECK(has(rewritten(function(kArrays, "sums[i][j] += c[n + 1][3 + j] * a[i];")),
            "product_row(c, ::simt::product_index(n, 1), ::simt::product_index(3))"));
  CHECK(has(rewritten(function(kArrays, "sums[i][j] += c[1][n + i] * b[j];")),
            "sums, ::simt::product_row(c, ::simt::product_index(1), ::simt::product_index(n)), "));
  CHECK(is_vector(R"(__device__ void add(float (&sums)[4][2][4], int k) {
  float a[4] = {}, b[3][8] = {};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; ++j) {
      sums[i][0][j] += a[i] * b[k][j + 1];
      sums[i][1][j] += a[i] * b[k + 1][j + 1];
    }
})"));
  CHECK(is_vector(R"(__global__ void k(float* out) {
  float sums[4][4] = {}, a[4] = {}, b[4] = {};
  for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) sums[i][j] += a[i] * b[j];
  out[threadIdx.x] = sums[0][0];
})"));
}

TEST_CASE("products: each of several such loops gets its call") {
  const std::string loops =
      "for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) sums[i][j] += a[i] * b[j];";
  const std::string text =
      rewritten("__device__ void add(float (&sums)[4][4]) { float a[4], b[4]; " + loops +
                " b[0] = 1; " + loops + " }");
  const std::size_t first = text.find("added_products(");
  CHECK(first != std::string::npos);
  CHECK(text.find("added_products(", first + 1) != std::string::npos);
}

TEST_CASE("products: what is not of the form stays as it is") {
  for (const std::string_view statement :
       {"sums[i][j] -= a[i] * b[j];",        "sums[i][j] += a[i] * b[i];",
        "sums[i][j] += a[j] * b[j];",        "sums[i][j] += a[i] * b[2 * j];",
        "sums[i][j] += a[i] * b[j - 1];",    "sums[j][i] += a[i] * b[j];",
        "sums[i][j] += a[i] * b[j + i];",    "sums[i][j] += a[i] * c[j][j];",
        "sums[i][j] += a[i] * b[j++];",      "sums[i][j] += a[i] * b[f() + j];",
        "sums[i][j] += a[i] * b[j + j];",    "sums[i][j] += a[i] * b[j] + 1;",
        "sums[i][1][j] += a[i] * b[j];",     "sums[i][j] += a[i] * b[j]; n += 1;",
        "if (n) sums[i][j] += a[i] * b[j];", "sums[i][j] += a[i] * in[j];",
        "sums[i][j] += in[i] * b[j];",       "sums[i][j] += sums[i][j] * b[j];",
        "sums[i][j] += a[i] * b[-1 + j];",   "sums[i][j] += a[i - 1] * b[j];",
        "sums[i][j] += a[i + j] * b[j];",    "sums[i][j] += a[2 * i] * b[j];",
        "sums[i][j] += a[n] * b[j];"}) {
    CAPTURE(statement);
    CHECK_FALSE(is_vector(function(kArrays, statement)));
  }
  // Loops of another kind.
  for (const std::string_view loops :
       {"for (int i = 1; i < 4; ++i)", "for (int i = 0; i <= 3; ++i)",
        "for (unsigned i = 0; i < 4; ++i)", "for (int i = 0; i < 4; i += 2)",
        "for (int i = 3; i >= 0; --i)", "if (k) for (int i = 0; i < 4; ++i)",
        "while (k) for (int i = 0; i < n(); ++i)"}) {
    CAPTURE(loops);
    CHECK_FALSE(is_vector("__device__ void add(float (&sums)[4][4], int k) { float a[4], b[4]; " +
                          std::string(loops) +
                          " for (int j = 0; j < 4; ++j) sums[i][j] += a[i] * b[j]; }"));
  }
}

TEST_CASE("products: what may overlap the sums, or is not the thread's own, stays as it is") {
  const auto with = [](std::string_view head) {
    return is_vector(function(head, "sums[i][j] += a[i] * b[j];"));
  };
  CHECK(with("float a[M]; const float b[N] = {};"));
  CHECK_FALSE(with("float a[M]; auto& b = sums[0];"));
  CHECK_FALSE(with("float a[M]; float (&b)[N] = sums[1];"));
  CHECK_FALSE(with("float a[M]; float* b = sums[1];"));
  CHECK_FALSE(with("float a[M]; decltype(auto) b = row(sums);"));
  CHECK_FALSE(with("float a[M], x[2]; auto& [p, b] = both(sums);"));
  CHECK_FALSE(with("float a[M]; volatile float b[N];"));
  CHECK_FALSE(with("float a[M]; __shared__ float b[N];"));
  CHECK_FALSE(with("float a[M]; static float b[N];"));
  CHECK_FALSE(with("double a[M]; float b[N];"));
  CHECK_FALSE(with("int a[M]; float b[N];"));
  CHECK_FALSE(with("float a[M]; float b[N]; { auto& b = sums[0]; use(b); }"));
  CHECK_FALSE(
      is_vector("__device__ void add(float (&sums)[4][4], float (&a)[4], float (&b)[4]) {"
                " for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j)"
                " sums[i][j] += a[i] * b[j]; }"));
  CHECK_FALSE(
      is_vector("float sums[4][4]; __device__ void add() { float a[4], b[4];"
                " for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j)"
                " sums[i][j] += a[i] * b[j]; }"));
  CHECK_FALSE(
      is_vector("__device__ void add() { float sums[4][4], a[4], b[4];"
                " const auto go = [&](float (&b)[4]) {"
                " for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j)"
                " sums[i][j] += a[i] * b[j]; }; go(sums[1]); }"));
  // The host's own, and what a compiler may compute.
  CHECK_FALSE(
      is_vector("void add(float (&sums)[4][4]) { float a[4], b[4];"
                " for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j)"
                " sums[i][j] += a[i] * b[j]; }"));
  CHECK_FALSE(
      is_vector("__device__ constexpr float add() { float sums[4][4]{}, a[4]{}, b[4]{};"
                " for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j)"
                " sums[i][j] += a[i] * b[j]; return sums[0][0]; }"));
}

TEST_CASE("products: watched programs and those for a debugger stay as they are") {
  const std::string code = function(kArrays, "sums[i][j] += a[i] * b[j];");
  Options watched, debug;
  watched.watched = true;
  debug.debug = true;
  CHECK_FALSE(has(rewritten(code, watched), "added_products("));
  CHECK_FALSE(has(rewritten(code, debug), "added_products("));
}

TEST_CASE(
    "products: loops around them unroll if the source says so and their bound is a constant") {
  const auto around = [](std::string_view loop) {
    return rewritten("template <int SIDE> __device__ void add(float (&sums)[4][4], int n) {\n" +
                     std::string(loop) +
                     " {\n float a[4], b[8];\n for (int i = 0; i < 4; ++i)"
                     " for (int j = 0; j < 4; ++j) sums[i][j] += a[i] * b[j + t];\n}\n}\n");
  };
  CHECK(has(around("#pragma unroll\nfor (int t = 0; t < SIDE; ++t)"), "#pragma GCC unroll 8"));
  CHECK_FALSE(has(around("#pragma unroll\nfor (int t = 0; t < n; ++t)"), "unroll 8"));
  CHECK_FALSE(has(around("#pragma unroll 1\nfor (int t = 0; t < SIDE; ++t)"), "unroll 8"));
  CHECK_FALSE(has(around("for (int t = 0; t < SIDE; ++t)"), "unroll 8"));
}

namespace {

/// A device function with a row of sums and what stands before its loop and in it.
std::string row_function(std::string_view head, std::string_view statements) {
  return "__device__ void add(float (&sums)[4][5], const float4* in, int i, int n) {\n" +
         std::string(head) + "\n#pragma unroll\n  for (int j = 0; j < 5; ++j) {\n" +
         std::string(statements) + "\n  }\n}\n";
}

bool is_row_vector(const std::string& code) { return has(rewritten(code), "added_rows("); }

constexpr std::string_view kRow = "float row[8]; const float4 x = in[0]; float y = x.x;";

}  // namespace

TEST_CASE("row products: a loop over a row of sums gets a call that does the same by vectors") {
  const std::string text =
      rewritten(row_function(kRow, "sums[i][j] += x.x * row[j];\nsums[i][j] += row[j + 1] * y;"));
  CHECK(has(text,
            "if (::simt::added_rows(5, sums[i], ::simt::row_term<decltype(x), "
            "decltype(x.x)>(x.x, ::simt::product_row(row, ::simt::product_index())), "
            "::simt::row_term<decltype(y), decltype(y)>(y, ::simt::product_row(row, "
            "::simt::product_index(1))))) {} else"));
  CHECK(is_row_vector(row_function("float row[3][8]; const float y = in[0].x; float t[5] = {};",
                                   "t[j] += y * row[n][j + i];")));
}

TEST_CASE("row products: what is not of the form, or may overlap the sums, stays as it is") {
  for (const std::string_view statements :
       {"sums[i][j] -= y * row[j];", "sums[i][j] += y * row[i];", "sums[j][i] += y * row[j];",
        "sums[i][j] += y * row[j]; sums[n][j] += y * row[j];", "sums[i][j] += n * row[j];",
        "sums[i][j] += y * sums[n][j];", "sums[i][j] += in[0].x * row[j];",
        "sums[i][j] += f(y) * row[j];", "sums[i][j] += y * row[2 * j];",
        "sums[i][j] += y * row[j]; y += 1;", "if (n) sums[i][j] += y * row[j];",
        "sums[n + i][j] += y * row[j];", "sums[i][j] += y * row[j] + 1;",
        "sums[i][j] = y * row[j];"}) {
    CAPTURE(statements);
    CHECK_FALSE(is_row_vector(row_function(kRow, statements)));
  }
  const auto with = [](std::string_view head) {
    return is_row_vector(row_function(head, "sums[i][j] += y * row[j];"));
  };
  CHECK(with("float row[8]; const float y = 2;"));
  CHECK_FALSE(with("float row[8]; const float& y = sums[0][0];"));
  CHECK_FALSE(with("float row[8]; auto y = 2.0f;"));
  CHECK_FALSE(with("float row[8], y = 2;"));
  CHECK_FALSE(with("float y = 2; float (&row)[5] = sums[1];"));
  CHECK_FALSE(with("float y = 2; float* row = sums[1];"));
  CHECK_FALSE(with("float row[8]; float y = 2; { float& y = sums[0][0]; use(y); }"));
  CHECK_FALSE(with("float row[8]; float y = 2; const auto go = [&](float y) { use(y); };"));
  CHECK_FALSE(
      is_row_vector("void add(float (&sums)[5]) { float row[5]; float y = 2;"
                    " for (int j = 0; j < 5; ++j) sums[j] += y * row[j]; }"));
  Options watched;
  watched.watched = true;
  CHECK_FALSE(
      has(rewritten(row_function(kRow, "sums[i][j] += y * row[j];"), watched), "added_rows("));
}

TEST_CASE("selections: a choice between a number and a literal by equality is no jump") {
  const auto chosen = [](std::string_view expression) {
    return has(rewritten("__device__ float f(const float2* in, int a, int b, float y) {\n  const "
                         "float x = in[a];\n"
                         "  const auto z = static_cast<float>(in[b].y);\n const float w = x * z;\n "
                         " float v;\n  return " +
                         std::string(expression) + ";\n}\n"),
               "simt::selected(");
  };
  CHECK(chosen("a == b ? x : 0.0f"));
  CHECK(chosen("a != tut::none ? 1.5f : z"));
  CHECK_FALSE(chosen("a == b ? v : 0.0f"));  // it may have no value
  CHECK_FALSE(chosen("a == b ? y : 0.0f"));  // it may be a reference
  CHECK_FALSE(chosen("a == b ? x : 0.0"));   // a double
  CHECK_FALSE(chosen("a == b ? x : 0"));     // an int
  CHECK_FALSE(chosen("a < b ? x : 0.0f"));   // the form of a minimum
  CHECK_FALSE(chosen("x == 0.0f ? x : 1.0f"));
  CHECK_FALSE(chosen("a == b ? x : 0.0f + y"));
  CHECK_FALSE(chosen("y + a == b ? x : 0.0f"));
  CHECK_FALSE(chosen("a == b ? g() : 0.0f"));
  CHECK_FALSE(chosen("a == b ? w : 0.0f"));  // a product, which a sum may contract
  CHECK_FALSE(chosen("y * z - (a == b ? x : 0.0f)"));
}

TEST_CASE("selections: a number may be declared behind another one") {
  const auto chosen = [](std::string_view declarations) {
    return has(rewritten("__device__ float f(const float2* in, int a, int b, float y) {\n  " +
                         std::string(declarations) + "\n  return a == b ? x : 0.0f;\n}\n"),
               "simt::selected(");
  };
  CHECK(chosen("const float w = in[a].x, x = in[a].y;"));
  CHECK(chosen("const float v = g(a, b), w = in[a].x * y, x = in[b].y, z = x;"));
  CHECK(chosen("const float x = in[a].x; g(a, x); use(x, x); auto p = in + a, q = in;"));
  CHECK_FALSE(chosen("float w = in[a].x, x = in[a].y;"));
  CHECK_FALSE(chosen("const float w = in[a].x, x = in[a].y * w;"));
  CHECK_FALSE(chosen("const float w = in[a].x, x{in[a].y};"));
  CHECK_FALSE(chosen("const float* w = p, x = in[a].y;"));
  CHECK_FALSE(chosen("const double w = in[a].x, x = in[a].y;"));
  CHECK_FALSE(chosen("const float w = in[a].x, x = in[a].y; { int n, x; use(x); }"));
  CHECK_FALSE(chosen("const float x = in[a].x; for (int n = 0, x = 1; n < 2; ++n) use(x);"));
  CHECK_FALSE(chosen("const float x = in[a].x; auto g = [](int n, float x) { return x; };"));
}

TEST_CASE("selections: a choice between sums of flags and numbers by a flag is no jump") {
  const auto chosen = [](std::string_view statement, std::string_view head = "") {
    return has(rewritten("struct Pair { int a, b; };\n__device__ Pair f(bool y, int n) {\n"
                         "  const bool flag = n > 3, more = n > 5;\n  const bool far = n > 4;\n"
                         "  const int step = n * n;\n  bool open = y;\n" +
                         std::string(head) + std::string(statement) + "\n}\n"),
               "simt::selected(");
  };
  CHECK(chosen("return {0, far ? 2 + far : 0 + far};"));
  CHECK(chosen("const int k = far ? step : 1 + step; return {k, k};"));
  CHECK_FALSE(chosen("return {0, more ? 2 : 3};"));  // a list may declare others than flags
  CHECK_FALSE(chosen("return {0, open ? 2 : 3};"));  // it may change
  CHECK_FALSE(chosen("return {0, y ? 2 : 3};"));     // it may be a reference
  CHECK_FALSE(chosen("return {0, step ? 2 : 3};"));  // no flag
  CHECK_FALSE(chosen("return {0, !far ? 2 : 3};"));
  CHECK_FALSE(chosen("return {0, n + far ? 2 : 3};"));
  CHECK_FALSE(chosen("return {0, far ? 2 : n};"));
  CHECK_FALSE(chosen("return {0, far ? 2 : f(y, n).a};"));
  CHECK_FALSE(chosen("return {0, far ? 2 : 3 * step};"));
  CHECK_FALSE(chosen("return {0, (far ? 2 : 3) ? 1 : n};", "{ const bool far = y; use(far); }"));
  CHECK_FALSE(chosen("return {0, far ? 2 : 3};", "auto [far, b] = both(n);"));
}

TEST_CASE("products: a function that adds to its caller's sums runs in its caller's place") {
  const std::string loops =
      " float a[4], b[4]; for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j)"
      " sums[i][j] += a[i] * b[j]; ";
  const auto inlined = [&](const std::string& head, const std::string& before = "",
                           const std::string& more = "") {
    return rewritten(before + head + " void add(float (&sums)[4][4]) {" + loops + more + "}\n");
  };
  const auto is_inlined = [&](const std::string& text) { return has(text, "always_inline"); };
  CHECK(has(inlined("static __device__"), "inline __attribute__((always_inline))"));
  CHECK(is_inlined(inlined("template <int N> __device__")));
  CHECK(is_inlined(inlined("namespace { __device__", "", "}")));
  CHECK(is_inlined(inlined("namespace { namespace inner { __device__", "", "}}")));
  CHECK(is_inlined(inlined("inline __device__")));
  CHECK_FALSE(has(inlined("inline __device__"), "inline __attribute__"));
  const std::string forced = inlined("__device__ __forceinline__");
  CHECK(forced.find("always_inline") == forced.rfind("always_inline"));
  CHECK(is_inlined(
      rewritten("struct Tile { __device__ void add(float (&sums)[4][4]) {" + loops + "} };")));
  // Another translation unit may call it, it may call itself, or it is not to be inlined.
  CHECK_FALSE(is_inlined(inlined("__device__")));
  CHECK_FALSE(is_inlined(inlined("namespace named { __device__", "", "}")));
  CHECK_FALSE(is_inlined(inlined("template <> __device__")));
  CHECK_FALSE(is_inlined(inlined("static __device__ __noinline__")));
  CHECK_FALSE(is_inlined(inlined("static __device__", "", "if (a[0] > b[0]) add(sums);")));
  CHECK_FALSE(is_inlined(inlined("static __device__",
                                 "__device__ void add(float (&sums)[4][4]);\n"
                                 "__device__ void again(float (&s)[4][4]) { add(s); }\n",
                                 "again(sums);")));
  // The sums are its own.
  CHECK_FALSE(is_inlined(rewritten("static __device__ float add() { float sums[4][4] = {};" +
                                   loops + "return sums[1][1]; }")));
}
