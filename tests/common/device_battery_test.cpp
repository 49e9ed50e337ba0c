// The batteries on device memory. The functions under test copy to the host, compute there and copy
// back, so that this runs on every backend without a kernel.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "outcome_case.hpp"
#include "tut/errors/require.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_fp8.hpp"
#include "tut/testing/elementwise_test.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut {
namespace {

template <class T>
std::vector<T> fetch(const T* data, std::size_t size) {
  std::vector<T> host(size);
  check(cudaMemcpy(host.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

template <class T>
HostMatrix<T> fetch(MatrixView<const T> view) {
  HostMatrix<T> host(view.rows, view.cols);
  for (int r = 0; r < view.rows; ++r) {
    std::ranges::copy(fetch(&view(r, 0), static_cast<std::size_t>(view.cols)), host.row(r).begin());
  }
  return host;
}

template <class T, class U>
void honest(MatrixView<const T> a, MatrixView<const T> b, MatrixView<U> c, cudaStream_t) {
  require_matmul_shapes(a, b, c);
  const HostMatrix<T> host_a = fetch(a), host_b = fetch(b);
  for (int r = 0; r < c.rows; ++r) {
    std::vector<U> row;
    for (int col = 0; col < c.cols; ++col) {
      float sum = 0;
      for (int k = 0; k < a.cols; ++k) {
        sum += static_cast<float>(host_a(r, k)) * static_cast<float>(host_b(k, col));
      }
      row.push_back(from_float<U>(sum));
    }
    check(cudaMemcpy(&c(r, 0), row.data(), row.size() * sizeof(U), cudaMemcpyHostToDevice));
  }
}

constexpr int few = 5;

/// They work on the host.
constexpr CallRules on_host = {.recordable = false};

template <class T, class U>
Outcome product_outcome(void (*function)(MatrixView<const T>, MatrixView<const T>, MatrixView<U>,
                                         cudaStream_t)) {
  return matmul_outcome<T, U>(DeviceMatmul<T, U>(function), {.shapes = matmul_shapes(few)},
                              on_host);
}

TEST_CASE("an honest product passes in every element type") {
  expect(product_outcome(honest<float, float>));
  expect(product_outcome(honest<__half, float>));
  expect(product_outcome(honest<__half, __half>));
  expect(product_outcome(honest<__nv_bfloat16, float>));
  expect(product_outcome(honest<__nv_bfloat16, __nv_bfloat16>));
  expect(product_outcome(honest<__nv_fp8_e4m3, float>));
  expect(product_outcome(honest<__nv_fp8_e4m3, __nv_fp8_e4m3>));
  expect(product_outcome(honest<__nv_fp8_e5m2, __half>));
  expect(product_outcome(honest<__nv_fp8_e5m2, __nv_fp8_e5m2>));
  expect(product_outcome(honest<signed char, int>));
}

TEST_CASE("an output of bfloat16 where half is promised fails") {
  const DeviceMatmul<__half, __half> coarse = [](auto a, auto b, auto c, cudaStream_t stream) {
    DeviceMatrix<float> wide(c.rows, c.cols);
    honest<__half, float>(a, b, wide.view(), stream);
    const HostMatrix<float> values = wide.download();
    for (int r = 0; r < c.rows; ++r) {
      std::vector<__half> row;
      for (const float value : values.row(r)) {
        row.push_back(from_float<__half>(static_cast<float>(from_float<__nv_bfloat16>(value))));
      }
      check(cudaMemcpy(&c(r, 0), row.data(), row.size() * 2, cudaMemcpyHostToDevice));
    }
  };
  const auto outcome = matmul_outcome<__half, __half>(
      coarse, {.shapes = {{8, 8, 8}}, .rejects_wrong_shapes = false}, on_host);
  CHECK(mentions(outcome, "less precise"));
}

TEST_CASE("errors that CUDA reports are failures of kind launch, not of values") {
  const DeviceMatmul<float, float> throws = [](auto, auto, auto, cudaStream_t) {
    check(cudaErrorLaunchOutOfResources);
  };
  const auto thrown = matmul_outcome<float, float>(throws);
  CHECK(thrown.kind == "launch");
  CHECK(mentions(thrown, "CUDA refused a call: cudaErrorLaunchOutOfResources"));
  const DeviceMatmul<float, float> leaves = [](auto, auto, auto, cudaStream_t) {
    static_cast<void>(cudaMemcpy(nullptr, nullptr, 1, static_cast<cudaMemcpyKind>(99)));
  };
  CHECK(matmul_outcome<float, float>(leaves).kind == "launch");
}

TEST_CASE("writes before the output and to the inputs are found in device memory") {
  const DeviceMatmul<float, float> before = [](auto a, auto b, auto c, cudaStream_t stream) {
    honest<float, float>(a, b, c, stream);
    if (c.stride > c.cols) check(cudaMemset(c.data - 1, 0, sizeof(float)));
  };
  CHECK(mentions(matmul_outcome<float, float>(before, {}, on_host),
                 "wrote outside of C at index -1"));
  const DeviceMatmul<float, float> input = [](auto a, auto b, auto c, cudaStream_t stream) {
    honest<float, float>(a, b, c, stream);
    check(cudaMemset(const_cast<float*>(a.data), 0, sizeof(float)));
  };
  CHECK(mentions(matmul_outcome<float, float>(input, {}, on_host),
                 "A must not change, and is changed at row 0, column 0"));
}

TEST_CASE("shapes that are refused after something has been written are found in device memory") {
  const DeviceMatmul<float, float> late = [](auto a, auto b, auto c, cudaStream_t stream) {
    check(cudaMemset(c.data, 0x11, sizeof(float)));
    honest<float, float>(a, b, c, stream);
  };
  CHECK(mentions(matmul_outcome<float, float>(late, {}, on_host),
                 "before anything runs, but C has changed (A 4x5, B 6x7, C 4x7)"));
}

// A step of so many rows, computed in 32 bits, from the tile of `row` on.
template <class View>
auto rows_in_32_bits(View m, int tile, int row) {
  const auto step = static_cast<std::int32_t>(static_cast<std::uint32_t>(tile) *
                                              static_cast<std::uint32_t>(m.stride));
  auto* data = m.data;
  for (int passed = 0; passed + tile <= row; passed += tile) data += step;
  return data + row % tile * m.stride;
}

TEST_CASE("tiles that begin where 32 bits lead are found, in each matrix") {
  if (!SparseMatrix<float>(kFarRows, 1, kFarTileStride).is_there()) return;
  for (const char far : {'A', 'B', 'C'}) {
    for (const int tile : {8, 16, 32, 64}) {
      const DeviceMatmul<float, float> function = [=](auto a, auto b, auto c, cudaStream_t) {
        require_matmul_shapes(a, b, c);
        const auto place = [&](const auto& matrix, char name, int row) {
          // A matrix that begins elsewhere in error would have no memory there.
          const bool wrong = name == far && matrix.stride == kFarTileStride;
          if (!wrong || rows_in_32_bits(matrix, tile, row) < matrix.data) return &matrix(row, 0);
          return rows_in_32_bits(matrix, tile, row);
        };
        for (int r = 0; r < c.rows; ++r) {
          const auto from_a = fetch(place(a, 'A', r), static_cast<std::size_t>(a.cols));
          std::vector<float> sums(static_cast<std::size_t>(c.cols));
          for (int k = 0; k < a.cols; ++k) {
            const auto from_b = fetch(place(b, 'B', k), sums.size());
            for (std::size_t i = 0; i < sums.size(); ++i) {
              sums[i] += from_a[static_cast<std::size_t>(k)] * from_b[i];
            }
          }
          check(cudaMemcpy(place(c, 'C', r), sums.data(), sums.size() * sizeof(float),
                           cudaMemcpyHostToDevice));
        }
      };
      const Outcome found = far_rows_outcome<float, float>(function, {});
      INFO("tiles of " << tile << " rows of " << std::string(1, far) << ": " << found.report);
      CHECK_FALSE(found.ok);
    }
  }
}

// y = 2 x + y, in place.
template <int Wrong>
void axpy(const std::array<const float*, 2>& in, float* y, int size, cudaStream_t) {
  const auto count = static_cast<std::size_t>(size);
  const std::vector<float> x = fetch(in[0], count);
  std::vector<float> result = fetch(static_cast<const float*>(y), count);
  for (std::size_t i = 0; i < count; ++i) result[i] += 2 * x[i];
  const std::size_t written = Wrong == 1 ? count / 256 * 256 : count;
  check(cudaMemcpy(y, result.data(), written * sizeof(float), cudaMemcpyHostToDevice));
  if (Wrong == 2 && size == 33) check(cudaMemset(y + size, 0, sizeof(float)));
}

Outcome axpy_outcome(void (*launch)(const std::array<const float*, 2>&, float*, int,
                                    cudaStream_t)) {
  return elementwise_outcome<2>(launch,
                                [](const std::array<double, 2>& v) { return 2 * v[0] + v[1]; },
                                {.in_place = 1, .name = "y", .rules = on_host});
}

TEST_CASE("elementwise: right in place, a tail left out, a write past the end") {
  CHECK(axpy_outcome(axpy<0>).report == "");
  const Outcome no_tail = axpy_outcome(axpy<1>);
  CHECK(mentions(no_tail, "y: 232 of 1000 elements are wrong, first at element 768: expected"));
  CHECK(mentions(no_tail, "the last partial tile of elements (from element 768 on) is wrong"));
  CHECK(mentions(axpy_outcome(axpy<2>),
                 "wrote outside of y at index 33 (it has 33 elements) (33 elements)"));
}

TEST_CASE("elementwise: integers exactly, precision, and exceptions") {
  const auto add = [](const std::array<const int*, 2>& in, int* out, int size, cudaStream_t) {
    std::vector<int> sum = fetch(in[0], static_cast<std::size_t>(size));
    const std::vector<int> b = fetch(in[1], static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += b[i];
    check(cudaMemcpy(out, sum.data(), sum.size() * sizeof(int), cudaMemcpyHostToDevice));
  };
  const auto plus = [](const std::array<double, 2>& v) { return v[0] + v[1]; };
  const auto plus_one = [](const std::array<double, 2>& v) { return v[0] + v[1] + 1; };
  test_elementwise<2, int>(add, plus, {.relative_error = 0, .rules = on_host});
  CHECK_FALSE(
      elementwise_outcome<2, int>(add, plus_one, {.relative_error = 0, .rules = on_host}).ok);
  const auto throws = [](const std::array<const float*, 1>&, float*, int, cudaStream_t) {
    throw std::runtime_error("not yet");
  };
  CHECK(
      mentions(elementwise_outcome<1>(throws, [](const std::array<double, 1>& v) { return v[0]; }),
               "the function threw \"not yet\" (1000 elements)"));
}

}  // namespace
}  // namespace tut
