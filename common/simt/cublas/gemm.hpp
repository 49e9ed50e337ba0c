/// @file
/// The product behind every gemm call: C = alpha op(A) op(B) + beta C, column-major.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "handle.hpp"
#include "precision.hpp"

namespace simt::cublas {

/// The shape of one product. C is m x n, op(A) m x k, op(B) k x n.
struct GemmShape {
  bool transpose_a, transpose_b;
  int m, n, k;
  int lda, ldb, ldc;
};

/// Checks what cuBLAS checks.
inline cublasStatus_t check_gemm(cublasHandle_t handle, cublasOperation_t transa,
                                 cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                 int lda, int ldb, const void* beta, int ldc) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(transa) || !is_operation(transb)) return CUBLAS_STATUS_INVALID_VALUE;
  if (m < 0 || n < 0 || k < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (!fits(lda, transa == CUBLAS_OP_N ? m : k) || !fits(ldb, transb == CUBLAS_OP_N ? k : n) ||
      !fits(ldc, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using ConstView = Eigen::Map<const Matrix<T>, 0, Eigen::OuterStride<>>;
template <class T>
using View = Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>>;

/// The part of C that one piece of work computes.
struct Tile {
  int row, rows, column, columns;
};

/// C's longer side cut into at most eight parts of at least 64, the same whatever the machine, so
/// that results are too.
class Tiling {
 public:
  explicit Tiling(const GemmShape& shape) : shape_(shape), by_columns_(shape.n >= shape.m) {
    const int side = by_columns_ ? shape.n : shape.m;
    part_ = std::max(64, ((side + 7) / 8 + 15) / 16 * 16);
    count_ = (side + part_ - 1) / part_;
  }

  int count() const { return count_; }
  Tile operator[](int i) const {
    const int begin = i * part_;
    const int side = by_columns_ ? shape_.n : shape_.m;
    const int size = std::min(part_, side - begin);
    return by_columns_ ? Tile{0, shape_.m, begin, size} : Tile{begin, size, 0, shape_.n};
  }

 private:
  GemmShape shape_;
  bool by_columns_;
  int part_;
  int count_;
};

/// rows x columns of op(X) from (row, column) on, as Acc.
template <class Acc, class In>
Matrix<Acc> gather(const In* x, std::ptrdiff_t ld, bool transpose, int row, int rows, int column,
                   int columns, InputRounding rounding) {
  Matrix<Acc> dense(rows, columns);
  const std::ptrdiff_t down = transpose ? ld : 1;
  const std::ptrdiff_t right = transpose ? 1 : ld;
  for (int j = 0; j < columns; ++j) {
    const In* source = x + row * down + (column + j) * right;
    for (int i = 0; i < rows; ++i) {
      Acc value = convert<Acc>(source[i * down]);
      if constexpr (std::is_same_v<Acc, float>) value = rounded_input(value, rounding);
      dense(i, j) = value;
    }
  }
  return dense;
}

/// A tile where elements are stored in the type they are summed in: Eigen works in place.
template <class T>
void multiply_in_place(const GemmShape& s, Tile t, T alpha, const T* a, const T* b, T beta, T* c) {
  View<T> out(c + t.row + std::ptrdiff_t{s.ldc} * t.column, t.rows, t.columns,
              Eigen::OuterStride<>(s.ldc));
  if (beta == T{0}) {
    out.setZero();
  } else if (beta != T{1}) {
    out *= beta;
  }
  if (alpha == T{0} || s.k == 0) return;
  const auto view = [](const T* x, std::ptrdiff_t offset, int rows, int columns, int ld) {
    return ConstView<T>(x + offset, rows, columns, Eigen::OuterStride<>(ld));
  };
  const std::ptrdiff_t lda = s.lda, ldb = s.ldb;
  const auto a_n = view(a, t.row, s.transpose_a ? 0 : t.rows, s.transpose_a ? 0 : s.k, s.lda);
  const auto a_t = view(a, lda * t.row, s.transpose_a ? s.k : 0, s.transpose_a ? t.rows : 0, s.lda);
  const auto b_n =
      view(b, ldb * t.column, s.transpose_b ? 0 : s.k, s.transpose_b ? 0 : t.columns, s.ldb);
  const auto b_t = view(b, t.column, s.transpose_b ? t.columns : 0, s.transpose_b ? s.k : 0, s.ldb);
  if (s.transpose_a && s.transpose_b) {
    out.noalias() += alpha * a_t.transpose() * b_t.transpose();
  } else if (s.transpose_a) {
    out.noalias() += alpha * a_t.transpose() * b_n;
  } else if (s.transpose_b) {
    out.noalias() += alpha * a_n * b_t.transpose();
  } else {
    out.noalias() += alpha * a_n * b_n;
  }
}

/// left * right. With a half accumulator the running sum is rounded to half after every 16
/// products, as an instruction that accumulates in half does.
template <class Acc>
[[gnu::noinline]] Matrix<Acc> dense_product(const Matrix<Acc>& left, const Matrix<Acc>& right,
                                            [[maybe_unused]] bool half_accumulator) {
  if constexpr (std::is_same_v<Acc, float>) {
    Matrix<Acc> sum = Matrix<Acc>::Zero(left.rows(), right.cols());
    const Eigen::Index step = half_accumulator ? 16 : std::max<Eigen::Index>(left.cols(), 1);
    for (Eigen::Index k = 0; k < left.cols(); k += step) {
      const Eigen::Index depth = std::min(step, left.cols() - k);
      sum.noalias() += left.middleCols(k, depth) * right.middleRows(k, depth);
      if (!half_accumulator) break;
      sum = sum.unaryExpr([](Acc x) { return rounded_input(x, InputRounding::kHalf); });
    }
    return sum;
  } else {
    return left * right;
  }
}

// Compiled once, in products.cpp: these are most of what the library takes to compile.
extern template void multiply_in_place<float>(const GemmShape&, Tile, float, const float*,
                                              const float*, float, float*);
extern template void multiply_in_place<double>(const GemmShape&, Tile, double, const double*,
                                               const double*, double, double*);
extern template Matrix<float> dense_product<float>(const Matrix<float>&, const Matrix<float>&,
                                                   bool);
extern template Matrix<double> dense_product<double>(const Matrix<double>&, const Matrix<double>&,
                                                     bool);
extern template Matrix<std::int32_t> dense_product<std::int32_t>(const Matrix<std::int32_t>&,
                                                                 const Matrix<std::int32_t>&, bool);

/// op(A) op(B) of a tile, summed in Acc.
template <class Acc, class In>
Matrix<Acc> multiply(const GemmShape& s, Tile t, const In* a, const In* b, InputRounding rounding,
                     bool half_accumulator) {
  return dense_product<Acc>(
      gather<Acc>(a, s.lda, s.transpose_a, t.row, t.rows, 0, s.k, rounding),
      gather<Acc>(b, s.ldb, s.transpose_b, 0, s.k, t.column, t.columns, rounding),
      half_accumulator);
}

/// A tile where the stored types differ from the summed one.
template <class Acc, class In, class Out>
void multiply_converted(const GemmShape& s, Tile t, Acc alpha, const In* a, const In* b, Acc beta,
                        Out* c, InputRounding rounding, bool half_accumulator) {
  const bool product_counts = alpha != Acc{0} && s.k != 0;
  const Matrix<Acc> product = product_counts ? multiply<Acc>(s, t, a, b, rounding, half_accumulator)
                                             : Matrix<Acc>(Matrix<Acc>::Zero(t.rows, t.columns));
  for (int j = 0; j < t.columns; ++j) {
    Out* column = c + t.row + std::ptrdiff_t{s.ldc} * (t.column + j);
    for (int i = 0; i < t.rows; ++i) {
      Acc value = product_counts ? alpha * product(i, j) : Acc{0};
      if (beta != Acc{0}) value += beta * convert<Acc>(column[i]);
      column[i] = static_cast<Out>(value);
    }
  }
}

/// What one product does to memory; `a` is null where op(A) op(B) does not count.
template <class In, class Out>
void tell_product(MemoryUses& all, const GemmShape& s, const In* a, const In* b, const Out* c,
                  bool reads_c) {
  if (a != nullptr) {
    all.read_rows(a, s.transpose_a ? s.k : s.m, s.transpose_a ? s.m : s.k, s.lda);
    all.read_rows(b, s.transpose_b ? s.n : s.k, s.transpose_b ? s.k : s.n, s.ldb);
  }
  if (reads_c) all.read_rows(c, s.m, s.n, s.ldc);
  all.write_rows(c, s.m, s.n, s.ldc);
}

/// Where the matrices of the i-th product of a batch lie.
template <class In, class Out>
struct StridedBatch {
  const In *a, *b;
  Out* c;
  long long stride_a, stride_b, stride_c;
  const In* a_at(int i) const { return a + stride_a * i; }
  const In* b_at(int i) const { return b + stride_b * i; }
  Out* c_at(int i) const { return c + stride_c * i; }
  void tell(MemoryUses&, int) const {}
};

/// The pointers are in device memory: they are read when the work runs.
template <class In, class Out>
struct PointerBatch {
  const In *const *a, *const *b;
  Out* const* c;
  const In* a_at(int i) const { return a[i]; }
  const In* b_at(int i) const { return b[i]; }
  Out* c_at(int i) const { return c[i]; }
  void tell(MemoryUses& all, int count) const {
    all.read(a, count);
    all.read(b, count);
    all.read(c, count);
  }
};

/// How a product is computed, beyond its types.
struct GemmMode {
  InputRounding rounding = InputRounding::kNone;
  bool half_accumulator = false;
};

/// Checked arguments in, work on the stream out. ScalarT is the type of alpha and beta.
template <class Acc, class In, class Out, class ScalarT, template <class, class> class Batch>
cublasStatus_t run_gemm(cublasContext& handle, KernelInfo& kernel, const GemmShape& shape,
                        const ScalarT* alpha, const ScalarT* beta, Batch<In, Out> batch, int count,
                        GemmMode mode) {
  if (shape.m == 0 || shape.n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<ScalarT> alpha_value(handle, alpha), beta_value(handle, beta);
  const Tiling tiling(shape);
  const auto pieces = static_cast<unsigned>(tiling.count()) * static_cast<unsigned>(count);
  const auto uses = [=](MemoryUses& all) {
    alpha_value.tell(all);
    beta_value.tell(all);
    batch.tell(all, count);
    const bool multiplies = alpha_value.get() != ScalarT{} && shape.k != 0;
    const bool adds = beta_value.get() != ScalarT{};
    for (int i = 0; i < count; ++i) {
      tell_product(all, shape, multiplies ? batch.a_at(i) : nullptr, batch.b_at(i), batch.c_at(i),
                   adds);
    }
  };
  return run(handle, kernel, pieces, uses, [=](unsigned piece) {
    const int i = static_cast<int>(piece) / tiling.count();
    const Tile tile = tiling[static_cast<int>(piece) % tiling.count()];
    const Acc a = convert<Acc>(alpha_value.get()), b = convert<Acc>(beta_value.get());
    if constexpr (std::is_same_v<Acc, In> && std::is_same_v<Acc, Out>) {
      if (mode.rounding == InputRounding::kNone) {
        multiply_in_place(shape, tile, a, batch.a_at(i), batch.b_at(i), b, batch.c_at(i));
        return;
      }
    }
    multiply_converted<Acc>(shape, tile, a, batch.a_at(i), batch.b_at(i), b, batch.c_at(i),
                            mode.rounding, mode.half_accumulator);
  });
}

}  // namespace simt::cublas
