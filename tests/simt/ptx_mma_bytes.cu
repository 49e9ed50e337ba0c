// mma.sync of integers of 8 and 4 bits, in all shapes and mixtures of signs, with the fragments as
// the manual states them; sums that wrap and sums that stop at the ends of their range. needs:
// sm_80
#include <type_traits>

#include "ptx_mma_case.cuh"
#include "tut/ptx/mma_bytes.cuh"

namespace {

template <class TheA, class TheB>
struct Factors {
  using Word = unsigned;
  using A = TheA;
  using B = TheB;
  using C = Integer<32, true>;
};
using S8 = Integer<8, true>;
using U8 = Integer<8, false>;
using S4 = Integer<4, true>;
using U4 = Integer<4, false>;

struct BytesM8K16 : SumsOf8 {
  static constexpr int M = 8, K = 16;
  static Place of_a(int group, int thread, int i) { return {group, thread * 4 + i}; }
  static Place of_b(int group, int thread, int i) { return {thread * 4 + i, group}; }
};
struct BytesK16 : SumsOf16 {
  static constexpr int M = 16, K = 16;
  static Place of_a(int group, int thread, int i) {
    return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
  }
  static Place of_b(int group, int thread, int i) { return {thread * 4 + i, group}; }
};
struct BytesK32 : SumsOf16 {
  static constexpr int M = 16, K = 32;
  static Place of_a(int group, int thread, int i) {
    return {(i >= 0 && i < 4) || (i >= 8 && i < 12) ? group : group + 8,
            i < 8 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16};
  }
  static Place of_b(int group, int thread, int i) {
    return {i < 4 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16, group};
  }
};
struct NibblesM8K32 : SumsOf8 {
  static constexpr int M = 8, K = 32;
  static Place of_a(int group, int thread, int i) { return {group, thread * 8 + i}; }
  static Place of_b(int group, int thread, int i) { return {thread * 8 + i, group}; }
};
struct NibblesK32 : SumsOf16 {
  static constexpr int M = 16, K = 32;
  static Place of_a(int group, int thread, int i) {
    return {i < 8 ? group : group + 8, thread * 8 + (i & 7)};
  }
  static Place of_b(int group, int thread, int i) { return {thread * 8 + i, group}; }
};
struct NibblesK64 : SumsOf16 {
  static constexpr int M = 16, K = 64;
  static Place of_a(int group, int thread, int i) {
    return {(i >= 0 && i < 8) || (i >= 16 && i < 24) ? group : group + 8,
            i < 16 ? thread * 8 + (i & 7) : thread * 8 + (i & 7) + 32};
  }
  static Place of_b(int group, int thread, int i) {
    return {i < 8 ? thread * 8 + (i & 7) : thread * 8 + (i & 7) + 32, group};
  }
};

// One instruction for each pair of types; the text is put together from the shape's and theirs.
#define PRODUCT_OF_8(TYPES, SHAPE)                                                               \
  asm volatile("mma.sync.aligned." SHAPE ".row.col.s32." TYPES ".s32 {%0,%1},{%2},{%3},{%4,%5};" \
               : "=r"(d[0]), "=r"(d[1])                                                          \
               : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]))
#define PRODUCT_OF_16(TYPES, SHAPE)                                 \
  asm volatile("mma.sync.aligned." SHAPE ".row.col.s32." TYPES      \
               ".s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])     \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define LONG_PRODUCT_OF_16(TYPES, SHAPE)                                                      \
  asm volatile("mma.sync.aligned." SHAPE ".row.col.s32." TYPES                                \
               ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"               \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                               \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), \
                 "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define CASES(NAME, A, B, TYPES, SHORT, MIDDLE, LONG, SHAPE_SHORT, SHAPE_MIDDLE, SHAPE_LONG)     \
  struct Short##NAME : Factors<A, B>, SHORT {                                                    \
    static __device__ void run(unsigned (&d)[2], const unsigned (&a)[1], const unsigned (&b)[1], \
                               const unsigned (&c)[2]) {                                         \
      PRODUCT_OF_8(TYPES, SHAPE_SHORT);                                                          \
    }                                                                                            \
  };                                                                                             \
  struct Middle##NAME : Factors<A, B>, MIDDLE {                                                  \
    static __device__ void run(unsigned (&d)[4], const unsigned (&a)[2], const unsigned (&b)[1], \
                               const unsigned (&c)[4]) {                                         \
      PRODUCT_OF_16(TYPES, SHAPE_MIDDLE);                                                        \
    }                                                                                            \
  };                                                                                             \
  struct Long##NAME : Factors<A, B>, LONG {                                                      \
    static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], \
                               const unsigned (&c)[4]) {                                         \
      LONG_PRODUCT_OF_16(TYPES, SHAPE_LONG);                                                     \
    }                                                                                            \
  }
#define BYTES(NAME, A, B, TYPES) \
  CASES(NAME, A, B, TYPES, BytesM8K16, BytesK16, BytesK32, "m8n8k16", "m16n8k16", "m16n8k32")
#define NIBBLES(NAME, A, B, TYPES) \
  CASES(NAME, A, B, TYPES, NibblesM8K32, NibblesK32, NibblesK64, "m8n8k32", "m16n8k32", "m16n8k64")

BYTES(SS8, S8, S8, "s8.s8");
BYTES(SU8, S8, U8, "s8.u8");
BYTES(US8, U8, S8, "u8.s8");
BYTES(UU8, U8, U8, "u8.u8");
NIBBLES(SS4, S4, S4, "s4.s4");
NIBBLES(SU4, S4, U4, "s4.u4");
NIBBLES(US4, U4, S4, "u4.s4");
NIBBLES(UU4, U4, U4, "u4.u4");

/// Calls F, one of the named functions, with sums as int.
template <int kC, class F>
__device__ void with_ints(F multiply, unsigned (&d)[kC], const unsigned (&c)[kC]) {
  int sums[kC], start[kC];
  for (int i = 0; i < kC; ++i) start[i] = static_cast<int>(c[i]);
  multiply(sums, start);
  for (int i = 0; i < kC; ++i) d[i] = static_cast<unsigned>(sums[i]);
}
struct NamedM8K16 : Factors<S8, S8>, BytesM8K16 {
  static __device__ void run(unsigned (&d)[2], const unsigned (&a)[1], const unsigned (&b)[1],
                             const unsigned (&c)[2]) {
    with_ints(
        [&](int(&to)[2], const int(&from)[2]) { tut::ptx::mma_m8n8k16_s32_s8(to, a, b, from); }, d,
        c);
  }
};
struct NamedK16 : Factors<S8, S8>, BytesK16 {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[2], const unsigned (&b)[1],
                             const unsigned (&c)[4]) {
    with_ints(
        [&](int(&to)[4], const int(&from)[4]) { tut::ptx::mma_m16n8k16_s32_s8(to, a, b, from); }, d,
        c);
  }
};
struct Wrapping : Factors<S8, S8>, BytesK32 {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[4]) {
    with_ints(
        [&](int(&to)[4], const int(&from)[4]) { tut::ptx::mma_m16n8k32_s32_s8(to, a, b, from); }, d,
        c);
  }
};
struct Saturating : Factors<S8, S8>, BytesK32 {
  static __device__ void run(unsigned (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             const unsigned (&c)[4]) {
    with_ints([&](int(&to)[4],
                  const int(&from)[4]) { tut::ptx::mma_m16n8k32_s32_s8_satfinite(to, a, b, from); },
              d, c);
  }
};

/// Sums of 320 beside both ends of the range.
template <class Case>
void check_ends(const char* name, double above, double below) {
  std::vector<std::uint64_t> a(16 * 32), b(32 * 8, code_of<S8>(10)), c(16 * 8);
  for (int i = 0; i < 16 * 32; ++i) a[i] = code_of<S8>(i / 32 % 2 == 0 ? 1 : -1);
  for (int i = 0; i < 16 * 8; ++i) c[i] = i / 8 % 2 == 0 ? 2147483547u : 2147483748u;  // +-100
  expect_product<Case>(name, "ends of the range", product<Case>(a, b, c),
                       [&](int row, int) { return row % 2 == 0 ? above : below; });
}

template <class Short, class Middle, class Long>
void check_all(const char* name) {
  check_product<Short>(name);
  check_product<Middle>(name);
  check_product<Long>(name);
}

}  // namespace

int main() {
  check_all<ShortSS8, MiddleSS8, LongSS8>("s8.s8");
  check_all<ShortSU8, MiddleSU8, LongSU8>("s8.u8");
  check_all<ShortUS8, MiddleUS8, LongUS8>("u8.s8");
  check_all<ShortUU8, MiddleUU8, LongUU8>("u8.u8");
  check_all<ShortSS4, MiddleSS4, LongSS4>("s4.s4");
  check_all<ShortSU4, MiddleSU4, LongSU4>("s4.u4");
  check_all<ShortUS4, MiddleUS4, LongUS4>("u4.s4");
  check_all<ShortUU4, MiddleUU4, LongUU4>("u4.u4");
  check_all<NamedM8K16, NamedK16, Wrapping>("named");
  check_product<Saturating>("satfinite");
  check_ends<Wrapping>("wrapping", 2147483647.0 + 220 - 4294967296.0,
                       -2147483648.0 - 220 + 4294967296.0);
  check_ends<Saturating>("satfinite", 2147483647.0, -2147483648.0);
  return report();
}
