/// \file
/// How the products of this chapter, C = ABᵀ, are tried.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "../09_wmma/tensor_core_case.hpp"
#include "../matmul_budget.hpp"
#include "../product_refusals.hpp"
#include "../refusal_case.hpp"
#include "../tensor_products.hpp"
#include "11_hopper/tensor_map.hpp"
#include "tut/device/compute_capability.hpp"

namespace tut::ch11 {

template <class T, class U>
using Product = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<U>, cudaStream_t);

/// Whether the device has wgmma; says what is skipped where it has not.
inline bool can_run(const char* what) {
  if (compute_capability() == HOPPER_CAPABILITY) return true;
  MESSAGE(what << ": skipped, this device is not of compute capability 9.0");
  return false;
}

/// Whether a call is refused where the device is older than Hopper, or newer.
template <class Call>
Outcome other_devices_outcome(const Call& call) {
  const Outcome older = device_refusal_outcome(HOPPER_CAPABILITY - 1, call);
  return older.ok ? device_refusal_outcome(HOPPER_CAPABILITY + 10, call) : older;
}

/// Elements in 16 bytes: strides that TMA takes are multiples of it.
template <class T>
inline constexpr int tensor_multiple = 16 / static_cast<int>(sizeof(T));

/// How B lies in memory.
enum class SecondFactor : char { by_columns = 'B', as_it_is = 0 };

/// The stride with which a function gets a matrix of so many columns: dense where TMA takes that.
template <class T>
std::int64_t tensor_stride(const Guarded<T>& image, int cols) {
  const bool dense = image.stride() == image.cols();
  return round_up(dense ? cols : cols + 1, tensor_multiple<T>);
}

/// The elements that at(row, column) says, as TMA takes them: as many elements before them, up to a
/// multiple of 16 bytes.
template <class T, class At>
Guarded<T> tensor_image(const Guarded<T>& like, int rows, int cols, const At& at) {
  const auto guard = static_cast<std::size_t>(
      round_up(static_cast<std::int64_t>(like.elements_before()), tensor_multiple<T>));
  Guarded<T> image(rows, cols, tensor_stride(like, cols), guard);
  image.set(make_matrix<T>(rows, cols, at));
  image.set_placement({static_cast<std::size_t>(tensor_multiple<T>), tensor_multiple<T>});
  return image;
}

/// A run of `product`, which gets A and B as TMA takes them, and B as `second` says.
template <class T, class U>
MatmulRun<T, U> run_of(Product<T, U> product, SecondFactor second = SecondFactor::by_columns,
                       int c_multiple = 1) {
  const bool by_columns = second == SecondFactor::by_columns;
  MatmulRun<T, U> run = [=](Guarded<T>& a, Guarded<T>& b, Guarded<U>& c) {
    const auto from_a = a.cview(), from_b = b.cview();
    Guarded<T> left =
        tensor_image(a, a.rows(), a.cols(), [&](int r, int s) { return from_a(r, s); });
    Guarded<T> right =
        by_columns
            ? tensor_image(b, b.cols(), b.rows(), [&](int r, int s) { return from_b(s, r); })
            : tensor_image(b, b.rows(), b.cols(), [&](int r, int s) { return from_b(r, s); });
    if (c_multiple > 1) c.set_placement({static_cast<std::size_t>(c_multiple), c_multiple});
    const Guarded<T> left_before = left, right_before = right;
    run_on_images(
        {.most_launches = 1},
        [&](cudaStream_t stream, MatrixView<const T> x, MatrixView<const T> y, MatrixView<U> to) {
          product(x, y, to, stream);
        },
        left, right, c);
    for (const std::string& change :
         {left.change(left_before, "A", false), right.change(right_before, "B", false)}) {
      if (!change.empty()) throw std::logic_error(change);
    }
  };
  const auto stride_of_b = [=](const Guarded<T>& b) {
    return tensor_stride(b, by_columns ? b.rows() : b.cols());
  };
  run.transposed = static_cast<char>(second);
  run.transposed_stride = stride_of_b;
  run.retold = [=](std::string text, const Guarded<T>& a, const Guarded<T>& b, const Guarded<U>&) {
    if (by_columns) text = detail::text_of_transposed('B', stride_of_b(b), text);
    return std::regex_replace(text, std::regex(R"(strides \d+, \d+)"),
                              "strides " + std::to_string(tensor_stride(a, a.cols())) + ", " +
                                  std::to_string(stride_of_b(b)));
  };
  return run;
}

/// Rows that lie far apart, of each matrix in turn: few, and whole tiles.
template <class T, class U>
Outcome far_outcome(Product<T, U> product, SecondFactor second) {
  struct Case {
    MatmulShape shape;
    std::int64_t stride;
  };
  const bool by_columns = second == SecondFactor::by_columns;
  const auto call = [&](cudaStream_t stream, MatrixView<const T> a, MatrixView<const T> b,
                        MatrixView<U> c) { product(a, b, c, stream); };
  for (const auto& [shape, stride] :
       {Case{{3, 16, 16}, kFarStride}, Case{{192, 192, 64}, ch09::kFarTileStride}}) {
    const auto [m, n, k] = shape;
    HostMatrix<T> a(m, k), b(by_columns ? n : k, by_columns ? k : n);
    fill_small_integers(a, 61, 1);
    fill_small_integers(b, 62, 1);
    const auto right = make_matrix<double>(
        k, n, [&](int i, int s) { return to_double(by_columns ? b(s, i) : b(i, s)); });
    Outcome outcome =
        ch09::far_rows_of<U>(a, b, matmul_reference(to_double_matrix(a.cview()), right).product,
                             call, unwritten_value<U>(), stride);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// The battery on two seeds; where C may lie anywhere, also with rows of C of any length. Shapes of
/// many tiles and steps, rows that lie far apart.
template <class T, class U>
void test_values(const char* name, Product<T, U> product, const std::vector<MatmulShape>& shapes,
                 SecondFactor second = SecondFactor::by_columns) {
  if (!can_run(name)) return;
  for (const int multiple : {1, tensor_multiple<U>}) {
    expect(run_matmul_battery<T, U>(run_of(product, second),
                                    {.shapes = shapes,
                                     .tolerance = ch09::tensor_core_tolerance,
                                     .stride_multiple = multiple,
                                     .seed = static_cast<std::uint64_t>(multiple)}));
  }
  expect(ch09::long_shapes_outcome<T, U>(run_of(product, second)));
  expect(far_outcome(product, second));
}

/// The same of a worked kernel. Watched, a tile with steps enough to use each stage twice, and more
/// tiles than multiprocessors, say as much as many of both.
template <class T, class U>
void test_worked(const char* name, Product<T, U> product, const std::vector<MatmulShape>& shapes) {
  if (simt_check_work == nullptr) {
    test_values(name, product, shapes);
    return;
  }
  expect(
      run_matmul_battery<T, U>(run_of(product), {.shapes = {{40, 72, 9 * 64 + 8}, {40, 1100, 72}},
                                                 .tolerance = ch09::tensor_core_tolerance,
                                                 .stride_multiple = tensor_multiple<U>}));
}

/// A and B in turn begin at no multiple of 16 bytes, or have such a stride.
template <class T, class U>
Outcome layout_refusals_outcome(Product<T, U> product) {
  constexpr int SIZE = 4 * tensor_multiple<T>, STRIDE = 2 * SIZE;
  const DeviceBuffer<T> factors(STRIDE * SIZE + 1);
  const DeviceBuffer<U> sums(STRIDE * SIZE);
  for (const char wrong : {'A', 'B'}) {
    for (const bool shifted : {false, true}) {
      const auto view = [&](char name, int rows, int cols) {
        const bool is_wrong = name == wrong;
        return MatrixView<const T>{factors.data() + (is_wrong && shifted ? 1 : 0), rows, cols,
                                   is_wrong && !shifted ? SIZE + 1 : STRIDE};
      };
      Outcome outcome = refusal_outcome(
          std::string(1, wrong) + (shifted ? " that begins an element behind a multiple of 16 bytes"
                                           : " of a stride of " + std::to_string(SIZE + 1)),
          [&] {
            product(view('A', 8, SIZE), view('B', SIZE, SIZE), {sums.data(), 8, SIZE, STRIDE},
                    nullptr);
          });
      if (!outcome.ok) return outcome;
    }
  }
  return {};
}

/// Infinities and NaN; shapes and layouts that do not fit.
template <class T, class U>
void test_ends(const char* name, Product<T, U> product,
               SecondFactor second = SecondFactor::by_columns) {
  if (!can_run(name)) return;
  expect(ch09::special_values_outcome<T, U>(run_of(product, second)));
  expect(ch09::shifted_outcome<T, U>(run_of(product, second)));
  expect(product_refusals_outcome<T, U>([=](auto a, auto b, auto c) { product(a, b, c, nullptr); },
                                        second == SecondFactor::by_columns, false,
                                        tensor_multiple<T>));
  expect(layout_refusals_outcome(product));
  constexpr int SIZE = tensor_multiple<T>;
  const DeviceBuffer<T> factors(SIZE * SIZE);
  const DeviceBuffer<U> sums(SIZE * SIZE);
  expect(other_devices_outcome([&] {
    const MatrixView<const T> factor{factors.data(), SIZE, SIZE, SIZE};
    product(factor, factor, {sums.data(), SIZE, SIZE, SIZE}, nullptr);
  }));
}

/// Products of wgmma.m64n128k16 that m * n * k multiplications take at least.
constexpr double wgmma_products(int m, int n, int k) {
  return std::max(1.0, double{1} * m * n * k / (64 * 128 * 16));
}

/// Bytes that tiles of 64 x 128 take, as they are counted; C is stored half a sector at a time.
inline double cost_of_tiles(const MatmulShape& s) { return s.m * s.n * (3 * s.k / 64.0 + 4.0); }

/// The exercise's budget on one aligned shape, the Cost on others, and wgmma at the edges, too.
template <class T, class U>
void test_budget(const std::string& name, Product<T, U> product, const MatmulShape& shape,
                 SecondFactor second = SecondFactor::by_columns) {
  const auto outcome = [=](const MatmulShape& s) {
    return ch09::dense_outcome<T, U>(run_of(product, second), s);
  };
  expect_budget(name, cost_of_tiles(shape), [=] { return outcome(shape); });
  for (const MatmulShape& s : shapes_of_one_tile(shape, 128)) {
    expect_cost(cost_of_tiles(s), [=] { return outcome(s); });
  }
  for (const MatmulShape& s : ragged_shapes()) {
    expect_tensor_products(wgmma_products(s.m, s.n, s.k), [=] { return outcome(s); });
  }
}

}  // namespace tut::ch11
