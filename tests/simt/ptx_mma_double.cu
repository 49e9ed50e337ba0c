// mma.sync of double precision, in all shapes, with the fragments as the manual states them.
// needs: sm_90
#include "ptx_mma_case.cuh"
#include "tut/ptx/mma_double.cuh"

namespace {

/// Calls F with registers as doubles.
template <int kA, int kB, int kC, class F>
__device__ void with_doubles(F multiply, unsigned long long (&d)[kC],
                             const unsigned long long (&a)[kA], const unsigned long long (&b)[kB],
                             const unsigned long long (&c)[kC]) {
  double own_a[kA], own_b[kB], own_c[kC], own_d[kC];
  for (int i = 0; i < kA; ++i) own_a[i] = __longlong_as_double(static_cast<long long>(a[i]));
  for (int i = 0; i < kB; ++i) own_b[i] = __longlong_as_double(static_cast<long long>(b[i]));
  for (int i = 0; i < kC; ++i) own_c[i] = __longlong_as_double(static_cast<long long>(c[i]));
  multiply(own_d, own_a, own_b, own_c);
  for (int i = 0; i < kC; ++i) {
    d[i] = static_cast<unsigned long long>(__double_as_longlong(own_d[i]));
  }
}

struct Doubles {
  using Word = unsigned long long;
  using A = Double;
  using B = Double;
  using C = Double;
};

struct M8K4 : Doubles, SumsOf8 {
  static constexpr int M = 8, K = 4;
  static Place of_a(int group, int thread, int) { return {group, thread}; }
  static Place of_b(int group, int thread, int) { return {thread, group}; }
  static __device__ void run(Word (&d)[2], const Word (&a)[1], const Word (&b)[1],
                             const Word (&c)[2]) {
    with_doubles([](auto& to, auto& x, auto& y, auto& z) { tut::ptx::mma_m8n8k4_f64(to, x, y, z); },
                 d, a, b, c);
  }
};

struct M16K4 : Doubles, SumsOf16 {
  static constexpr int M = 16, K = 4;
  static Place of_a(int group, int thread, int i) { return {i == 0 ? group : group + 8, thread}; }
  static Place of_b(int group, int thread, int) { return {thread, group}; }
  static __device__ void run(Word (&d)[4], const Word (&a)[2], const Word (&b)[1],
                             const Word (&c)[4]) {
    with_doubles(
        [](auto& to, auto& x, auto& y, auto& z) { tut::ptx::mma_m16n8k4_f64(to, x, y, z); }, d, a,
        b, c);
  }
};

struct M16K8 : Doubles, SumsOf16 {
  static constexpr int M = 16, K = 8;
  static Place of_a(int group, int thread, int i) {
    return {i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
  }
  static Place of_b(int group, int thread, int i) { return {i == 0 ? thread : thread + 4, group}; }
  static __device__ void run(Word (&d)[4], const Word (&a)[4], const Word (&b)[2],
                             const Word (&c)[4]) {
    with_doubles(
        [](auto& to, auto& x, auto& y, auto& z) { tut::ptx::mma_m16n8k8_f64(to, x, y, z); }, d, a,
        b, c);
  }
};

struct M16K16 : Doubles, SumsOf16 {
  static constexpr int M = 16, K = 16;
  static Place of_a(int group, int thread, int i) {
    return {i % 2 == 0 ? group : group + 8, i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread};
  }
  static Place of_b(int group, int thread, int i) { return {thread + i * 4, group}; }
  static __device__ void run(Word (&d)[4], const Word (&a)[8], const Word (&b)[4],
                             const Word (&c)[4]) {
    with_doubles(
        [](auto& to, auto& x, auto& y, auto& z) { tut::ptx::mma_m16n8k16_f64(to, x, y, z); }, d, a,
        b, c);
  }
};

}  // namespace

int main() {
  check_product<M8K4>("m8n8k4 f64");
  check_product<M16K4>("m16n8k4 f64");
  check_product<M16K8>("m16n8k8 f64");
  check_product<M16K16>("m16n8k16 f64");
  return report();
}
