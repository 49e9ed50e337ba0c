// Tiles of 4 x 12; A is read where it lies, panels of B are packed one at a time.
#include "02_fast_cpu_matmul/matmul_cached.hpp"

#include <algorithm>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch02 {
namespace {

template <class T>
struct Product {
  static constexpr int R = 4, C = 12, K = 160;
  MatrixView<const T> a, b;
  MatrixView<T> c;
  std::vector<T> panel = std::vector<T>(K * C);

  void tile(int i0, int j0, int k0, int k1) {
    const int rows = std::min(R, c.rows - i0), cols = std::min(C, c.cols - j0);
    T sum[R * C];
    for (T& element : sum) element = 0.0f;
    for (int k = k0; k < k1; ++k) {
      T right[C];
      for (int j = 0; j < C; ++j) right[j] = panel[static_cast<std::size_t>((k - k0) * C + j)];
      for (int i = 0; i < rows; ++i) {
        const T left = a(i0 + i, k);
        for (int j = 0; j < C; ++j) sum[i * C + j] += left * right[j];
      }
    }
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        if (k0 == 0) c(i0 + i, j0 + j) = sum[i * C + j];
        if (k0 > 0) c(i0 + i, j0 + j) += sum[i * C + j];
      }
    }
  }

  void run() {
    for (int j0 = 0; j0 < c.cols; j0 += C) {
      for (int k0 = 0; k0 < a.cols; k0 += K) {
        const int k1 = std::min(k0 + K, a.cols);
        for (int k = k0; k < k1; ++k) {
          for (int j = 0; j < C; ++j) {
            T& to = panel[static_cast<std::size_t>((k - k0) * C + j)];
            if (j0 + j < c.cols) {
              to = b(k, j0 + j);
            } else {
              to = 0.0f;
            }
          }
        }
        for (int i0 = 0; i0 < c.rows; i0 += R) tile(i0, j0, k0, k1);
      }
    }
  }
};

}  // namespace

void matmul_cached(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  require_matmul_shapes(a, b, c);
  Product<float>{a, b, c}.run();
}
void matmul_cached(MatrixView<const CountedFloat> a, MatrixView<const CountedFloat> b,
                   MatrixView<CountedFloat> c) {
  require_matmul_shapes(a, b, c);
  Product<CountedFloat>{a, b, c}.run();
}

}  // namespace tut::ch02
