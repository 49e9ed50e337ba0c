// mma.sync of FP8 in all mixtures of E4M3 and E5M2, with the fragments as the manual states them.
// needs: sm_89
#include "ptx_mma_case.cuh"
#include "tut/ptx/mma_bytes.cuh"

namespace {

struct K32 : SumsOf16 {
  using Word = unsigned;
  static constexpr int M = 16, K = 32;
  static Place of_a(int group, int thread, int i) {
    return {(i >= 0 && i < 4) || (i >= 8 && i < 12) ? group : group + 8,
            i < 8 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16};
  }
  static Place of_b(int group, int thread, int i) {
    return {i < 4 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16, group};
  }
};
struct K16 : SumsOf16 {
  using Word = unsigned;
  static constexpr int M = 16, K = 16;
  static Place of_a(int group, int thread, int i) {
    return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
  }
  static Place of_b(int group, int thread, int i) { return {thread * 4 + i, group}; }
};

template <class Layout, class TheA, class TheB, class TheC>
struct Of : Layout {
  using A = TheA;
  using B = TheB;
  using C = TheC;
};

/// Calls F, one of the named functions, with sums as float.
template <class F>
__device__ void with_floats(F multiply, unsigned (&d)[4], const unsigned (&c)[4]) {
  float sums[4], start[4];
  for (int i = 0; i < 4; ++i) start[i] = __uint_as_float(c[i]);
  multiply(sums, start);
  for (int i = 0; i < 4; ++i) d[i] = __float_as_uint(sums[i]);
}

struct E4m3Only : Of<K32, E4m3, E4m3, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[4]) {
    with_floats([&](float(&to)[4],
                    const float(&from)[4]) { tut::ptx::mma_m16n8k32_f32_e4m3(to, a, b, from); },
                d, c);
  }
};
struct E5m2Only : Of<K32, E5m2, E5m2, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[4]) {
    with_floats([&](float(&to)[4],
                    const float(&from)[4]) { tut::ptx::mma_m16n8k32_f32_e5m2(to, a, b, from); },
                d, c);
  }
};

#define MIXED(NAME, A, B, TYPES)                                                                 \
  struct NAME : Of<K32, A, B, Float> {                                                           \
    static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], \
                               const unsigned (&c)[4]) {                                         \
      float* const sums = reinterpret_cast<float*>(d);                                           \
      asm volatile("mma.sync.aligned.m16n8k32.row.col.f32." TYPES                                \
                   ".f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"                 \
                   : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])                  \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),           \
                     "f"(__uint_as_float(c[0])), "f"(__uint_as_float(c[1])),                     \
                     "f"(__uint_as_float(c[2])), "f"(__uint_as_float(c[3])));                    \
    }                                                                                            \
  }
MIXED(E4m3ByE5m2, E4m3, E5m2, "e4m3.e5m2");
MIXED(E5m2ByE4m3, E5m2, E4m3, "e5m2.e4m3");

// PTX ISA 8.7: sums in half precision, and the shorter shape.
struct ToHalf : Of<K32, E4m3, E4m3, Half> {
  static __device__ void run(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
        : "=r"(d[0]), "=r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]));
  }
};
struct Shorter : Of<K16, E5m2, E5m2, Half> {
  static __device__ void run(unsigned (&d)[2], const unsigned (&a)[2], const unsigned (&b)[1],
                             const unsigned (&c)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16 {%0,%1},{%2,%3},{%4},{%5,%6};"
                 : "=r"(d[0]), "=r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
  }
};

}  // namespace

int main() {
  check_product<E4m3Only>("e4m3");
  check_product<E5m2Only>("e5m2");
  check_product<E4m3ByE5m2>("e4m3.e5m2");
  check_product<E5m2ByE4m3>("e5m2.e4m3");
  check_product<ToHalf>("e4m3 to f16");
  check_product<Shorter>("m16n8k16 e5m2 to f16");
  return report();
}
