// cuBLAS on the CPU: values against triple loops in double, argument checks, and what must not be
// read or written.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

/// Device memory for n elements, as the tests need it.
template <class T>
class Device {
 public:
  explicit Device(const std::vector<T>& values) : size_(values.size()) {
    REQUIRE(cudaMalloc(&data_, size_ * sizeof(T)) == cudaSuccess);
    REQUIRE(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice) ==
            cudaSuccess);
  }
  ~Device() { cudaFree(data_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  T* get() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> values(size_);
    REQUIRE(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) ==
            cudaSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

struct Handle {
  cublasHandle_t handle = nullptr;
  Handle() { REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS); }
  ~Handle() { cublasDestroy(handle); }
  operator cublasHandle_t() const { return handle; }
};

/// A column-major matrix with its leading dimension; the padding is NaN.
template <class T>
struct Columns {
  int rows, cols, ld;
  std::vector<T> data;

  Columns(int r, int c, int pad, T fill)
      : rows(r), cols(c), ld(r + pad), data(std::size_t(ld) * c, fill) {}
  T& at(int r, int c) { return data[std::size_t(c) * ld + r]; }
  const T& at(int r, int c) const { return data[std::size_t(c) * ld + r]; }
};

template <class T>
Columns<T> random_matrix(int rows, int cols, int pad, unsigned seed) {
  Columns<T> m(rows, cols, pad, static_cast<T>(std::is_integral_v<T> ? 77.0f : NAN));
  std::mt19937 engine(seed);
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) {
      const int i = static_cast<int>(engine() % 255) - 127;
      m.at(r, c) =
          std::is_integral_v<T> ? static_cast<T>(i) : static_cast<T>(static_cast<float>(i) / 128);
    }
  }
  return m;
}

template <class T>
double value(T x) {
  return static_cast<double>(static_cast<float>(x));
}
double value(double x) { return x; }
double value(std::int32_t x) { return x; }

/// Largest error of C in units of sqrt(k) * (|alpha| |A||B| + |beta||C|), and whether padding held.
template <class In, class Out>
double worst_error(bool ta, bool tb, double alpha, const Columns<In>& a, const Columns<In>& b,
                   double beta, const Columns<Out>& before, const Columns<Out>& after) {
  const int k = ta ? a.rows : a.cols;
  double worst = 0;
  for (int j = 0; j < after.cols; ++j) {
    for (int i = 0; i < after.ld; ++i) {
      if (i >= after.rows) {
        const double was = value(before.at(i, j)), is = value(after.at(i, j));
        if (!(was == is || (std::isnan(was) && std::isnan(is)))) return INFINITY;
        continue;
      }
      double sum = 0, size = 0;
      for (int p = 0; p < k; ++p) {
        const double x = value(ta ? a.at(p, i) : a.at(i, p));
        const double y = value(tb ? b.at(j, p) : b.at(p, j));
        sum += x * y;
        size += std::fabs(x * y);
      }
      const double old = beta == 0 ? 0 : beta * value(before.at(i, j));
      const double scale = std::sqrt(k + 1.0) * (std::fabs(alpha) * size + std::fabs(old)) + 1e-300;
      const double error = std::fabs(value(after.at(i, j)) - (alpha * sum + old)) / scale;
      if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
    }
  }
  return worst;
}

struct Shape {
  int m, n, k;
};
const Shape kShapes[] = {{1, 1, 1}, {5, 3, 7}, {129, 67, 31}, {70, 200, 33}};

const cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T};

template <class T>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                    int k, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta,
                    T* c, int ldc) {
  if constexpr (std::is_same_v<T, float>) {
    return cublasSgemm(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  } else if constexpr (std::is_same_v<T, double>) {
    return cublasDgemm(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  } else {
    return cublasHgemm(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
}

template <class T>
double gemm_error(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, float alpha,
                  float beta) {
  const Handle handle;
  const auto a = ta == CUBLAS_OP_N ? random_matrix<T>(m, k, 3, 1) : random_matrix<T>(k, m, 3, 1);
  const auto b = tb == CUBLAS_OP_N ? random_matrix<T>(k, n, 1, 2) : random_matrix<T>(n, k, 1, 2);
  // With beta = 0, C starts as NaN: reading it would show.
  auto c = beta == 0 ? Columns<T>(m, n, 2, static_cast<T>(NAN)) : random_matrix<T>(m, n, 2, 3);
  const auto before = c;
  const Device<T> da(a.data), db(b.data), dc(c.data);
  const T p = static_cast<T>(alpha), q = static_cast<T>(beta);
  REQUIRE(gemm<T>(handle, ta, tb, m, n, k, &p, da.get(), a.ld, db.get(), b.ld, &q, dc.get(),
                  c.ld) == CUBLAS_STATUS_SUCCESS);
  c.data = dc.host();
  REQUIRE(da.host().size() == a.data.size());
  return worst_error(ta != CUBLAS_OP_N, tb != CUBLAS_OP_N, value(p), a, b, value(q), before, c);
}

}  // namespace

TEST_CASE("gemm: every pair of operations, shapes that fit no block, padding, alpha and beta") {
  for (const auto ta : kOperations) {
    for (const auto tb : kOperations) {
      for (const Shape& shape : kShapes) {
        const int m = shape.m, n = shape.n, k = shape.k;
        for (const float beta : {0.0f, 1.0f, -0.5f}) {
          CAPTURE(m);
          CHECK(gemm_error<float>(ta, tb, m, n, k, 1.5f, beta) <= 2 * 0x1p-24);
          CHECK(gemm_error<double>(ta, tb, m, n, k, 1.5f, beta) <= 2 * 0x1p-53);
          // Sums in half: far worse than single precision, and bounded.
          CHECK(gemm_error<__half>(ta, tb, m, n, k, 1.5f, beta) <= 2 * 0x1p-11);
        }
      }
    }
  }
}

TEST_CASE("gemm: k = 0 and alpha = 0 scale C and read neither A nor B") {
  CHECK(gemm_error<float>(CUBLAS_OP_N, CUBLAS_OP_N, 4, 3, 0, 1.0f, 0.5f) == 0.0);
  CHECK(gemm_error<float>(CUBLAS_OP_N, CUBLAS_OP_N, 4, 3, 0, 1.0f, 0.0f) == 0.0);
  const Handle handle;
  const Device<float> nan({NAN, NAN}), c({2.0f});
  const float zero = 0, half = 0.5f;
  CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, &zero, nan.get(), 1, nan.get(), 2,
                    &half, c.get(), 1) == CUBLAS_STATUS_SUCCESS);
  CHECK(c.host()[0] == 1.0f);
}

TEST_CASE("gemm: bad arguments") {
  const Handle handle;
  const Device<float> d(std::vector<float>(64, 1.0f));
  float* p = d.get();
  const float one = 1;
  const auto call = [&](cublasHandle_t h, cublasOperation_t ta, int m, int n, int k, int lda,
                        int ldb, int ldc, const float* alpha) {
    return cublasSgemm(h, ta, CUBLAS_OP_N, m, n, k, alpha, p, lda, p, ldb, &one, p + 32, ldc);
  };
  CHECK(call(handle, CUBLAS_OP_N, 4, 2, 3, 4, 3, 4, &one) == CUBLAS_STATUS_SUCCESS);
  CHECK(call(nullptr, CUBLAS_OP_N, 4, 2, 3, 4, 3, 4, &one) == CUBLAS_STATUS_NOT_INITIALIZED);
  CHECK(call(handle, CUBLAS_OP_N, -1, 2, 3, 4, 3, 4, &one) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(call(handle, CUBLAS_OP_N, 4, 2, 3, 3, 3, 4, &one) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(call(handle, CUBLAS_OP_T, 4, 2, 3, 3, 3, 4, &one) == CUBLAS_STATUS_SUCCESS);
  CHECK(call(handle, CUBLAS_OP_N, 4, 2, 3, 4, 2, 4, &one) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(call(handle, CUBLAS_OP_N, 4, 2, 3, 4, 3, 3, &one) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(call(handle, CUBLAS_OP_N, 4, 2, 3, 4, 3, 4, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(call(handle, static_cast<cublasOperation_t>(9), 4, 2, 3, 4, 3, 4, &one) ==
        CUBLAS_STATUS_INVALID_VALUE);
  CHECK(call(handle, CUBLAS_OP_N, 0, 2, 3, 1, 3, 1, &one) == CUBLAS_STATUS_SUCCESS);
  CHECK(std::string(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE)) ==
        "CUBLAS_STATUS_INVALID_VALUE");
}

TEST_CASE("gemm: scalars in device memory are read when the work runs") {
  const Handle handle;
  const Device<float> a({2.0f}), b({3.0f}), c({10.0f}), alpha({5.0f}), beta({0.5f});
  REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, alpha.get(), a.get(), 1, b.get(), 1,
                    beta.get(), c.get(), 1) == CUBLAS_STATUS_SUCCESS);
  CHECK(c.host()[0] == 35.0f);
}

namespace {

template <class In, class Out, class ScalarT = float>
double gemm_ex_error(cudaDataType in, cudaDataType out, cublasComputeType_t compute) {
  const Handle handle;
  const auto a = random_matrix<In>(36, 52, 0, 1), b = random_matrix<In>(52, 24, 0, 2);
  Columns<Out> c(36, 24, 4, static_cast<Out>(std::is_integral_v<Out> ? 7 : NAN));
  const auto before = c;
  const Device<In> da(a.data), db(b.data);
  const Device<Out> dc(c.data);
  const auto one = static_cast<ScalarT>(1), zero = static_cast<ScalarT>(0);
  REQUIRE(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 36, 24, 52, &one, da.get(), in, a.ld,
                       db.get(), in, b.ld, &zero, dc.get(), out, c.ld, compute,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  c.data = dc.host();
  return worst_error(false, false, 1, a, b, 0, before, c);
}

}  // namespace

TEST_CASE("GemmEx: types") {
  using Bf = __nv_bfloat16;
  const double single = 2 * 0x1p-24, sqrt_k = std::sqrt(53.0);
  CHECK(gemm_ex_error<float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F) <= single);
  CHECK(gemm_ex_error<__half, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F) <= single);
  CHECK(gemm_ex_error<Bf, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F) <= single);
  CHECK(gemm_ex_error<__half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F) <=
        single + 0x1p-11 / sqrt_k);
  CHECK(gemm_ex_error<Bf, Bf>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F) <=
        single + 0x1p-8 / sqrt_k);
  CHECK(gemm_ex_error<std::int8_t, std::int32_t, std::int32_t>(CUDA_R_8I, CUDA_R_32I,
                                                               CUBLAS_COMPUTE_32I) == 0);
  CHECK(gemm_ex_error<std::int8_t, float>(CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F) == 0);
  CHECK(gemm_ex_error<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F) <=
        2 * 0x1p-53);
  CHECK(gemm_ex_error<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F) <=
        2 * 0x1p-11);
}

TEST_CASE("GemmEx: unsupported types and leading dimensions") {
  const Handle handle;
  const Device<float> d(std::vector<float>(256, 1.0f));
  const float one = 1, zero = 0;
  const int integer_one = 1;
  const auto call = [&](cudaDataType a, cudaDataType b, cudaDataType c, int ld,
                        cublasComputeType_t compute) {
    const void* alpha = &one;
    if (compute == CUBLAS_COMPUTE_32I) alpha = &integer_one;
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 3, alpha, d.get(), a, ld, d.get(),
                        b, ld, &zero, d.get() + 128, c, 3, compute, CUBLAS_GEMM_DEFAULT);
  };
  CHECK(call(CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, 3, CUBLAS_COMPUTE_32F) ==
        CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(call(CUDA_R_32F, CUDA_R_32F, CUDA_R_16F, 3, CUBLAS_COMPUTE_32F) ==
        CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(call(CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, 3, CUBLAS_COMPUTE_32I) ==
        CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(call(CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, 4, CUBLAS_COMPUTE_32I) == CUBLAS_STATUS_SUCCESS);
  CHECK(call(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, 2, CUBLAS_COMPUTE_32F) ==
        CUBLAS_STATUS_INVALID_VALUE);
}

TEST_CASE("TF32 rounds the inputs to ten bits, in Sgemm only where asked") {
  const Handle handle;
  const Device<float> a({1.0f + 0x1p-12f}), b({1.0f}), c({0.0f});
  const float one = 1, zero = 0;
  const auto product = [&] {
    REQUIRE(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.get(), 1, b.get(), 1,
                        &zero, c.get(), 1) == CUBLAS_STATUS_SUCCESS);
    return c.host()[0];
  };
  CHECK(product() == 1.0f + 0x1p-12f);
  REQUIRE(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS);
  CHECK(product() == 1.0f);
  const double tf32 =
      gemm_ex_error<float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
  CHECK(tf32 <= 2 * 0x1p-24);  // the test's inputs have 8 bits, which TF32 keeps
}

TEST_CASE("a sum in half loses what a sum in single precision keeps") {
  // 2048 + 1/16 + 1/16 + ...: from 2048 on, half's ulp is 2.
  constexpr int kCount = 64;
  const Handle handle;
  std::vector<__half> ones(kCount, __half(1.0f)), values(kCount, __half(0.0625f));
  values[0] = __half(2048.0f);
  const Device<__half> a(values), b(ones), c({__half(0.0f)});
  const __half one(1.0f), zero(0.0f);
  const float one_single = 1, zero_single = 0;
  REQUIRE(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, kCount, &one, a.get(), 1, b.get(),
                      kCount, &zero, c.get(), 1) == CUBLAS_STATUS_SUCCESS);
  const float in_half = c.host()[0];
  REQUIRE(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, kCount, &one_single, a.get(),
                       CUDA_R_16F, 1, b.get(), CUDA_R_16F, kCount, &zero_single, c.get(),
                       CUDA_R_16F, 1, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  const float in_single = c.host()[0];
  CHECK(in_single == 2052.0f);  // 2051.9375 rounded once
  CHECK(in_half == 2048.0f);    // 16 products at a time add less than half an ulp
}
