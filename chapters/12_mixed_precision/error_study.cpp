#include "12_mixed_precision/error_study.hpp"

#include <cmath>
#include <cstddef>

#include "12_mixed_precision/matmul_3xtf32.hpp"
#include "12_mixed_precision/matmul_tensor.hpp"
#include "12_mixed_precision/tensor_core_model.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/compare/matmul_reference.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch12 {
namespace {

using Matrix = HostMatrix<float>;
using Vector = std::vector<float>;

template <class T, class U>
Method device_method(std::string name, void (*multiply)(MatrixView<const T>, MatrixView<const T>,
                                                        MatrixView<U>, cudaStream_t)) {
  return {std::move(name), [multiply](const Matrix& a, const Matrix& b) {
            const auto upload = [](const Matrix& m) {
              return DeviceMatrix<T>(make_matrix<T>(
                  m.rows(), m.cols(), [&](int r, int c) { return from_float<T>(m(r, c)); }));
            };
            const DeviceMatrix<T> device_a = upload(a), device_b = upload(b);
            DeviceMatrix<U> device_c(a.rows(), b.cols());
            multiply(device_a.cview(), device_b.cview(), device_c.view(), nullptr);
            const HostMatrix<U> c = device_c.download();
            return make_matrix<float>(c.rows(), c.cols(), [&](int r, int s) {
              return static_cast<float>(to_double(c(r, s)));
            });
          }};
}

/// A method that computes each element of C from a row of A and a column of B.
Method element_method(std::string name,
                      const std::function<float(const Vector& x, const Vector& y)>& sum) {
  return {std::move(name), [sum](const Matrix& a, const Matrix& b) {
            return make_matrix<float>(a.rows(), b.cols(), [&](int r, int c) {
              Vector x, y;
              for (int k = 0; k < a.cols(); ++k) {
                x.push_back(a(r, k));
                y.push_back(b(k, c));
              }
              return sum(x, y);
            });
          }};
}

float fp32_sum(const Vector& x, const Vector& y) {
  float sum = 0.0f;
  for (std::size_t k = 0; k < x.size(); ++k) sum = std::fma(x[k], y[k], sum);
  return sum;
}

/// x as two TF32 numbers.
struct Split {
  Vector hi, lo;
  explicit Split(std::span<const float> x) {
    for (const float value : x) {
      hi.push_back(static_cast<float>(rounded(TF32, value)));
      lo.push_back(static_cast<float>(rounded(TF32, value - hi.back())));
    }
  }
};

/// Three TF32 products in a tensor core; after every `length` of k an FP32 addition takes over.
float three_tf32_products(const Vector& x, const Vector& y, std::size_t length) {
  float total = 0.0f;
  for (std::size_t first = 0; first < x.size(); first += length) {
    const std::size_t count = std::min(length, x.size() - first);
    float part = 0.0f;
    for (std::size_t k = first; k < first + count; k += 8) {
      const std::size_t depth = std::min<std::size_t>(8, first + count - k);
      const Split a({x.data() + k, depth}), b({y.data() + k, depth});
      part = tensor_core_sum(part, a.lo, b.hi);
      part = tensor_core_sum(part, a.hi, b.lo);
      part = tensor_core_sum(part, a.hi, b.hi);
    }
    total += part;
  }
  return total;
}

}  // namespace

std::vector<Method> device_methods() {
  std::vector<Method> methods{device_method("half, half sums", matmul_half_sums),
                              device_method("half, float sums", matmul_float_sums)};
  if (!has_tf32_and_bfloat16()) return methods;
  methods.push_back(device_method("bfloat16, float sums", matmul_bfloat16));
  methods.push_back(device_method("TF32, float sums", matmul_tf32));
  methods.push_back(device_method("three TF32 products", matmul_3xtf32));
  return methods;
}

std::vector<Method> model_methods() {
  return {
      element_method("FP32", fp32_sum),
      element_method(
          "three TF32 products, cut and never taken over",
          [](const Vector& x, const Vector& y) { return three_tf32_products(x, y, x.size()); }),
      element_method(
          "three TF32 products, cut and taken over every 16",
          [](const Vector& x, const Vector& y) { return three_tf32_products(x, y, 16); }),
  };
}

double relative_error(const Method& method, int rows, int cols, int k, std::uint64_t seed) {
  Matrix a(rows, k), b(k, cols);
  fill_uniform(a, 2 * seed);
  fill_uniform(b, 2 * seed + 1);
  const Matrix got = method.multiply(a, b);
  const HostMatrix<double> exact =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview())).product;
  double error = 0, size = 0;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      error += std::pow(static_cast<double>(got(r, c)) - exact(r, c), 2);
      size += std::pow(exact(r, c), 2);
    }
  }
  return std::sqrt(error / size);
}

std::vector<ErrorCurve> error_curves(std::span<const int> lengths) {
  std::vector<Method> methods = device_methods();
  for (Method& method : model_methods()) methods.push_back(std::move(method));
  std::vector<ErrorCurve> curves;
  for (const Method& method : methods) {
    ErrorCurve curve{method.name, {}};
    for (const int k : lengths) curve.errors.push_back(relative_error(method, 32, 32, k));
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace tut::ch12
