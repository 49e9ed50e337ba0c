// wgmma: element types, where matrices lie in shared memory and registers, signs, what is added to.
// needs: sm_90
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "expect.cuh"
#include "tut/ptx/bulk_copy.cuh"
#include "tut/ptx/warpgroup.cuh"

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "the instructions of sm_90a are there, and their macro is not"
#endif

namespace {

using tut::ptx::MatrixSwizzle;

constexpr int kM = 64, kN = 16, kThreads = 128;
constexpr int kSums = kN / 2;  // of a thread

/// Where element (row, k) of a matrix lies, in bytes, and the descriptor's offsets. The pieces of
/// 16 bytes are those of the canonical layouts of the PTX manual, in groups of 8 rows.
struct Layout {
  MatrixSwizzle swizzle;
  bool transposed;  ///< elements next to each other along the rows' numbers
  int row_bytes;    ///< 16 without a swizzle, else 32, 64 or 128
  unsigned leading, stride;

  __host__ __device__ int place(int row, int k, int element_bytes) const {
    const int in_piece = 16 / element_bytes;
    int at = 0;
    if (!transposed) {
      const int piece = k / in_piece;
      at = row / 8 * static_cast<int>(stride) + row % 8 * row_bytes;
      at += row_bytes == 16 ? piece * static_cast<int>(leading) : piece * 16;
      at += k % in_piece * element_bytes;
    } else {
      const int piece = row / in_piece, across = row_bytes / 16;
      if (row_bytes == 16) {
        at = piece * static_cast<int>(stride) + k % 8 * 16 + k / 8 * static_cast<int>(leading);
      } else {
        at = piece % across * 16 + piece / across * static_cast<int>(leading) + k % 8 * row_bytes +
             k / 8 * static_cast<int>(stride);
      }
      at += row % in_piece * element_bytes;
    }
    // A swizzle turns the piece's number by that of the 128 bytes.
    return at ^ (at / 128 % (row_bytes / 16)) * 16;
  }
};

__host__ __device__ constexpr Layout along128() {
  return {MatrixSwizzle::bytes_128, false, 128, 16, 1024};
}
__host__ __device__ constexpr Layout along64() {
  return {MatrixSwizzle::bytes_64, false, 64, 16, 512};
}
__host__ __device__ constexpr Layout along32() {
  return {MatrixSwizzle::bytes_32, false, 32, 16, 256};
}
__host__ __device__ constexpr Layout along_plain() {
  return {MatrixSwizzle::none, false, 16, 1024, 128};
}
__host__ __device__ constexpr Layout across128() {
  return {MatrixSwizzle::bytes_128, true, 128, 2048, 1024};
}
__host__ __device__ constexpr Layout across64() {
  return {MatrixSwizzle::bytes_64, true, 64, 1024, 512};
}
__host__ __device__ constexpr Layout across32() {
  return {MatrixSwizzle::bytes_32, true, 32, 512, 256};
}
__host__ __device__ constexpr Layout across_plain() {
  return {MatrixSwizzle::none, true, 16, 1024, 128};
}

// Small whole numbers, exact in every type.
__host__ __device__ int a_at(int row, int k) { return (row * 3 + k * 5) % 7 - 3; }
__host__ __device__ int b_at(int k, int col) { return (k * 2 + col * 3 + k / 8) % 5 - 2; }
__host__ __device__ int c_at(int row, int col) { return (row + 2 * col) % 9 - 4; }

// The types: how a number is stored, K, and the instruction.

struct Half {
  using Stored = __half;
  using Sum = float;
  static constexpr int K = 16;
  static __device__ Stored make(int value) { return __float2half_rn(static_cast<float>(value)); }
  template <int kScaleA, int kScaleB, int kTransA, int kTransB>
  static __device__ void multiply(Sum (&d)[kSums], std::uint64_t a, std::uint64_t b, int add) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, %11, %12, %13, %14;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "l"(a), "l"(b), "r"(add), "n"(kScaleA), "n"(kScaleB), "n"(kTransA), "n"(kTransB));
  }
  /// A in registers.
  template <int kTransB>
  static __device__ void multiply_registers(Sum (&d)[kSums], const unsigned (&a)[4],
                                            std::uint64_t b, int add) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %13, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, p, 1, 1, %14;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(kTransB));
  }
};

struct Bfloat16 {
  using Stored = __nv_bfloat16;
  using Sum = float;
  static constexpr int K = 16;
  static __device__ Stored make(int value) {
    return __float2bfloat16_rn(static_cast<float>(value));
  }
  template <int kScaleA, int kScaleB, int kTransA, int kTransB>
  static __device__ void multiply(Sum (&d)[kSums], std::uint64_t a, std::uint64_t b, int add) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, %11, %12, %13, %14;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "l"(a), "l"(b), "r"(add), "n"(kScaleA), "n"(kScaleB), "n"(kTransA), "n"(kTransB));
  }
};

struct Tf32 {
  using Stored = float;
  using Sum = float;
  static constexpr int K = 8;
  static __device__ Stored make(int value) { return static_cast<float>(value); }
  template <int kScaleA, int kScaleB, int, int>
  static __device__ void multiply(Sum (&d)[kSums], std::uint64_t a, std::uint64_t b, int add) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, %11, %12;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "l"(a), "l"(b), "r"(add), "n"(kScaleA), "n"(kScaleB));
  }
};

struct E4m3 {
  using Stored = __nv_fp8_e4m3;
  using Sum = float;
  static constexpr int K = 32;
  static __device__ Stored make(int value) { return Stored(static_cast<float>(value)); }
  template <int kScaleA, int kScaleB, int, int>
  static __device__ void multiply(Sum (&d)[kSums], std::uint64_t a, std::uint64_t b, int add) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, %11, %12;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "l"(a), "l"(b), "r"(add), "n"(kScaleA), "n"(kScaleB));
  }
};

struct Bytes {
  using Stored = signed char;
  using Sum = int;
  static constexpr int K = 32;
  static __device__ Stored make(int value) { return static_cast<Stored>(value); }
  template <int, int, int, int>
  static __device__ void multiply(Sum (&d)[kSums], std::uint64_t a, std::uint64_t b, int add) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p;\n}"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]),
          "+r"(d[7])
        : "l"(a), "l"(b), "r"(add));
  }
};

template <class Type>
__device__ void stage(unsigned char* matrix, int rows, const Layout& layout, bool is_b) {
  constexpr int kBytes = sizeof(typename Type::Stored);
  for (int i = threadIdx.x; i < rows * Type::K; i += kThreads) {
    const int row = i / Type::K, k = i % Type::K;
    const auto value = Type::make(is_b ? b_at(k, row) : a_at(row, k));
    memcpy(matrix + layout.place(row, k, kBytes), &value, kBytes);
  }
}

/// Register i of a thread is this element of D.
__device__ int row_of(int i) {
  return static_cast<int>(threadIdx.x) / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4 +
         (i & 2) * 4;
}
__device__ int col_of(int i) { return i / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + (i & 1); }

template <class Sum>
__device__ void set_sums(Sum (&d)[kSums]) {
  for (int i = 0; i < kSums; ++i) d[i] = static_cast<Sum>(c_at(row_of(i), col_of(i)));
}
template <class Sum>
__device__ void write_sums(const Sum (&d)[kSums], int* out) {
  for (int i = 0; i < kSums; ++i) out[row_of(i) * kN + col_of(i)] = static_cast<int>(d[i]);
}

template <class Type, int kScaleA, int kScaleB, bool kTransA, bool kTransB>
__global__ void multiply(int* out, Layout of_a, Layout of_b, int add) {
  __shared__ alignas(1024) unsigned char a[8192];
  __shared__ alignas(1024) unsigned char b[8192];
  stage<Type>(a, kM, of_a, false);
  stage<Type>(b, kN, of_b, true);
  tut::ptx::fence_proxy_async();
  __syncthreads();
  typename Type::Sum d[kSums];
  set_sums(d);
  tut::ptx::wgmma_fence();
  Type::template multiply<kScaleA, kScaleB, kTransA, kTransB>(
      d, tut::ptx::matrix_descriptor(a, of_a.leading, of_a.stride, of_a.swizzle),
      tut::ptx::matrix_descriptor(b, of_b.leading, of_b.stride, of_b.swizzle), add);
  tut::ptx::wgmma_commit_group();
  tut::ptx::wgmma_wait_group<0>();
  write_sums(d, out);
}

// Two products, the second a step of k further inside the swizzled rows.
__global__ void steps(int* out) {
  __shared__ alignas(1024) unsigned char a[8192];
  __shared__ alignas(1024) unsigned char b[8192];
  for (int i = threadIdx.x; i < kM * 32; i += kThreads) {
    const auto value = Half::make(a_at(i / 32, i % 32));
    memcpy(a + along128().place(i / 32, i % 32, 2), &value, 2);
  }
  for (int i = threadIdx.x; i < kN * 32; i += kThreads) {
    const auto value = Half::make(b_at(i % 32, i / 32));
    memcpy(b + along128().place(i / 32, i % 32, 2), &value, 2);
  }
  tut::ptx::fence_proxy_async();
  __syncthreads();
  float d[kSums];
  set_sums(d);
  tut::ptx::wgmma_fence();
  for (int k = 0; k < 2; ++k) {
    Half::multiply<1, 1, 0, 0>(
        d, tut::ptx::matrix_descriptor(a + 32 * k, 16, 1024, MatrixSwizzle::bytes_128),
        tut::ptx::matrix_descriptor(b + 32 * k, 16, 1024, MatrixSwizzle::bytes_128), 1);
  }
  tut::ptx::wgmma_commit_group();
  tut::ptx::wgmma_wait_group<0>();
  write_sums(d, out);
}

__global__ void from_registers(int* out) {
  __shared__ alignas(1024) unsigned char b[8192];
  stage<Half>(b, kN, across32(), true);
  tut::ptx::fence_proxy_async();
  __syncthreads();
  unsigned a[4];
  const int group = static_cast<int>(threadIdx.x) % 32 / 4,
            pair = static_cast<int>(threadIdx.x) % 4 * 2;
  const int first = static_cast<int>(threadIdx.x) / 32 * 16;
  for (int i = 0; i < 4; ++i) {
    const int row = first + group + i % 2 * 8, k = pair + i / 2 * 8;
    const __half2 two{Half::make(a_at(row, k)), Half::make(a_at(row, k + 1))};
    memcpy(&a[i], &two, 4);
  }
  float d[kSums];
  set_sums(d);
  tut::ptx::wgmma_fence();
  Half::multiply_registers<1>(
      d, a,
      tut::ptx::matrix_descriptor(b, across32().leading, across32().stride, across32().swizzle), 1);
  tut::ptx::wgmma_commit_group();
  tut::ptx::wgmma_wait_group<0>();
  write_sums(d, out);
}

// Sums in half precision: two in a register.
__global__ void half_sums(int* out) {
  __shared__ alignas(1024) unsigned char a[8192];
  __shared__ alignas(1024) unsigned char b[8192];
  stage<Half>(a, kM, along64(), false);
  stage<Half>(b, kN, along_plain(), true);
  tut::ptx::fence_proxy_async();
  __syncthreads();
  unsigned d[kSums / 2];
  for (int i = 0; i < kSums; i += 2) {
    const __half2 two{Half::make(c_at(row_of(i), col_of(i))),
                      Half::make(c_at(row_of(i + 1), col_of(i + 1)))};
    memcpy(&d[i / 2], &two, 4);
  }
  tut::ptx::wgmma_fence();
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, "
      "0;"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "l"(tut::ptx::matrix_descriptor(a, along64().leading, along64().stride, along64().swizzle)),
        "l"(tut::ptx::matrix_descriptor(b, along_plain().leading, along_plain().stride,
                                        along_plain().swizzle)));
  tut::ptx::wgmma_commit_group();
  tut::ptx::wgmma_wait_group<0>();
  for (int i = 0; i < kSums; ++i) {
    __half2 two;
    memcpy(&two, &d[i / 2], 4);
    out[row_of(i) * kN + col_of(i)] =
        static_cast<int>(__half2float(i % 2 == 0 ? __low2half(two) : __high2half(two)));
  }
}

int product_at(int i, int k_end, int sign, int add) {
  int sum = add * c_at(i / kN, i % kN);
  for (int k = 0; k < k_end; ++k) sum += sign * a_at(i / kN, k) * b_at(k, i % kN);
  return sum;
}

template <class Type, int kScaleA, int kScaleB, bool kTransA, bool kTransB>
void check(const char* name, int* out, const Layout& of_a, const Layout& of_b, int add = 1) {
  multiply<Type, kScaleA, kScaleB, kTransA, kTransB><<<1, kThreads>>>(out, of_a, of_b, add);
  expect_each(name, out, kM * kN,
              [=](int i) { return product_at(i, Type::K, kScaleA * kScaleB, add); });
}

}  // namespace

int main() {
  int* out;
  cudaMallocManaged(reinterpret_cast<void**>(&out), kM * kN * sizeof(int));
  std::memset(out, 0, kM * kN * sizeof(int));
  check<Half, 1, 1, false, false>("f16, 128 bytes", out, along128(), along128());
  check<Half, 1, 1, false, false>("f16, 64 and 32 bytes", out, along64(), along32());
  check<Half, 1, 1, false, false>("f16, plain", out, along_plain(), along_plain());
  check<Half, 1, 1, true, false>("f16, A transposed", out, across128(), along32());
  check<Half, 1, 1, false, true>("f16, B transposed", out, along32(), across32());
  check<Half, 1, 1, true, true>("f16, both, 64 and 32 bytes", out, across64(), across32());
  check<Half, 1, 1, true, true>("f16, both, plain", out, across_plain(), across_plain());
  check<Half, -1, 1, false, false>("f16, -A", out, along128(), along128());
  check<Half, 1, -1, false, false>("f16, -B", out, along128(), along128());
  check<Half, -1, -1, false, false>("f16, both negated", out, along128(), along128());
  check<Half, 1, 1, false, false>("f16, not added", out, along128(), along128(), 0);
  check<Bfloat16, 1, 1, false, false>("bf16", out, along128(), along64());
  check<Bfloat16, -1, 1, true, true>("bf16, transposed", out, across32(), across_plain());
  check<Tf32, 1, 1, false, false>("tf32", out, along128(), along32());
  check<Tf32, 1, -1, false, false>("tf32, -B", out, along_plain(), along64());
  check<E4m3, 1, 1, false, false>("e4m3", out, along128(), along64());
  check<Bytes, 1, 1, false, false>("s8", out, along32(), along_plain());
  check<Bytes, 1, 1, false, false>("s8, not added", out, along64(), along128(), 0);
  steps<<<1, kThreads>>>(out);
  expect_each("two steps", out, kM * kN, [](int i) { return product_at(i, 32, 1, 1); });
  from_registers<<<1, kThreads>>>(out);
  expect_each("A in registers", out, kM * kN, [](int i) { return product_at(i, 16, 1, 1); });
  half_sums<<<1, kThreads>>>(out);
  expect_each("sums in f16", out, kM * kN, [](int i) { return product_at(i, 16, 1, 1); });
  cudaFree(out);
  return report();
}
