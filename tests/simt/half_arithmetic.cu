// half and bfloat16 on the device: arithmetic, pairs, conversions, shuffles, atomics. Checks
// itself.
// needs: sm_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>

namespace {

int failures = 0;

void expect(bool condition, const char* what, int index) {
  if (condition) return;
  std::printf("%d: %s\n", index, what);
  ++failures;
}

template <class T>
T* managed(int n) {
  T* p = nullptr;
  if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) std::abort();
  return p;
}

// Encodings whose results are worked out by hand; NaN is 0x7FFF, ties go to even.
enum Row {
  kTieDown,
  kTieUp,
  kFused,
  kSubnormal,
  kOverflow,
  kNan,
  kDivide,
  kRoot,
  kUpward,
  kTowardsZero,
  kMaximum,
  kSaturated,
  kRelu,
  kFromInt,
  kBfloatTie,
  kBfloatFused,
  kRows
};

__global__ void encodings(unsigned short* out) {
  const __half one = __float2half(1.0f), ulp = __ushort_as_half(0x1400);  // 2^-10
  const __half half_ulp = __ushort_as_half(0x1000), tiny = __ushort_as_half(0x0001);
  const __half nan = __ushort_as_half(0x7E01);
  out[kTieDown] = __half_as_ushort(__hadd(one, half_ulp));
  out[kTieUp] = __half_as_ushort(__hadd(__hadd(one, ulp), half_ulp));
  out[kFused] = __half_as_ushort(__hfma(__hadd(one, ulp), half_ulp, one));
  out[kSubnormal] = __half_as_ushort(__hmul(__ushort_as_half(0x0400), __float2half(0.5f)));
  out[kOverflow] = __half_as_ushort(__hmul(__float2half(300.0f), __float2half(300.0f)));
  out[kNan] = __half_as_ushort(__hadd(nan, one));
  out[kDivide] = __half_as_ushort(__hdiv(one, __float2half(3.0f)));
  out[kRoot] = __half_as_ushort(hsqrt(__float2half(2.0f)));
  out[kUpward] = __half_as_ushort(__float2half_ru(1.0001f));
  out[kTowardsZero] = __half_as_ushort(__float2half_rz(-1.0009f));
  out[kMaximum] = __half_as_ushort(__hmax(nan, tiny));
  out[kSaturated] = __half_as_ushort(__hadd_sat(one, one));
  out[kRelu] = __half_as_ushort(__hfma_relu(one, __hneg(one), tiny));
  out[kFromInt] = __half_as_ushort(__int2half_rn(2049));
  const __nv_bfloat16 b_one = __float2bfloat16(1.0f);
  const __nv_bfloat16 b_half_ulp = __ushort_as_bfloat16(0x3B80);  // 2^-8
  out[kBfloatTie] = __bfloat16_as_ushort(__hadd(b_one, b_half_ulp));
  out[kBfloatFused] = __bfloat16_as_ushort(__hfma(b_half_ulp, __float2bfloat16(1.0078125f), b_one));
}

void check_encodings() {
  const unsigned short expected[kRows] = {0x3C00, 0x3C02, 0x3C01, 0x0200, 0x7C00, 0x7FFF,
                                          0x3555, 0x3DA8, 0x3C01, 0xBC00, 0x0001, 0x3C00,
                                          0x0000, 0x6800, 0x3F80, 0x3F81};
  unsigned short* out = managed<unsigned short>(kRows);
  encodings<<<1, 1>>>(out);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int i = 0; i < kRows; ++i) {
    if (out[i] != expected[i]) std::printf("got %04x, expected %04x\n", out[i], expected[i]);
    expect(out[i] == expected[i], "encoding", i);
  }
  cudaFree(out);
}

// A dot product in pairs, reduced by shuffles of half2, ended by atomics.
__global__ void dot(const __half2* a, const __half2* b, __half2* by_lane, float* total) {
  __half2 sum = __float2half2_rn(0.0f);
  for (int i = threadIdx.x; i < 64; i += 32) sum = __hfma2(a[i], b[i], sum);
  for (int distance = 16; distance > 0; distance /= 2) {
    sum = __hadd2(sum, __shfl_xor_sync(0xFFFFFFFFu, sum, distance));
  }
  by_lane[threadIdx.x] = sum;
  atomicAdd(total, __low2float(sum) + __high2float(sum));
}

void check_dot() {
  __half2* values = managed<__half2>(64 + 64 + 32);
  float* total = managed<float>(1);
  *total = 0.0f;
  for (int i = 0; i < 64; ++i) {
    values[i] = __floats2half2_rn(static_cast<float>(i % 4), 1.0f);
    values[64 + i] = __floats2half2_rn(1.0f, 0.5f);
  }
  dot<<<1, 32>>>(values, values + 64, values + 128, total);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int lane = 0; lane < 32; ++lane) {
    const float2 sum = __half22float2(values[128 + lane]);
    expect(sum.x == 96.0f && sum.y == 32.0f, "sum of half2", lane);
  }
  expect(*total == 32 * 128.0f, "total", 0);
  cudaFree(values);
  cudaFree(total);
}

template <class T>
__global__ void count_with(T* counter, T one) {
  atomicAdd(counter, one);
}

template <class T>
__global__ void scale(const T* in, T* out, T factor) {
  const int i = threadIdx.x;
  out[i] = in[i] * factor + T(1.0f);
  if (in[i] > factor) out[i] = -out[i];
}

template <class T>
void check_type(const char* what) {
  T* values = managed<T>(65);
  for (int i = 0; i < 32; ++i) values[i] = T(static_cast<float>(i));
  scale<T><<<1, 32>>>(values, values + 32, T(3.0f));
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int i = 0; i < 32; ++i) {
    const float expected = (i > 3 ? -1.0f : 1.0f) * (3.0f * i + 1.0f);
    expect(static_cast<float>(values[32 + i]) == expected, what, i);
  }
  values[64] = T(0.0f);
  count_with<T><<<4, 32>>>(values + 64, T(0.5f));
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  expect(static_cast<float>(values[64]) == 64.0f, "atomicAdd", 0);
  cudaFree(values);
}

}  // namespace

int main() {
  check_encodings();
  check_dot();
  check_type<__half>("half");
  check_type<__nv_bfloat16>("bfloat16");
  return failures == 0 ? 0 : 1;
}
