#!/usr/bin/env python3
"""What the operators make of small sources: every change named, and nothing else changed."""
import unittest

import operators
from cuda_source import Source


def changes(text, operator):
    """The changed lines that an operator makes, each stripped."""
    mutants = [m for m in operators.mutants_of(Source(text)) if m.operator == operator]
    return [mutant.after.strip() for mutant in mutants]


def kernel(body, header="__global__ void k(float* x, int n)"):
    return f"{header} {{\n{body}\n}}\n"


class Barriers(unittest.TestCase):
    def test_each_is_removed(self):
        text = kernel("  x[0] = 1;\n  __syncthreads();\n  __syncwarp();\n  __threadfence();")
        self.assertEqual(len(changes(text, "barrier removed")), 3)

    def test_moves_into_the_if_before(self):
        text = kernel("  if (n > 1) x[0] = 1;\n  __syncthreads();")
        self.assertEqual(changes(text, "barrier into the if before"),
                         ["if (n > 1) { x[0] = 1; __syncthreads(); }"])
        text = kernel("  if (n > 1) { x[0] = 1; }\n  __syncthreads();")
        self.assertEqual(changes(text, "barrier into the if before"),
                         ["if (n > 1) { x[0] = 1;  __syncthreads(); }"])

    def test_changes_places_with_the_statement_before(self):
        text = kernel("  x[0] = 1;\n  __syncthreads();")
        self.assertEqual(changes(text, "barrier too early"), ["__syncthreads(); x[0] = 1;"])


    def test_the_first_of_a_block_stays_in_it(self):
        text = kernel("  if (n > 1) {\n    __syncthreads();\n  }")
        self.assertEqual(changes(text, "barrier too early"), [])
        self.assertEqual(changes(text, "barrier into the if before"), [])

    def test_calls_of_ptx_are_barriers(self):
        text = kernel("  if (n > 1) ptx::wgmma_wait_group<1>();\n  x[0] = 1;\n  ptx::mbarrier_wait(&b, n % 2);\n"
                      "  ptx::ldmatrix(x);")
        self.assertEqual(changes(text, "barrier removed"), ["if (n > 1) ;", ""])
        self.assertEqual(changes(text, "barrier too early"), ["ptx::mbarrier_wait(&b, n % 2); x[0] = 1;"])

    def test_a_wait_for_fewer_groups(self):
        text = kernel("  ptx::cp_async_wait_group<STAGES - 2>();\n  ptx::wgmma_wait_group<0>();\n"
                      "  ptx::wgmma_fence();")
        self.assertEqual(changes(text, "fewer waited for"),
                         ["ptx::cp_async_wait_group<STAGES - 2 + 1>();", "ptx::wgmma_wait_group<0 + 1>();"])


class Comparisons(unittest.TestCase):
    def test_each_way(self):
        text = kernel("  bool b = 1 < n;\n  b = n >= 2;")
        self.assertEqual(changes(text, "comparison"), ["bool b = 1 <= n;", "b = n > 2;"])

    def test_brackets_of_templates_and_launches_stay(self):
        text = "template <int N>\nvoid f() {\n  View<const float> v;\n  k<N><<<1, 2>>>(v);\n}\n"
        self.assertEqual(changes(text, "comparison"), [])

    def test_comments_and_strings_stay(self):
        text = kernel('  // if (a < b)\n  puts("a < b"); /* a < b */')
        self.assertEqual(changes(text, "comparison"), [])


class Indices(unittest.TestCase):
    def test_subscripts(self):
        text = kernel("  x[n] = 1;")
        self.assertEqual(changes(text, "index off by one"), ["x[n + 1] = 1;", "x[n - 1] = 1;"])

    def test_arguments_of_a_view(self):
        text = kernel("  v(n, 2) = f(n);", "__global__ void k(MatrixView<const float> v, int n)")
        self.assertEqual(changes(text, "index off by one"),
                         ["v(n + 1, 2) = f(n);", "v(n - 1, 2) = f(n);",
                          "v(n, 2 + 1) = f(n);", "v(n, 2 - 1) = f(n);"])

    def test_extents_are_no_subscripts(self):
        text = kernel("  __shared__ float t[8][8 + 1];")
        self.assertEqual(changes(text, "index off by one"), [])
        self.assertEqual(changes(text, "padding removed"), ["__shared__ float t[8][8];"])
        self.assertEqual(changes(text, "array one short"), ["__shared__ float t[8 - 1][8 + 1];"])

    def test_extents_of_later_declarators_and_of_references_are_no_subscripts(self):
        for body in ("  unsigned a[n][4], b[n + 2][4] = {};", "  float s = 0, *t[n];", "  float* s, t[n];",
                     "  for (int i = 0, j[n]; i < 1;) {}", "  auto p = sizeof(float[n]);",
                     "  Row<4> a, b[n];"):
            self.assertEqual(changes(kernel(body), "index off by one"), [], body)
        head = "__device__ void k(const float (&x)[8], float (*y)[4], int n)"
        self.assertEqual(changes(kernel("  n = 1;", head), "index off by one"), [])

    def test_a_subscript_behind_a_comma_or_a_star(self):
        for body in ("  a = 1, x[n] = 2;", "  f(n, x[n]);", "  a = n * x[n];", "  int a = n, b = x[n];",
                     "  float s{x[n]};", "  int a = f(n, x[n]);", "  return x[n];", "  (*y)[n] = 1;",
                     "  *x[n] = 1;", "  f(n * n, x[n]);", "  f(n < 1, n > 2, x[n]);"):
            self.assertEqual(len(changes(kernel(body), "index off by one")), 2, body)

    def test_a_capture_is_no_subscript(self):
        text = kernel("  auto f = [n](int i) { return i; };")
        self.assertEqual(changes(text, "index off by one"), [])

    def test_axes_where_both_occur(self):
        text = kernel("  int i = threadIdx.x + blockIdx.x;\n  i = threadIdx.y;")
        self.assertEqual(changes(text, "axis swapped"), [
            "int i = threadIdx.y + blockIdx.x;", "i = threadIdx.x;"])

    def test_terms(self):
        text = kernel("  int i = n * 2 + f(1 + n) - 3;")
        self.assertEqual(changes(text, "term dropped"), [
            "int i = f(1 + n) - 3;", "int i = n * 2 - 3;", "int i = n * 2 + f(n) - 3;",
            "int i = n * 2 + f(1) - 3;", "int i = n * 2 + f(1 + n);"])

    def test_a_sign_is_no_term_nor_are_words(self):
        text = kernel('  int i = -n;\n  auto s = "a" + std::to_string(n);\n  ++i; i += 1;')
        self.assertEqual(changes(text, "term dropped"), [])


class Loops(unittest.TestCase):
    def test_start_and_bound(self):
        text = kernel("  for (int i = 0; i < n; ++i) x[0] = 1;")
        self.assertEqual(changes(text, "loop off by one"), [
            "for (int i = 0 + 1; i < n; ++i) x[0] = 1;",
            "for (int i = 0 - 1; i < n; ++i) x[0] = 1;",
            "for (int i = 0; i < n - 1; ++i) x[0] = 1;"])


class Values(unittest.TestCase):
    def test_zero_of_a_declaration(self):
        text = kernel("  float sum = 0.0f;\n  int m = 1;\n  for (int i = 0; i < n; ++i) sum += i;")
        self.assertEqual(changes(text, "zero dropped"), ["float sum;"])

    def test_zero_of_an_assignment(self):
        text = kernel("  for (int i = 0; i < n; ++i) { n += i; }\n  x[n] = 0.0f;\n  n = 1;")
        self.assertEqual(changes(text, "zero dropped"), [";"])

    def test_zero_of_a_choice(self):
        text = kernel("  x[0] = n < 3 && m ? f(n, 2) : 0.0f;\n  return n < 0 ? 0 : n;")
        self.assertEqual(changes(text, "zero dropped"), ["x[0] = f(n, 2);", "return n;"])

    def test_masks(self):
        text = kernel("  n = __shfl_down_sync(0xffffffff, n, 1);\n  __syncwarp(~0u);")
        self.assertEqual(changes(text, "mask shortened"), [
            "n = __shfl_down_sync(0x7fffffff, n, 1);", "__syncwarp(0x7fffffffu);"])

    def test_atomics(self):
        text = kernel("  atomicAdd(&x[n], f(1, 2));\n  atomicAdd(x + n, 1.0f);")
        self.assertEqual(changes(text, "atomic made plain"), [
            "*(&x[n]) += f(1, 2);", "*(x + n) += 1.0f;"])


class Guards(unittest.TestCase):
    def test_an_if_goes(self):
        text = kernel("  if (n < 2) return;\n  if (n > 5) x[0] = 1;\n  if (n) n = 1; else n = 2;")
        self.assertEqual(changes(text, "guard removed"), ["", "x[0] = 1;"])

    def test_half_of_a_condition_goes(self):
        text = kernel("  if (n < 2 || f(n) > 3) return;\n  n = a && b < c + 1 ? 1 : 2;")
        self.assertEqual(changes(text, "half a condition"), [
            "if (f(n) > 3) return;", "if (n < 2) return;", "n = b < c + 1 ? 1 : 2;",
            "n = a ? 1 : 2;"])

    def test_a_requirement_goes(self):
        text = "void f(int n) {\n  require(n > 0, \"n\");\n  require_shapes(n);\n}\n"
        self.assertEqual(changes(text, "requirement removed"), ["", ""])


class Grids(unittest.TestCase):
    def test_rounding(self):
        text = "void f(int n) {\n  int blocks = ceil_div(n / 2, 256);\n}\n"
        self.assertEqual(changes(text, "grid rounded down"), ["int blocks = (n / 2) / (256);"])

    def test_order(self):
        text = "void f(int n) {\n  dim3 grid(a(n, 1), 2);\n  grid = dim3(n, 3, 4);\n  dim3 b(4, 4);\n}"
        self.assertEqual(changes(text, "grid axes swapped"), [
            "dim3 grid(2, a(n, 1));", "grid = dim3(3, n, 4);"])


class Places(unittest.TestCase):
    def test_only_bodies_of_functions(self):
        text = ("static int t[3] = {1 + 2, 1, 0};\nint f(int a = 1 + 2);\n"
                "namespace a { struct S { int g() const { return 1 + 2; } }; }\n")
        found = operators.mutants_of(Source(text))
        self.assertEqual({mutant.line for mutant in found}, {3})
        self.assertEqual({mutant.function for mutant in found}, {"g"})

    def test_lines_keep_their_numbers(self):
        text = kernel("  if (n < 2 ||\n      n > 4)\n    return;\n  x[n] = 1;")
        for mutant in operators.mutants_of(Source(text)):
            self.assertEqual(mutant.text.count("\n"), text.count("\n"), mutant.after)

    def test_no_two_are_alike(self):
        text = kernel("  x[threadIdx.x] = 0;\n  x[threadIdx.y + 1] = 0;")
        texts = [mutant.text for mutant in operators.mutants_of(Source(text))]
        self.assertEqual(len(texts), len(set(texts)))


if __name__ == "__main__":
    unittest.main()
