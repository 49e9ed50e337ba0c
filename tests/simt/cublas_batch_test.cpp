// cuBLAS on the CPU: batches, levels 1 and 2, geam, copies.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

/// Managed memory, which host and device both reach.
template <class T>
class Shared {
 public:
  Shared(std::initializer_list<T> values) : Shared(std::vector<T>(values)) {}
  explicit Shared(const std::vector<T>& values) : size_(values.size()) {
    REQUIRE(cudaMallocManaged(&data_, size_ * sizeof(T)) == cudaSuccess);
    for (std::size_t i = 0; i < size_; ++i) data_[i] = values[i];
  }
  ~Shared() { cudaFree(data_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  operator T*() const { return data_; }
  std::vector<T> values() const {
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    return {data_, data_ + size_};
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

constexpr auto kOk = CUBLAS_STATUS_SUCCESS;
constexpr auto kN = CUBLAS_OP_N;
constexpr auto kT = CUBLAS_OP_T;

}  // namespace

TEST_CASE("strided and pointer batches multiply each pair") {
  const Handle handle;
  constexpr int kCount = 5;
  std::vector<float> av, bv;
  for (int i = 0; i < kCount * 4; ++i) {
    av.push_back(static_cast<float>(i + 1));
    bv.push_back(static_cast<float>(2 * i - 7));
  }
  const Shared<float> a(av), b(bv), c(std::vector<float>(kCount * 4, NAN)),
      d(std::vector<float>(kCount * 4, NAN));
  const float one = 1, zero = 0;
  REQUIRE(cublasSgemmStridedBatched(handle, kN, kT, 2, 2, 2, &one, a, 2, 4, b, 2, 4, &zero, c, 2, 4,
                                    kCount) == kOk);
  std::vector<const float*> ap, bp;
  std::vector<float*> dp;
  for (int i = 0; i < kCount; ++i) {
    ap.push_back(a + 4 * i);
    bp.push_back(b + 4 * i);
    dp.push_back(d + 4 * i);
  }
  const Shared<const float*> a_list(ap), b_list(bp);
  const Shared<float*> d_list(dp);
  REQUIRE(cublasSgemmBatched(handle, kN, kT, 2, 2, 2, &one, a_list, 2, b_list, 2, &zero, d_list, 2,
                             kCount) == kOk);
  const auto got = c.values();
  for (int i = 0; i < kCount; ++i) {
    for (int row = 0; row < 2; ++row) {
      for (int col = 0; col < 2; ++col) {
        float expected = 0;
        for (int k = 0; k < 2; ++k) expected += av[4 * i + 2 * k + row] * bv[4 * i + 2 * k + col];
        CHECK(got[4 * i + 2 * col + row] == expected);
      }
    }
  }
  CHECK(d.values() == got);
  CHECK(cublasSgemmStridedBatched(handle, kN, kN, 2, 2, 2, &one, a, 2, 4, b, 2, 4, &zero, c, 2, 4,
                                  -1) == CUBLAS_STATUS_INVALID_VALUE);
}

TEST_CASE("level 1") {
  const Handle handle;
  const Shared<float> x({1, -2, 3, -4, 5, -6}), y({10, 20, 30, 40, 50, 60});
  const float two = 2, half = 0.5f;
  float result = 0;
  int index = 0;
  REQUIRE(cublasSdot(handle, 3, x, 2, y, 1, &result) == kOk);
  CHECK(result == 1 * 10 + 3 * 20 + 5 * 30);
  REQUIRE(cublasSdot(handle, 3, x, -2, y, 1, &result) == kOk);
  CHECK(result == 5 * 10 + 3 * 20 + 1 * 30);
  REQUIRE(cublasSasum(handle, 6, x, 1, &result) == kOk);
  CHECK(result == 21);
  REQUIRE(cublasIsamax(handle, 6, x, 1, &index) == kOk);
  CHECK(index == 6);
  REQUIRE(cublasIsamin(handle, 6, x, 1, &index) == kOk);
  CHECK(index == 1);
  REQUIRE(cublasSaxpy(handle, 6, &two, x, 1, y, 1) == kOk);
  CHECK(y.values() == std::vector<float>({12, 16, 36, 32, 60, 48}));
  REQUIRE(cublasSscal(handle, 3, &half, y, 2) == kOk);
  CHECK(y.values() == std::vector<float>({6, 16, 18, 32, 30, 48}));
  REQUIRE(cublasScopy(handle, 2, x, 1, y, -1) == kOk);
  CHECK(y.values() == std::vector<float>({-2, 1, 18, 32, 30, 48}));
  REQUIRE(cublasSswap(handle, 1, x, 1, y, 1) == kOk);
  CHECK(x.values()[0] == -2);
  const Shared<float> big({3e30f, 4e30f});
  REQUIRE(cublasSnrm2(handle, 2, big, 1, &result) == kOk);
  CHECK(result == doctest::Approx(5e30f));
  const Shared<double> d({3, 4});
  double norm = 0;
  REQUIRE(cublasDnrm2(handle, 2, d, 1, &norm) == kOk);
  CHECK(norm == 5.0);
  CHECK(cublasSdot(handle, 3, x, 1, y, 1, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasSdot(nullptr, 3, x, 1, y, 1, &result) == CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_CASE("results in device memory") {
  const Handle handle;
  const Shared<float> x({1, 2, 3}), result({-1});
  REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) == kOk);
  REQUIRE(cublasSdot(handle, 3, x, 1, x, 1, result) == kOk);
  CHECK(result.values()[0] == 14);
}

TEST_CASE("long sums keep single precision") {
  const Handle handle;
  const std::vector<float> tenths(1 << 20, 0.1f);
  const Shared<float> x(tenths);
  float sum = 0;
  REQUIRE(cublasSasum(handle, 1 << 20, x, 1, &sum) == kOk);
  CHECK(sum == doctest::Approx(0.1 * (1 << 20)).epsilon(1e-6));
}

TEST_CASE("gemv and ger") {
  const Handle handle;
  // Columns (1, 2), (3, 4), (5, 6), with one row of padding.
  const Shared<float> a({1, 2, NAN, 3, 4, NAN, 5, 6, NAN}), x({1, 10, 100}), y({NAN, NAN, NAN});
  const float one = 1, zero = 0, two = 2;
  REQUIRE(cublasSgemv(handle, kN, 2, 3, &one, a, 3, x, 1, &zero, y, 1) == kOk);
  CHECK(y.values()[0] == 531);
  CHECK(y.values()[1] == 642);
  REQUIRE(cublasSgemv(handle, kT, 2, 3, &two, a, 3, x, 1, &zero, y, 1) == kOk);
  CHECK(y.values() == std::vector<float>({42, 86, 130}));
  REQUIRE(cublasSgemv(handle, kT, 2, 3, &one, a, 3, x, -1, &one, y, 1) == kOk);
  CHECK(y.values() == std::vector<float>({42 + 12, 86 + 34, 130 + 56}));
  CHECK(cublasSgemv(handle, kN, 2, 3, &one, a, 1, x, 1, &zero, y, 1) ==
        CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasSgemv(handle, kN, 2, 3, &one, a, 3, x, 0, &zero, y, 1) ==
        CUBLAS_STATUS_INVALID_VALUE);
  const Shared<float> outer({0, 0, 0, 0, 0, 0});
  REQUIRE(cublasSger(handle, 2, 3, &one, x, 1, x, 1, outer, 2) == kOk);
  CHECK(outer.values() == std::vector<float>({1, 10, 10, 100, 100, 1000}));
}

TEST_CASE("geam transposes and adds; dgmm scales rows or columns") {
  const Handle handle;
  const Shared<float> a({1, 2, 3, 4, 5, 6}), c({NAN, NAN, NAN, NAN, NAN, NAN}), x({10, 100, 1000});
  const float one = 1, zero = 0;
  // A is 3 x 2; B is not read where beta is 0.
  REQUIRE(cublasSgeam(handle, kT, kN, 2, 3, &one, a, 3, &zero, nullptr, 2, c, 2) == kOk);
  CHECK(c.values() == std::vector<float>({1, 4, 2, 5, 3, 6}));
  REQUIRE(cublasSgeam(handle, kN, kT, 3, 2, &one, a, 3, &one, c, 2, a, 3) == kOk);
  CHECK(a.values() == std::vector<float>({2, 4, 6, 8, 10, 12}));
  CHECK(cublasSgeam(handle, kT, kN, 2, 3, &one, c, 3, &zero, nullptr, 2, c, 2) ==
        CUBLAS_STATUS_INVALID_VALUE);
  REQUIRE(cublasSdgmm(handle, CUBLAS_SIDE_LEFT, 3, 2, a, 3, x, 1, a, 3) == kOk);
  CHECK(a.values() == std::vector<float>({20, 400, 6000, 80, 1000, 12000}));
  REQUIRE(cublasSdgmm(handle, CUBLAS_SIDE_RIGHT, 3, 2, a, 3, x, 1, a, 3) == kOk);
  CHECK(a.values()[0] == 200);
  CHECK(a.values()[3] == 8000);
}

TEST_CASE("copies with leading dimensions") {
  const std::vector<float> host = {1, 2, -1, 3, 4, -1};
  const Shared<float> device({0, 0, 0, 0});
  REQUIRE(cublasSetMatrix(2, 2, 4, host.data(), 3, device, 2) == kOk);
  CHECK(device.values() == std::vector<float>({1, 2, 3, 4}));
  std::vector<float> back(6, -7);
  REQUIRE(cublasGetMatrix(2, 2, 4, device, 2, back.data(), 3) == kOk);
  CHECK(back == std::vector<float>({1, 2, -7, 3, 4, -7}));
  REQUIRE(cublasGetVector(2, 4, device, 2, back.data(), 1) == kOk);
  CHECK(back[0] == 1);
  CHECK(back[1] == 3);
  CHECK(cublasSetMatrix(2, 2, 4, host.data(), 1, device, 2) == CUBLAS_STATUS_INVALID_VALUE);
}

TEST_CASE("handle settings") {
  const Handle handle;
  cudaStream_t stream = nullptr, got = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cublasSetStream(handle, stream) == kOk);
  REQUIRE(cublasGetStream(handle, &got) == kOk);
  CHECK(got == stream);
  const Shared<float> x({1, 2});
  float result = 0;
  CHECK(cublasSasum(handle, 2, x, 1, &result) == kOk);
  CHECK(result == 3);
  cublasMath_t mode{};
  REQUIRE(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH) == kOk);
  REQUIRE(cublasGetMathMode(handle, &mode) == kOk);
  CHECK(mode == CUBLAS_PEDANTIC_MATH);
  CHECK(cublasSetMathMode(handle, static_cast<cublasMath_t>(9)) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasSetPointerMode(handle, static_cast<cublasPointerMode_t>(2)) ==
        CUBLAS_STATUS_INVALID_VALUE);
  int version = 0;
  CHECK(cublasGetVersion(handle, &version) == kOk);
  CHECK(version >= 130000);
  CHECK(cublasCreate(nullptr) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasDestroy(nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
  REQUIRE(cublasSetStream(handle, nullptr) == kOk);
  cudaStreamDestroy(stream);
}

TEST_CASE("getrfBatched: a matrix that needs other rows first, one without, and a singular one") {
  const Handle handle;
  // Columns, with a leading dimension of 3.
  const Shared<double> matrices({0, 4, -1, 2, 2, -1, 4, 2, -1, 6, 4, -1, 0, 0, -1, 0, 1, -1});
  const Shared<double*> a({matrices + 0, matrices + 6, matrices + 12});
  const Shared<int> pivots({0, 0, 0, 0, 0, 0}), info({-1, -1, -1});
  CHECK(cublasDgetrfBatched(handle, 2, a, 3, pivots, info, 3) == kOk);
  CHECK(matrices.values() == std::vector<double>{4, 0, -1, 2, 2, -1, 4, 0.5, -1, 6, 1, -1,  //
                                                 0, 0, -1, 0, 1, -1});
  CHECK(pivots.values() == std::vector<int>{2, 2, 1, 2, 1, 2});
  CHECK(info.values() == std::vector<int>{0, 0, 1});

  const Shared<float> plain({2, 4, 1, 5});
  const Shared<float*> one({plain + 0});
  CHECK(cublasSgetrfBatched(handle, 2, one, 2, nullptr, info, 1) == kOk);
  CHECK(plain.values() == std::vector<float>{2, 2, 1, 3});
  CHECK(cublasSgetrfBatched(handle, 2, one, 1, nullptr, info, 1) == CUBLAS_STATUS_INVALID_VALUE);
}
