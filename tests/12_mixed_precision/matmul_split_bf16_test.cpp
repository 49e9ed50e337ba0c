#include "12_mixed_precision/matmul_split_bf16.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "../product_refusals.hpp"
#include "../refusal_case.hpp"
#include "../tensor_products.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut::ch12 {
namespace {

// A pair is off by 2^-16 of its number at most, and lo*lo is at most 2^-16 of a product.
constexpr MatmulTolerance tolerance{.accumulation = 0x1p-23, .input_rounding = 1.5 * 0x1p-16};
constexpr CallRules rules{.most_launches = 1};

bool is_skipped() {
  if (has_tf32_and_bfloat16()) return false;
  MESSAGE("skipped: this device has no bfloat16 (compute capability below 8.0)");
  return true;
}

void run(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  run_on_images(
      rules,
      [](cudaStream_t stream, MatrixView<const float> from_a, MatrixView<const float> from_b,
         MatrixView<float> to) { matmul_split_bf16(from_a, from_b, to, stream); },
      a, b, c);
}

Outcome dense_outcome(const MatmulShape& shape) {
  return detail::run_case<float, float>(run, shape, MatmulInputs::dense_random,
                                        {.tolerance = tolerance});
}

/// Random factors times `a_size` and `b_size`, in memory that begins an element behind a multiple
/// of 16 bytes.
Outcome sizes_outcome(float a_size, float b_size) {
  constexpr int M = 21, N = 37, K = 35;
  detail::MatmulImages<float, float> images{Guarded<float>(M, K, K + 1, 4097),
                                            Guarded<float>(K, N, N + 3, 4097),
                                            Guarded<float>(M, N, N + 3, 4097)};
  HostMatrix<float> a(M, K), b(K, N);
  fill_uniform(a, 71, -a_size, a_size);
  fill_uniform(b, 72, -b_size, b_size);
  images.a.set(a);
  images.b.set(b);
  const detail::MatmulImages<float, float> before = images;
  char text[80];
  std::snprintf(text, sizeof(text), "elements of A up to %g, of B up to %g",
                static_cast<double>(a_size), static_cast<double>(b_size));
  try {
    run(images.a, images.b, images.c);
  } catch (const CallFailure& error) {
    return failure(error.kind(), error.what());
  }
  return detail::judge<float, float>(run, before, images, tolerance, text);
}

/// Numbers from 1 to below 4 whose last 16 bits, which hi has none of, are a single one or a run
/// from either end, beside none, the last, and all of the bits that hi has: the least and the most
/// that hi and lo may leave. 0xFF7F is the most where hi is cut off.
std::vector<float> split_probes() {
  std::vector<float> probes;
  for (const std::uint32_t kept : {0x3F80u, 0x3F81u, 0x3FFFu}) {
    for (int bits = 0; bits <= 16; ++bits) {
      for (const std::uint32_t rest :
           {1u << bits >> 1, 0xFFFFu >> bits, 0xFFFFu << bits & 0xFFFFu}) {
        probes.push_back(std::bit_cast<float>(kept << 16 | rest));
      }
    }
    probes.push_back(std::bit_cast<float>(kept << 16 | 0xFF7Fu));
  }
  return probes;
}

/// A column times a row, of probes times `a_size` and `b_size`, so that each element of C is one
/// product, held to what the contract says of it.
Outcome single_products_outcome(float a_size, float b_size) {
  const std::vector<float> probes = split_probes();
  const auto size = static_cast<int>(probes.size());
  const auto probe = [&](int i) { return probes[static_cast<std::size_t>(i)]; };
  detail::MatmulImages<float, float> images{Guarded<float>(size, 1, 1, 64),
                                            Guarded<float>(1, size, size, 64),
                                            Guarded<float>(size, size, size, 64)};
  images.a.set(make_matrix<float>(size, 1, [&](int r, int) { return a_size * probe(r); }));
  images.b.set(make_matrix<float>(1, size, [&](int, int c) { return -b_size * probe(c); }));
  return detail::run_and_judge<float, float>(
      run, std::move(images), tolerance,
      "single products of numbers with all sorts of last bits, A times " +
          number_text(static_cast<double>(a_size)) + ", B times " +
          number_text(static_cast<double>(b_size)));
}

}  // namespace

TEST_CASE("matmul_split_bf16 computes C = AB with 16 bits of every input") {
  if (is_skipped()) return;
  expect(matmul_outcome<float, float>(
      matmul_split_bf16, {.shapes = matmul_shapes(16), .tolerance = tolerance}, rules));
  for (const MatmulShape& shape : {MatmulShape{17, 5000, 3}, {5000, 17, 2}, {3, 5, 4200}}) {
    expect(dense_outcome(shape));
  }
  // Whole tiles of A that begin beyond 32 bits.
  expect(detail::far_matrix_outcome<float, float>(matmul_split_bf16, {}, {kFarRows, 40, 24}, 'A',
                                                  kFarTileStride));
}

TEST_CASE("matmul_split_bf16 of as many rows, columns and elements as there may be") {
  if (is_skipped()) return;
  expect(matmul_reach_outcome(matmul_split_bf16, 5000, dense_outcome));
}

TEST_CASE("matmul_split_bf16 refuses shapes that do not fit") {
  expect(product_refusals_outcome<float, float>(
      [](auto a, auto b, auto c) { matmul_split_bf16(a, b, c); }));
  const DeviceBuffer<float> memory(64);
  expect(device_refusal_outcome(75, [&] {
    matmul_split_bf16({memory.data(), 4, 4, 4}, {memory.data(), 4, 4, 4},
                      {memory.data() + 32, 4, 4, 4});
  }));
}

TEST_CASE("matmul_split_bf16 takes elements of every size") {
  if (is_skipped()) return;
  expect(sizes_outcome(60000, 1));  // sums beyond half's range
  expect(sizes_outcome(1e30f, 1e-25f));
  expect(sizes_outcome(1e-20f, 1e-10f));
  expect(sizes_outcome(3e38f, 1e-3f));
}

TEST_CASE("matmul_split_bf16 is off by 3 * 2^-16 of a product at most, whatever its bits") {
  if (is_skipped()) return;
  expect(single_products_outcome(1, 1));
  expect(single_products_outcome(0x1p-118f, 0x1p100f));
  expect(single_products_outcome(0x1p120f, 0x1p-118f));
  expect(single_products_outcome(0x1p-63f, 0x1p-63f));
}

TEST_CASE("budget") {
  constexpr int M = 128, N = 128, K = 64;  // which tiles of 128 divide
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (s.k / 2.0 + 4.0); };
  expect_budget("matmul_split_bf16", cost({M, N, K}), [] { return dense_outcome({M, N, K}); });
  for (const MatmulShape& s : shapes_of_one_tile({M, N, K}, 64)) {
    expect_cost(cost(s), [=] { return dense_outcome(s); });
  }
  for (const MatmulShape& shape : ragged_shapes()) {
    expect_tensor_products(3 * fragment_products(shape.m, shape.n, shape.k),
                           [&] { return dense_outcome(shape); });
  }
}

}  // namespace tut::ch12
