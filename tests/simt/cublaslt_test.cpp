// cuBLASLt on the CPU: products and epilogues against loops in double, and what is refused.
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

namespace {

constexpr int kRows = 70, kColumns = 33, kDepth = 20, kBatch = 2;

/// `kBatch` matrices, in memory that the device and the host use.
template <class T>
class Managed {
 public:
  explicit Managed(int size, bool random = true) : size_(size) {
    REQUIRE(cudaMallocManaged(&data_, sizeof(T) * static_cast<std::size_t>(size)) == cudaSuccess);
    static std::mt19937 engine(3);
    std::uniform_real_distribution<float> values(-1, 1);
    for (int i = 0; random && i < size; ++i) data_[i] = static_cast<T>(values(engine));
  }
  ~Managed() { cudaFree(data_); }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  T* get() const { return data_; }
  double operator[](int i) const { return static_cast<double>(static_cast<float>(data_[i])); }

 private:
  T* data_ = nullptr;
  int size_;
};

template <class T>
constexpr cudaDataType kType = std::is_same_v<T, float>    ? CUDA_R_32F
                               : std::is_same_v<T, __half> ? CUDA_R_16F
                                                           : CUDA_R_16BF;

struct Layout {
  cublasLtMatrixLayout_t handle = nullptr;
  Layout(cudaDataType type, int rows, int cols, int ld, cublasLtOrder_t order, std::int64_t step) {
    const std::int32_t batch = kBatch;
    cublasLtMatrixLayoutCreate(&handle, type, static_cast<std::uint64_t>(rows),
                               static_cast<std::uint64_t>(cols), ld);
    cublasLtMatrixLayoutSetAttribute(handle, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order));
    cublasLtMatrixLayoutSetAttribute(handle, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                     sizeof(batch));
    cublasLtMatrixLayoutSetAttribute(handle, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step,
                                     sizeof(step));
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(handle); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
};

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

/// One call; op(A) is A transposed, B is as it is, D by rows if `by_rows`.
template <class In, class Out>
class Case {
 public:
  Case(cublasLtEpilogue_t epilogue, bool by_rows)
      : epilogue_(epilogue),
        by_rows_(by_rows),
        a_layout_(kType<In>, kDepth, kRows, kDepth, CUBLASLT_ORDER_COL, kDepth * kRows),
        b_layout_(kType<In>, kDepth, kColumns, kDepth + 3, CUBLASLT_ORDER_COL,
                  (kDepth + 3) * kColumns),
        d_layout_(kType<Out>, kRows, kColumns, by_rows ? kColumns : kRows,
                  by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL, kRows * kColumns) {}

  void run() {
    cublasLtHandle_t handle;
    REQUIRE(cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    cublasLtMatmulDesc_t desc;
    REQUIRE(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) ==
            CUBLAS_STATUS_SUCCESS);
    const cublasOperation_t turned = CUBLAS_OP_T;
    set(desc, CUBLASLT_MATMUL_DESC_TRANSA, turned);
    set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_);
    set(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(bias_.get()));
    const bool sums =
        epilogue_ == CUBLASLT_EPILOGUE_BGRADA || epilogue_ == CUBLASLT_EPILOGUE_BGRADB;
    set(desc, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, std::int64_t{sums ? kRows : 0});
    set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(aux_.get()));
    set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{kRows});
    set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, std::int64_t{kRows * kColumns});
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    CHECK(cublasLtMatmulAlgoGetHeuristic(handle, desc, a_layout_.handle, b_layout_.handle,
                                         d_layout_.handle, d_layout_.handle, preference, 1, &result,
                                         &found) == CUBLAS_STATUS_SUCCESS);
    CHECK(found == 1);
    const float alpha = 0.5F, beta = 2;
    CHECK(cublasLtMatmul(handle, desc, &alpha, a_.get(), a_layout_.handle, b_.get(),
                         b_layout_.handle, &beta, c_.get(), d_layout_.handle, d_.get(),
                         d_layout_.handle, &result.algo, nullptr, 0,
                         nullptr) == CUBLAS_STATUS_SUCCESS);
    cudaDeviceSynchronize();
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(desc);
    cublasLtDestroy(handle);
  }

  void check(double bound) {
    const bool gradient = epilogue_ == CUBLASLT_EPILOGUE_DGELU;
    std::vector<double> before(kBatch * kRows * kColumns);
    for (int i = 0; gradient && i < kBatch * kRows * kColumns; ++i) {
      before[static_cast<std::size_t>(i)] = aux_[i];
    }
    run();
    double worst = 0, worst_aux = 0;
    for (int n = 0; n < kBatch; ++n) {
      for (int j = 0; j < kColumns; ++j) {
        for (int i = 0; i < kRows; ++i) {
          const int at = (n * kRows * kColumns) + (by_rows_ ? i * kColumns + j : i + j * kRows);
          const int aux_at = n * kRows * kColumns + i + j * kRows;
          double value = 0.5 * product(n, i, j) + 2 * c_[at];
          if ((epilogue_ & CUBLASLT_EPILOGUE_BIAS) != 0) value += bias_[i];
          if ((epilogue_ & CUBLASLT_EPILOGUE_GELU_AUX) == CUBLASLT_EPILOGUE_GELU_AUX) {
            worst_aux = std::fmax(worst_aux, std::fabs(aux_[aux_at] - value));
          }
          if ((epilogue_ & CUBLASLT_EPILOGUE_RELU) != 0) value = std::fmax(value, 0);
          if ((epilogue_ & CUBLASLT_EPILOGUE_GELU) != 0) value = gelu(value);
          if (gradient) {
            const double x = before[static_cast<std::size_t>(aux_at)], h = 1e-5;
            value *= (gelu(x + h) - gelu(x - h)) / (2 * h);
          }
          worst = std::fmax(worst, std::fabs(d_[at] - value));
        }
      }
    }
    CHECK(worst <= bound);
    CHECK(worst_aux <= bound);
  }

  double bias(int n, int i) const { return bias_[n * kRows + i]; }
  double a_sum(int n, int i) const {
    double sum = 0;
    for (int k = 0; k < kDepth; ++k) sum += a_[n * kDepth * kRows + i * kDepth + k];
    return sum;
  }
  double b_sum(int n, int j) const {
    double sum = 0;
    for (int k = 0; k < kDepth; ++k) {
      sum += b_[n * (kDepth + 3) * kColumns + j * (kDepth + 3) + k];
    }
    return sum;
  }

 private:
  template <class T>
  static void set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, T value) {
    CHECK(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof(value)) ==
          CUBLAS_STATUS_SUCCESS);
  }
  double product(int n, int i, int j) const {
    double sum = 0;
    for (int k = 0; k < kDepth; ++k) {
      sum += a_[n * kDepth * kRows + i * kDepth + k] *
             b_[n * (kDepth + 3) * kColumns + j * (kDepth + 3) + k];
    }
    return sum;
  }

  cublasLtEpilogue_t epilogue_;
  bool by_rows_;
  Layout a_layout_, b_layout_, d_layout_;
  Managed<In> a_{kBatch * kDepth * kRows}, b_{kBatch * (kDepth + 3) * kColumns};
  Managed<Out> c_{kBatch * kRows * kColumns}, d_{kBatch * kRows * kColumns, false};
  Managed<Out> bias_{kBatch * kRows}, aux_{kBatch * kRows * kColumns};
};

}  // namespace

TEST_CASE("cublasLt: products with every epilogue") {
  for (const cublasLtEpilogue_t epilogue :
       {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS,
        CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS,
        CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU}) {
    CAPTURE(static_cast<int>(epilogue));
    Case<float, float>(epilogue, false).check(1e-5);
    Case<__nv_bfloat16, __nv_bfloat16>(epilogue, true).check(0.05);
    Case<__half, float>(epilogue, false).check(1e-4);
  }
}

TEST_CASE("cublasLt: gradients of a bias") {
  Case<float, float> by_a(CUBLASLT_EPILOGUE_BGRADA, false);
  by_a.run();
  Case<float, float> by_b(CUBLASLT_EPILOGUE_BGRADB, true);
  by_b.run();
  for (int n = 0; n < kBatch; ++n) {
    for (int i = 0; i < kRows; ++i) CHECK(by_a.bias(n, i) == doctest::Approx(by_a.a_sum(n, i)));
    for (int j = 0; j < kColumns; ++j) CHECK(by_b.bias(n, j) == doctest::Approx(by_b.b_sum(n, j)));
  }
}

TEST_CASE("cublasLt: what it refuses") {
  cublasLtHandle_t handle;
  cublasLtCreate(&handle);
  cublasLtMatmulDesc_t desc;
  cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const Layout square(CUDA_R_32F, 8, 8, 8, CUBLASLT_ORDER_COL, 64);
  const Layout tall(CUDA_R_32F, 9, 8, 9, CUBLASLT_ORDER_COL, 72);
  const Layout bytes(CUDA_R_8F_E4M3, 8, 8, 8, CUBLASLT_ORDER_COL, 64);
  const float one = 1;
  Managed<float> x(kBatch * 72);
  const auto multiply = [&](const Layout& a, const Layout& d) {
    return cublasLtMatmul(handle, desc, &one, x.get(), a.handle, x.get(), square.handle, &one,
                          x.get(), d.handle, x.get(), d.handle, nullptr, nullptr, 0, nullptr);
  };
  CHECK(multiply(square, square) == CUBLAS_STATUS_SUCCESS);
  CHECK(multiply(tall, square) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(multiply(bytes, square) == CUBLAS_STATUS_NOT_SUPPORTED);
  const cublasLtEpilogue_t masks = CUBLASLT_EPILOGUE_DRELU;
  CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &masks,
                                       sizeof(masks)) == CUBLAS_STATUS_SUCCESS);
  CHECK(multiply(square, square) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &masks, 1) ==
        CUBLAS_STATUS_INVALID_VALUE);
  // Sums of two products in the same place: the last one would win by chance.
  const cublasLtEpilogue_t sums = CUBLASLT_EPILOGUE_BGRADA;
  Managed<float> bias(kBatch * 8);
  float* const place = bias.get();
  const auto set = [&](auto attribute, const auto& value) {
    CHECK(cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof(value)) ==
          CUBLAS_STATUS_SUCCESS);
  };
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, sums);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, place);
  CHECK(multiply(square, square) == CUBLAS_STATUS_INVALID_VALUE);
  set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, std::int64_t{8});
  CHECK(multiply(square, square) == CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulDescDestroy(desc);
  cublasLtDestroy(handle);
}
