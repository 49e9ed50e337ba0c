#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tut/errors/require.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/math.hpp"
#include "tut/numeric/precision.hpp"

namespace tut {
namespace {

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_CASE("ceil_div and round_up at the edges, in every integer type") {
  static_assert(ceil_div(0, 4) == 0);
  static_assert(ceil_div(1, 4) == 1);
  static_assert(ceil_div(4, 4) == 1);
  static_assert(ceil_div(5, 4) == 2);
  static_assert(std::is_same_v<decltype(ceil_div(1, 2)), int>);
  static_assert(std::is_same_v<decltype(ceil_div(std::int64_t{1}, 2)), std::int64_t>);
  static_assert(ceil_div(std::int64_t{1} << 40, 3) == 366503875926);
  static_assert(round_up(33, 32) == 64);
  static_assert(round_up(32, 32) == 32);
  // a + b - 1 would overflow here.
  CHECK(ceil_div(std::numeric_limits<int>::max(), 2) == 1 << 30);
}

TEST_CASE("MatrixView: elements, blocks, and a const view for nothing") {
  std::vector<int> data(12);
  for (int i = 0; i < 12; ++i) data[static_cast<std::size_t>(i)] = i;
  const MatrixView<int> view{data.data(), 3, 3, 4};
  CHECK(view(0, 0) == 0);
  CHECK(view(2, 1) == 9);
  view(1, 2) = -1;
  CHECK(data[6] == -1);
  const auto block = view.block(1, 1, 2, 2);
  CHECK(block(1, 1) == 10);
  CHECK(block.rows == 2);
  CHECK(block.stride == 4);
  const MatrixView<const int> constant = view;
  CHECK(constant(2, 2) == 10);
  static_assert(!std::is_convertible_v<MatrixView<const int>, MatrixView<int>>);
  static_assert(std::is_trivially_copyable_v<MatrixView<float>>);
}

TEST_CASE("an index past 2^31 elements does not wrap") {
  const MatrixView<char> view{nullptr, 3, 1, std::int64_t{1} << 31};
  CHECK(reinterpret_cast<std::intptr_t>(view.block(2, 0, 1, 1).data) == std::int64_t{1} << 32);
}

TEST_CASE("HostMatrix starts as NaN, in its elements and, told apart, in its padding") {
  HostMatrix<float> matrix(2, 3, 5);
  CHECK(matrix.span().size() == 10);
  for (const float value : matrix.span()) CHECK(std::isnan(value));
  CHECK(is_unwritten(matrix(1, 2)));
  CHECK_FALSE(is_unwritten(matrix.span()[3]));
  matrix.fill(7);
  CHECK(matrix(1, 2) == 7);
  CHECK(bits_of(matrix.span()[4]) == Precision<float>::padding);
  CHECK(matrix.row(1).size() == 3);
  matrix.row(1)[0] = 8;
  CHECK(matrix.cview()(1, 0) == 8);
}

TEST_CASE("HostMatrix refuses a stride below its columns and negative sizes") {
  CHECK(message_of([] { HostMatrix<float>(2, 3, 2); }) ==
        "a matrix of 2x3 with stride 2; expected sizes of at least 0 and a stride of at least 3");
  CHECK_THROWS_AS(HostMatrix<float>(-1, 3), std::invalid_argument);
  CHECK(HostMatrix<float>(0, 0).span().empty());
}

TEST_CASE(
    "the two fill patterns are NaN of every floating type, and no NaN that arithmetic makes") {
  for (const float value : {unwritten_value<float>(), padding_value<float>()}) {
    CHECK(std::isnan(value));
    for (const std::uint32_t made : {0x7FFFFFFFu, 0x7FC00000u, 0xFFC00000u, 0xFFFFFFFFu}) {
      CHECK(bits_of(value) != made);
    }
  }
  CHECK(std::isnan(unwritten_value<double>()));
  CHECK(std::isnan(padding_value<double>()));
  // A sum with padding keeps its pattern on x86: it must not read as "never written".
  volatile float padding = padding_value<float>();
  const float sum = padding + 1.0f;
  CHECK_FALSE(is_unwritten(sum));
}

TEST_CASE("shape errors name all shapes and the place of the call") {
  const HostMatrix<float> a(4, 5), b(6, 7);
  HostMatrix<float> c(4, 7);
  const auto message = message_of([&] { require_matmul_shapes(a.cview(), b.cview(), c.view()); });
  CHECK(
      message.starts_with("matmul shapes do not fit: A is 4x5, B is 6x7, C is 4x7; expected (M, K) "
                          "x (K, N) = (M, N) ("));
  CHECK(message.find("views_test.cpp:") != std::string::npos);
  const HostMatrix<float> good(5, 7);
  CHECK_NOTHROW(require_matmul_shapes(a.cview(), good.cview(), c.view()));
  HostMatrix<float> short_c(3, 7), narrow_c(4, 6);
  CHECK_THROWS_AS(require_matmul_shapes(a.cview(), good.cview(), short_c.view()),
                  std::invalid_argument);
  CHECK_THROWS_AS(require_matmul_shapes(a.cview(), good.cview(), narrow_c.view()),
                  std::invalid_argument);
}

TEST_CASE("views that are no matrices are refused") {
  float value = 0;
  CHECK(message_of([&] {
          require_matrix(MatrixView<float>{&value, 0, 1, 1}, "A");
        }).starts_with("A is 0x1; expected at least 1x1"));
  CHECK(message_of([&] {
          require_matrix(MatrixView<float>{&value, 1, 2, 1}, "A");
        }).starts_with("A is 1x2 with stride 1; expected a stride of at least 2"));
  CHECK(message_of([&] {
          require_matrix(MatrixView<float>{nullptr, 1, 1, 1}, "A");
        }).starts_with("A is 1x1 with no data (a null pointer)"));
  CHECK_NOTHROW(require_matrix(MatrixView<float>{&value, 1, 1, 1}, "A"));
}

TEST_CASE("equal and transposed shapes, and equal sizes") {
  const HostMatrix<float> a(2, 3), b(3, 2);
  CHECK(message_of([&] {
          require_same_shape(a.cview(), "x", b.cview(), "y");
        }).starts_with("x is 2x3, y is 3x2; expected equal shapes"));
  CHECK_NOTHROW(require_same_shape(a.cview(), "x", a.cview(), "y"));
  CHECK(message_of([&] {
          require_transposed_shape(a.cview(), "x", a.cview(), "y");
        }).starts_with("x is 2x3, y is 2x3; expected y to be 3x2"));
  CHECK_NOTHROW(require_transposed_shape(a.cview(), "x", b.cview(), "y"));
  CHECK(message_of([&] {
          require_same_size(3, "x", std::size_t{4}, "y");
        }).starts_with("x has 3 elements, y has 4; expected the same number"));
  CHECK_NOTHROW(require_same_size(4, "x", std::size_t{4}, "y"));
}

}  // namespace
}  // namespace tut
