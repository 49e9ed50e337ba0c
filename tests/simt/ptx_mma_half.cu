// mma.sync of half precision, bfloat16 and TF32, in all shapes, with the fragments as the manual
// states them.
// needs: sm_80
#include "ptx_mma_case.cuh"
#include "tut/ptx/mma.cuh"

namespace {

struct HalfK8 : SumsOf16 {
  using Word = unsigned;
  static constexpr int M = 16, K = 8;
  static Place of_a(int group, int thread, int i) {
    return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
  }
  static Place of_b(int group, int thread, int i) { return {thread * 2 + i, group}; }
};

struct HalfK16 : SumsOf16 {
  using Word = unsigned;
  static constexpr int M = 16, K = 16;
  static Place of_a(int group, int thread, int i) {
    return {(i >= 0 && i < 2) || (i >= 4 && i < 6) ? group : group + 8,
            i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8};
  }
  static Place of_b(int group, int thread, int i) {
    return {i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8, group};
  }
};

struct Tf32K4 : SumsOf16 {
  using Word = unsigned;
  static constexpr int M = 16, K = 4;
  static Place of_a(int group, int thread, int i) { return {i == 0 ? group : group + 8, thread}; }
  static Place of_b(int group, int thread, int) { return {thread, group}; }
};

struct Tf32K8 : SumsOf16 {
  using Word = unsigned;
  static constexpr int M = 16, K = 8;
  static Place of_a(int group, int thread, int i) {
    return {i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
  }
  static Place of_b(int group, int thread, int i) { return {i == 0 ? thread : thread + 4, group}; }
};

template <class Layout, class TheA, class TheC>
struct Of : Layout {
  using A = TheA;
  using B = TheA;
  using C = TheC;
};

/// Calls F, whose sums are floats, with registers as bits.
template <class F>
__device__ void with_floats(F multiply, unsigned (&d)[4], const unsigned (&c)[4]) {
  float sums[4], start[4];
  for (int i = 0; i < 4; ++i) start[i] = __uint_as_float(c[i]);
  multiply(sums, start);
  for (int i = 0; i < 4; ++i) d[i] = __float_as_uint(sums[i]);
}

struct HalfK8ToFloat : Of<HalfK8, Half, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[2], const unsigned (&b)[1],
                             const unsigned (&c)[4]) {
    with_floats([&](float(&to)[4],
                    const float(&from)[4]) { tut::ptx::mma_m16n8k8_f32_f16(to, a, b, from); },
                d, c);
  }
};
struct HalfK16ToFloat : Of<HalfK16, Half, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[4]) {
    with_floats([&](float(&to)[4],
                    const float(&from)[4]) { tut::ptx::mma_m16n8k16_f32_f16(to, a, b, from); },
                d, c);
  }
};
struct HalfK8ToHalf : Of<HalfK8, Half, Half> {
  static __device__ void run(unsigned (&d)[2], const unsigned (&a)[2], const unsigned (&b)[1],
                             const unsigned (&c)[2]) {
    tut::ptx::mma_m16n8k8_f16_f16(d, a, b, c);
  }
};
struct HalfK16ToHalf : Of<HalfK16, Half, Half> {
  static __device__ void run(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[2]) {
    tut::ptx::mma_m16n8k16_f16_f16(d, a, b, c);
  }
};
struct Bfloat16K8 : Of<HalfK8, Bfloat16, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[2], const unsigned (&b)[1],
                             const unsigned (&c)[4]) {
    with_floats([&](float(&to)[4],
                    const float(&from)[4]) { tut::ptx::mma_m16n8k8_f32_bf16(to, a, b, from); },
                d, c);
  }
};
struct Bfloat16K16 : Of<HalfK16, Bfloat16, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[4]) {
    with_floats([&](float(&to)[4],
                    const float(&from)[4]) { tut::ptx::mma_m16n8k16_f32_bf16(to, a, b, from); },
                d, c);
  }
};
struct Tf32K4ToFloat : Of<Tf32K4, Tf32, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[2], const unsigned (&b)[1],
                             const unsigned (&c)[4]) {
    with_floats([&](float(&to)[4],
                    const float(&from)[4]) { tut::ptx::mma_m16n8k4_f32_tf32(to, a, b, from); },
                d, c);
  }
};
struct Tf32K8ToFloat : Of<Tf32K8, Tf32, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[4]) {
    with_floats([&](float(&to)[4],
                    const float(&from)[4]) { tut::ptx::mma_m16n8k8_f32_tf32(to, a, b, from); },
                d, c);
  }
};

/// As other programs spell it: no space before the braces, tabs and line ends, sums in place, and
/// two instructions in one text. C is 0 in the second, as a constant.
struct InPlace : Of<HalfK16, Half, Float> {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[4]) {
    float sums[4], products[4];
    for (int i = 0; i < 4; ++i) sums[i] = __uint_as_float(c[i]);
    asm volatile(
        "{\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
        "{%0,  %1,\t%2,  %3},\n"
        "\t{%8,  %9,  %10, %11},"
        "{%12, %13},"
        "{%0,  %1,  %2,  %3};\n"
        "\t.reg .f32 z;\n"
        "\tmov.f32 z, 0f00000000;\n"
        "\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%4,%5,%6,%7}, "
        "{%8,%9,%10,%11}, {%12,%13}, {z,z,z,z};\n"
        "}\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "=&f"(products[0]),
          "=&f"(products[1]), "=&f"(products[2]), "=&f"(products[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int i = 0; i < 4; ++i) {
      const float both = products[i] + __uint_as_float(c[i]);
      d[i] = __float_as_uint(both == sums[i] ? sums[i] : NAN);
    }
  }
};

}  // namespace

int main() {
  check_product<HalfK8ToFloat>("m16n8k8 f16 to f32");
  check_product<HalfK16ToFloat>("m16n8k16 f16 to f32");
  check_product<HalfK8ToHalf>("m16n8k8 f16");
  check_product<HalfK16ToHalf>("m16n8k16 f16");
  check_product<Bfloat16K8>("m16n8k8 bf16");
  check_product<Bfloat16K16>("m16n8k16 bf16");
  check_product<Tf32K4ToFloat>("m16n8k4 tf32");
  check_product<Tf32K8ToFloat>("m16n8k8 tf32");
  check_numbers<InPlace>("m16n8k16 f16 in place");
  return report();
}
