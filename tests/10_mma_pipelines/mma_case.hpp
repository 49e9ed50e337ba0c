/// \file
/// How the products of this chapter are tried.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../09_wmma/tensor_core_case.hpp"
#include "../matmul_budget.hpp"
#include "../product_refusals.hpp"
#include "../tensor_products.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/compute_capability.hpp"

namespace tut::ch10 {

template <class T>
using Product = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<float>, cudaStream_t);

/// Whether the device has mma.sync.m16n8k16; says what is skipped where it has not.
inline bool can_run(const char* what) {
  if (compute_capability() >= 80) return true;
  MESSAGE(what << ": skipped, this device is below compute capability 8.0");
  return false;
}

/// Products of mma.sync.m16n8k16 that m * n * k multiplications take at least.
constexpr double mma_products(int m, int n, int k) {
  return std::max(1.0, double{1} * m * n * k / 2048);
}

/// Which factor a function gets transposed.
enum class Turned : char { none = 0, a = 'A', b = 'B' };

/// The stride with which a function gets the transpose of an image: a multiple of `multiple`
/// elements, or dense if the image is.
template <class T>
std::int64_t turned_stride(const Guarded<T>& image, int multiple) {
  const bool dense = image.stride() == image.cols();
  return dense ? image.rows() : round_up(image.rows() + 1, multiple) + multiple;
}

/// Runs `product` on the images; one factor is turned before, behind as many elements as it had.
template <class T>
void run_turned(Product<T> product, Turned turned, int multiple, Guarded<T>& a, Guarded<T>& b,
                Guarded<float>& c) {
  const auto run = [&](Guarded<T>& left, Guarded<T>& right) {
    run_on_images(
        {.most_launches = 1},
        [&](cudaStream_t stream, MatrixView<const T> from_a, MatrixView<const T> from_b,
            MatrixView<float> to) { product(from_a, from_b, to, stream); },
        left, right, c);
  };
  if (turned == Turned::none) return run(a, b);
  Guarded<T>& from = turned == Turned::a ? a : b;
  const auto view = from.cview();
  const auto guard = static_cast<std::size_t>(view.data - from.memory().data());
  Guarded<T> image(from.cols(), from.rows(), turned_stride(from, multiple), guard);
  image.set(make_matrix<T>(from.cols(), from.rows(), [&](int r, int s) { return view(s, r); }));
  const Guarded<T> before = image;
  turned == Turned::a ? run(image, b) : run(a, image);
  const std::string change = image.change(before, turned == Turned::a ? "A" : "B", false);
  if (!change.empty()) throw std::logic_error(change);
}

template <class T>
MatmulRun<T, float> run_of(Product<T> product, Turned turned = Turned::none, int multiple = 1) {
  MatmulRun<T, float> run = [=](Guarded<T>& a, Guarded<T>& b, Guarded<float>& c) {
    run_turned(product, turned, multiple, a, b, c);
  };
  if (turned == Turned::none) return run;
  run.transposed = static_cast<char>(turned);
  run.transposed_stride = [=](const Guarded<T>& image) { return turned_stride(image, multiple); };
  return run;
}

/// Rows that lie far apart, of each matrix in turn: few, and whole tiles.
template <class T>
Outcome far_outcome(Product<T> product, Turned turned) {
  struct Case {
    MatmulShape shape;
    std::int64_t stride;
  };
  const auto call = [&](cudaStream_t stream, MatrixView<const T> a, MatrixView<const T> b,
                        MatrixView<float> c) { product(a, b, c, stream); };
  for (const auto& [shape, stride] :
       {Case{{3, 6, 13}, kFarStride},
        Case{{192, turned == Turned::b ? 192 : 64, 192}, ch09::kFarTileStride}}) {
    const auto [m, n, k] = shape;
    HostMatrix<T> a(turned == Turned::a ? k : m, turned == Turned::a ? m : k);
    HostMatrix<T> b(turned == Turned::b ? n : k, turned == Turned::b ? k : n);
    fill_small_integers(a, 61, 2);
    fill_small_integers(b, 62, 2);
    const auto left = make_matrix<double>(
        m, k, [&](int r, int i) { return to_double(turned == Turned::a ? a(i, r) : a(r, i)); });
    const auto right = make_matrix<double>(
        k, n, [&](int i, int s) { return to_double(turned == Turned::b ? b(s, i) : b(i, s)); });
    Outcome outcome = ch09::far_rows_of<float>(a, b, matmul_reference(left, right).product, call,
                                               unwritten_value<float>(), stride);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// The battery with rows of any length and with rows a multiple of 16 bytes apart; shapes of many
/// tiles and steps, odd addresses, rows that lie far apart.
template <class T>
void test_values(const char* name, Product<T> product, const std::vector<MatmulShape>& shapes,
                 Turned turned = Turned::none) {
  if (!can_run(name)) return;
  for (const int multiple : {1, 8}) {
    expect(run_matmul_battery<T, float>(
        run_of(product, turned, multiple),
        {.shapes = shapes, .tolerance = ch09::tensor_core_tolerance, .stride_multiple = multiple}));
  }
  expect(ch09::long_shapes_outcome<T>(run_of(product, turned)));
  expect(ch09::shifted_outcome<T>(run_of(product, turned)));
  expect(far_outcome(product, turned));
}

/// Infinities and NaN; as many rows, columns and elements as there may be; shapes that do not fit.
template <class T>
void test_ends(const char* name, Product<T> product, Turned turned = Turned::none) {
  if (!can_run(name)) return;
  expect(ch09::special_values_outcome<T>(run_of(product, turned)));
  expect(ch09::tensor_reach_outcome<T, float>(
      [=](cudaStream_t stream, int m, int n, const T* a, const T* b, float* c) {
        const MatrixView<const T> column{a, m, 1, 1}, row{b, 1, n, n};
        product(turned == Turned::a ? MatrixView<const T>{a, 1, m, m} : column,
                turned == Turned::b ? MatrixView<const T>{b, n, 1, 1} : row, {c, m, n, n}, stream);
      },
      [=](const MatmulShape& shape) {
        return ch09::dense_outcome<T>(run_of(product, turned), shape);
      }));
  expect(
      product_refusals_outcome<T, float>([=](auto a, auto b, auto c) { product(a, b, c, nullptr); },
                                         turned == Turned::b, turned == Turned::a));
}

/// Bytes that tiles of 64 x 64 take.
inline double cost_of_64(const MatmulShape& s) { return s.m * s.n * (s.k / 16.0 + 4.0); }

/// The exercise's budget on one aligned shape, the Cost on others, and mma.sync at the edges, too.
template <class T>
void test_budget(const std::string& name, Product<T> product, const MatmulShape& shape,
                 Turned turned = Turned::none) {
  const auto outcome = [=](const MatmulShape& s) {
    return ch09::dense_outcome<T>(run_of(product, turned), s);
  };
  expect_budget(name, cost_of_64(shape), [=] { return outcome(shape); });
  for (const MatmulShape& s : shapes_of_one_tile(shape, 64)) {
    expect_cost(cost_of_64(s), [=] { return outcome(s); });
  }
  for (const MatmulShape& s : ragged_shapes()) {
    expect_tensor_products(mma_products(s.m, s.n, s.k), [=] { return outcome(s); });
  }
}

}  // namespace tut::ch10
