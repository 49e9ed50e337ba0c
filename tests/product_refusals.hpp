/// \file
/// Products of matrices that do not fit.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include "refusal_case.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/math.hpp"

namespace tut {

/// Whether `call(a, b, c)` throws std::invalid_argument wherever a single size is one more or one
/// less than in a product that fits, wherever M, N or K is 0, and wherever a stride is below its
/// row. A and B are of T, C of U; `b_transposed`: B is (N, K); `a_transposed`: A is (K, M). Strides
/// are multiples of `multiple`, those below a row too.
template <class T, class U, class Call>
Outcome product_refusals_outcome(const Call& call, bool b_transposed = false,
                                 bool a_transposed = false, int multiple = 1) {
  struct Shape {
    std::array<int, 2> sizes;  // rows, columns
    int stride;
  };
  using Shapes = std::array<Shape, 3>;
  const int M = 4, N = multiple == 1 ? 7 : 2 * multiple + 1, K = multiple == 1 ? 5 : multiple + 1;
  constexpr std::array NAMES{"A", "B", "C"};
  const DeviceBuffer<T> factors(static_cast<std::size_t>(128 * multiple));
  const DeviceBuffer<U> sums(static_cast<std::size_t>(128 * multiple));
  const auto shapes = [&](int m, int n, int k) {
    const auto shape = [=](int rows, int cols) {
      return Shape{{rows, cols}, round_up(cols + 2, multiple)};
    };
    return Shapes{a_transposed ? shape(k, m) : shape(m, k),
                  b_transposed ? shape(n, k) : shape(k, n), shape(m, n)};
  };
  const auto refused = [&](const Shapes& s, const std::string& what) -> Outcome {
    const auto view = [&](auto* data, std::size_t i) {
      using Element = std::remove_pointer_t<decltype(data)>;
      return MatrixView<Element>{data, s[i].sizes[0], s[i].sizes[1], s[i].stride};
    };
    return refusal_outcome(what, [&] {
      const T* data = factors.data();
      call(view(data, 0), view(data, 1), view(sums.data(), 2));
    });
  };
  for (const auto& [m, n, k] : {std::array{0, N, K}, {M, 0, K}, {M, N, 0}}) {
    Outcome outcome =
        refused(shapes(m, n, k), "M = " + std::to_string(m) + ", N = " + std::to_string(n) +
                                     ", K = " + std::to_string(k));
    if (!outcome.ok) return outcome;
  }
  for (std::size_t i = 0; i < NAMES.size(); ++i) {
    for (std::size_t side = 0; side < 2; ++side) {
      for (const int more : {-1, 1}) {
        Shapes wrong = shapes(M, N, K);
        wrong[i].sizes[side] += more;
        Outcome outcome =
            refused(wrong, std::string(NAMES[i]) + " with " + std::to_string(wrong[i].sizes[side]) +
                               (side == 0 ? " rows" : " columns") + " where " +
                               std::to_string(wrong[i].sizes[side] - more) + " fit");
        if (!outcome.ok) return outcome;
      }
    }
    // A stride below the row also where there is but one.
    const bool is_row_of_k = i == 0 ? a_transposed : i == 1 && !b_transposed;
    const Shapes of_one_row = is_row_of_k ? shapes(M, N, 1)
                              : i == 1    ? shapes(M, 1, K)
                                          : shapes(1, N, K);
    for (Shapes wrong : {shapes(M, N, K), of_one_row}) {
      wrong[i].stride = wrong[i].sizes[1] - 1;
      Outcome outcome = refused(wrong, std::string(NAMES[i]) + " of stride " +
                                           std::to_string(wrong[i].stride) + ", where a row has " +
                                           std::to_string(wrong[i].sizes[1]) + " elements,");
      if (!outcome.ok) return outcome;
    }
  }
  return {};
}

}  // namespace tut
