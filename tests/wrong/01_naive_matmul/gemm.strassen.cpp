// fails: values
// says: 1e8 in the last quarter
// One level of Strassen's algorithm: sums and differences of quarters cancel.
#include "01_naive_matmul/gemm.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch01 {
namespace {

using Input = MatrixView<const float>;

constexpr int CROSSOVER = 128;  // below it seven products of halves are slower than one whole

// c += alpha a b
void add_product(float alpha, Input a, Input b, MatrixView<float> c) {
  for (int i = 0; i < c.rows; ++i) {
    float* __restrict c_row = &c(i, 0);
    for (int k = 0; k < a.cols; ++k) {
      const float factor = alpha * a(i, k);
      const float* b_row = &b(k, 0);
      for (int j = 0; j < c.cols; ++j) c_row[j] += factor * b_row[j];
    }
  }
}

// A matrix of its own.
class Matrix {
 public:
  Matrix(int rows, int cols)
      : values_(static_cast<std::size_t>(rows) * cols), rows_(rows), cols_(cols) {}

  MatrixView<float> view() { return {values_.data(), rows_, cols_, cols_}; }

 private:
  std::vector<float> values_;
  int rows_, cols_;
};

// x + sign y
Matrix combine(Input x, float sign, Input y) {
  Matrix result(x.rows, x.cols);
  const MatrixView<float> to = result.view();
  for (int i = 0; i < x.rows; ++i) {
    for (int j = 0; j < x.cols; ++j) to(i, j) = x(i, j) + sign * y(i, j);
  }
  return result;
}

// The four quarters of a matrix.
template <class T>
struct Quarters {
  explicit Quarters(MatrixView<T> m)
      : q11(m.block(0, 0, m.rows / 2, m.cols / 2)),
        q12(m.block(0, m.cols / 2, m.rows / 2, m.cols / 2)),
        q21(m.block(m.rows / 2, 0, m.rows / 2, m.cols / 2)),
        q22(m.block(m.rows / 2, m.cols / 2, m.rows / 2, m.cols / 2)) {}

  MatrixView<T> q11, q12, q21, q22;
};

// c += sign m
void accumulate(MatrixView<float> c, float sign, Input m) {
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) += sign * m(i, j);
  }
}

// c += alpha a b with seven products of halves in place of eight (Strassen 1969).
void add_product_strassen(float alpha, Input a_whole, Input b_whole, MatrixView<float> c_whole) {
  const Quarters<const float> a(a_whole), b(b_whole);
  const Quarters<float> c(c_whole);
  const auto product = [alpha, &c](Input x, Input y) {
    Matrix result(c.q11.rows, c.q11.cols);
    add_product(alpha, x, y, result.view());
    return result;
  };

  Matrix m1 = product(combine(a.q11, 1, a.q22).view(), combine(b.q11, 1, b.q22).view());
  accumulate(c.q11, 1, m1.view());
  accumulate(c.q22, 1, m1.view());
  Matrix m2 = product(combine(a.q21, 1, a.q22).view(), b.q11);
  accumulate(c.q21, 1, m2.view());
  accumulate(c.q22, -1, m2.view());
  Matrix m3 = product(a.q11, combine(b.q12, -1, b.q22).view());
  accumulate(c.q12, 1, m3.view());
  accumulate(c.q22, 1, m3.view());
  Matrix m4 = product(a.q22, combine(b.q21, -1, b.q11).view());
  accumulate(c.q11, 1, m4.view());
  accumulate(c.q21, 1, m4.view());
  Matrix m5 = product(combine(a.q11, 1, a.q12).view(), b.q22);
  accumulate(c.q11, -1, m5.view());
  accumulate(c.q12, 1, m5.view());
  Matrix m6 = product(combine(a.q21, -1, a.q11).view(), combine(b.q11, 1, b.q12).view());
  accumulate(c.q22, 1, m6.view());
  Matrix m7 = product(combine(a.q12, -1, a.q22).view(), combine(b.q21, 1, b.q22).view());
  accumulate(c.q11, 1, m7.view());
}

}  // namespace

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    float* c_row = &c(i, 0);
    if (beta == 0.0f) {
      std::fill_n(c_row, c.cols, 0.0f);
    } else {
      for (int j = 0; j < c.cols; ++j) c_row[j] *= beta;
    }
  }

  const auto halves = [](int size) { return size % 2 == 0 && size >= CROSSOVER; };
  if (halves(c.rows) && halves(c.cols) && halves(a.cols)) {
    add_product_strassen(alpha, a, b, c);
  } else {
    add_product(alpha, a, b, c);
  }
}

}  // namespace tut::ch01
