// One mma.sync by one warp, compared with the host's product: what the tests of mma.sync share.
// Source of the layouts that the cases state: PTX ISA, "Matrix Fragments for mma.m16n8k16 with
// floating point type" and its neighbours, with its words: group is the lane divided by 4, thread
// what remains.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "expect.cuh"

/// An element's place in its matrix.
struct Place {
  int row, column;
};

/// Elements as bits, and their values.
template <int kTheBits, bool kHasSign = true>
struct Bits {
  static constexpr int kBits = kTheBits;
  static constexpr bool kSigned = kHasSign;
};
struct Half : Bits<16> {
  static double value(std::uint64_t code) {
    const int exponent = static_cast<int>(code >> 10 & 31);
    const double fraction = static_cast<double>(code & 1023) / 1024;
    const double size =
        exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    return (code >> 15 & 1) != 0 ? -size : size;
  }
  static bool is_finite(std::uint64_t code) { return (code >> 10 & 31) != 31; }
};
struct Float : Bits<32> {
  static std::uint64_t code(float number) {
    std::uint32_t word;
    std::memcpy(&word, &number, sizeof(word));
    return word;
  }
  static double value(std::uint64_t code) {
    const auto word = static_cast<std::uint32_t>(code);
    float number;
    std::memcpy(&number, &word, sizeof(number));
    return static_cast<double>(number);
  }
  static bool is_finite(std::uint64_t code) { return std::isfinite(value(code)); }
};
struct Bfloat16 : Bits<16> {
  static double value(std::uint64_t code) { return Float::value(code << 16); }
  static bool is_finite(std::uint64_t code) { return Float::is_finite(code << 16); }
};
/// The product does not look at the last 13 bits.
struct Tf32 : Float {
  static double value(std::uint64_t code) { return Float::value(code & 0xFFFFE000u); }
};
struct Double : Bits<64> {
  static std::uint64_t code(double number) {
    std::uint64_t word;
    std::memcpy(&word, &number, sizeof(word));
    return word;
  }
  static double value(std::uint64_t code) {
    double number;
    std::memcpy(&number, &code, sizeof(number));
    return number;
  }
  static bool is_finite(std::uint64_t code) { return std::isfinite(value(code)); }
};
template <int kTheBits, bool kHasSign>
struct Integer : Bits<kTheBits, kHasSign> {
  static std::uint64_t code(int number) {
    return static_cast<std::uint32_t>(number) & ((1ull << kTheBits) - 1);
  }
  static double value(std::uint64_t code) {
    const bool negative = kHasSign && (code >> (kTheBits - 1) & 1) != 0;
    return static_cast<double>(code) - (negative ? std::ldexp(1, kTheBits) : 0);
  }
  static bool is_finite(std::uint64_t) { return true; }
};
struct E4m3 : Bits<8> {
  static double value(std::uint64_t code) {
    const int exponent = static_cast<int>(code >> 3 & 15);
    const double fraction = static_cast<double>(code & 7) / 8;
    const double size =
        exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7);
    return (code & 128) != 0 ? -size : size;
  }
  static bool is_finite(std::uint64_t code) { return (code & 127) != 127; }
};
struct E5m2 : Bits<8> {
  static double value(std::uint64_t code) { return Half::value(code << 8); }
  static bool is_finite(std::uint64_t code) { return Half::is_finite(code << 8); }
};

/// The code of a small whole number.
template <class Element>
std::uint64_t code_of(int number) {
  if constexpr (requires { Element::code(number); }) {
    return Element::code(number);
  } else {
    for (std::uint64_t code = 0; code < (1u << Element::kBits); ++code) {
      if (Element::is_finite(code) && Element::value(code) == number) return code;
    }
    return 0;
  }
}

/// Registers of a warp, lane by lane, and elements in them.
template <class Word>
class Fragments {
 public:
  explicit Fragments(int registers) : registers_(registers), words_(32 * registers) {}

  template <class Element>
  void set(int lane, int i, std::uint64_t code) {
    constexpr int kPerWord = 8 * static_cast<int>(sizeof(Word)) / Element::kBits;
    Word& word = words_[lane * registers_ + i / kPerWord];
    word |= static_cast<Word>(code) << (i % kPerWord * Element::kBits % (8 * sizeof(Word)));
  }
  template <class Element>
  std::uint64_t get(int lane, int i) const {
    constexpr int kPerWord = 8 * static_cast<int>(sizeof(Word)) / Element::kBits;
    const std::uint64_t word = words_[lane * registers_ + i / kPerWord];
    const std::uint64_t all = Element::kBits == 64 ? ~0ull : (1ull << Element::kBits % 64) - 1;
    return word >> (i % kPerWord * Element::kBits) & all;
  }
  std::vector<Word>& words() { return words_; }

 private:
  int registers_;
  std::vector<Word> words_;
};

/// Registers that a lane has of so many elements in all.
template <class Element, class Word>
constexpr int registers_of(int elements) {
  return elements / 32 * Element::kBits / (8 * static_cast<int>(sizeof(Word)));
}

/// A case has: Word, M, K, the elements A, B, C (of C and D), run(d, a, b, c), and for each matrix
/// where element i of a lane lies.
template <class Case>
struct Sizes {
  using Word = typename Case::Word;
  static constexpr int kA = registers_of<typename Case::A, Word>(Case::M * Case::K);
  static constexpr int kB = registers_of<typename Case::B, Word>(Case::K * 8);
  static constexpr int kC = registers_of<typename Case::C, Word>(Case::M * 8);
};

template <class Case>
__global__ void one_product(const typename Case::Word* a, const typename Case::Word* b,
                            const typename Case::Word* c, typename Case::Word* d) {
  using Size = Sizes<Case>;
  const int lane = threadIdx.x % 32;
  typename Case::Word own_a[Size::kA], own_b[Size::kB], own_c[Size::kC], own_d[Size::kC];
  for (int i = 0; i < Size::kA; ++i) own_a[i] = a[lane * Size::kA + i];
  for (int i = 0; i < Size::kB; ++i) own_b[i] = b[lane * Size::kB + i];
  for (int i = 0; i < Size::kC; ++i) own_c[i] = c[lane * Size::kC + i];
  Case::run(own_d, own_a, own_b, own_c);
  for (int i = 0; i < Size::kC; ++i) d[threadIdx.x * Size::kC + i] = own_d[i];
}

template <class T>
T* to_device(const std::vector<T>& host) {
  T* device = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&device), host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

/// D in registers for the matrices of codes, which are stored row by row.
template <class Case>
Fragments<typename Case::Word> product(const std::vector<std::uint64_t>& a,
                                       const std::vector<std::uint64_t>& b,
                                       const std::vector<std::uint64_t>& c) {
  using Word = typename Case::Word;
  using Size = Sizes<Case>;
  Fragments<Word> a_parts(Size::kA), b_parts(Size::kB), c_parts(Size::kC), d_parts(Size::kC);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < Case::M * Case::K / 32; ++i) {
      const Place at = Case::of_a(lane / 4, lane % 4, i);
      a_parts.template set<typename Case::A>(lane, i, a[at.row * Case::K + at.column]);
    }
    for (int i = 0; i < Case::K * 8 / 32; ++i) {
      const Place at = Case::of_b(lane / 4, lane % 4, i);
      b_parts.template set<typename Case::B>(lane, i, b[at.row * 8 + at.column]);
    }
    for (int i = 0; i < Case::M * 8 / 32; ++i) {
      const Place at = Case::of_c(lane / 4, lane % 4, i);
      c_parts.template set<typename Case::C>(lane, i, c[at.row * 8 + at.column]);
    }
  }
  Word* const on_device[] = {to_device(a_parts.words()), to_device(b_parts.words()),
                             to_device(c_parts.words()), to_device(d_parts.words())};
  one_product<Case><<<1, 32>>>(on_device[0], on_device[1], on_device[2], on_device[3]);
  expect("the launch", cudaDeviceSynchronize(), cudaSuccess);
  cudaMemcpy(d_parts.words().data(), on_device[3], d_parts.words().size() * sizeof(Word),
             cudaMemcpyDeviceToHost);
  for (Word* memory : on_device) cudaFree(memory);
  return d_parts;
}

/// Are D's elements what `wanted(row, column)` says?
template <class Case, class Wanted>
void expect_product(const char* name, const char* what, const Fragments<typename Case::Word>& got,
                    Wanted wanted) {
  int wrong = 0;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < Case::M * 8 / 32; ++i) {
      const Place at = Case::of_c(lane / 4, lane % 4, i);
      const double value = Case::C::value(got.template get<typename Case::C>(lane, i));
      if (value == wanted(at.row, at.column)) continue;
      if (wrong++ == 0) {
        std::printf("%s, %s: D[%d][%d] is %g, expected %g\n", name, what, at.row, at.column, value,
                    wanted(at.row, at.column));
      }
    }
  }
  expect(name, wrong, 0);
}

/// Small whole numbers, whose sums are exact in every type: D = A * B + C.
template <class Case>
void check_numbers(const char* name) {
  using A = typename Case::A;
  using B = typename Case::B;
  using C = typename Case::C;
  constexpr int M = Case::M, K = Case::K;
  const int least_a = A::kSigned ? -3 : 0, least_b = B::kSigned ? -3 : 0;
  std::vector<std::uint64_t> a(M * K), b(K * 8), c(M * 8);
  for (int i = 0; i < M * K; ++i) a[i] = code_of<A>(least_a + (i * 5 + i / K) % 7);
  for (int i = 0; i < K * 8; ++i) b[i] = code_of<B>(least_b + (i * 3 + i / 8) % 7);
  for (int i = 0; i < M * 8; ++i) c[i] = code_of<C>(i * 7 % 41 - 20);
  const auto got = product<Case>(a, b, c);
  expect_product<Case>(name, "small numbers", got, [&](int row, int column) {
    double sum = C::value(c[row * 8 + column]);
    for (int k = 0; k < K; ++k) sum += A::value(a[row * K + k]) * B::value(b[k * 8 + column]);
    return sum;
  });
}

/// `count` codes of finite numbers, of all sizes.
template <class Element>
std::vector<std::uint64_t> finite_codes(int count) {
  std::vector<std::uint64_t> codes;
  std::uint64_t state = 1;
  while (static_cast<int>(codes.size()) < count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t code = state >> (64 - Element::kBits);
    if (Element::is_finite(code)) codes.push_back(code);
  }
  return codes;
}

/// Factors of any numbers, times one of which each column (row) has a single 1.
template <class Case>
void check_codes(const char* name) {
  using A = typename Case::A;
  using B = typename Case::B;
  constexpr int M = Case::M, K = Case::K;
  const std::vector<std::uint64_t> a = finite_codes<A>(M * K), b = finite_codes<B>(K * 8),
                                   zeros(M * 8, 0);
  for (int first = 0; first < K; first += 8) {
    std::vector<std::uint64_t> ones(K * 8);
    for (int n = 0; n < 8 && first + n < K; ++n) ones[(first + n) * 8 + n] = code_of<B>(1);
    const auto got = product<Case>(a, ones, zeros);
    expect_product<Case>(name, "A times ones", got, [&](int row, int column) {
      return first + column < K ? A::value(a[row * K + first + column]) : 0.0;
    });
  }
  for (int first = 0; first < K; first += M) {
    std::vector<std::uint64_t> ones(M * K);
    for (int m = 0; m < M && first + m < K; ++m) ones[m * K + first + m] = code_of<A>(1);
    const auto got = product<Case>(ones, b, zeros);
    expect_product<Case>(name, "ones times B", got, [&](int row, int column) {
      return first + row < K ? B::value(b[(first + row) * 8 + column]) : 0.0;
    });
  }
}

template <class Case>
void check_product(const char* name) {
  check_numbers<Case>(name);
  check_codes<Case>(name);
}

/// Where the elements of sums lie, in all cases of 16 and of 8 rows.
struct SumsOf16 {
  static Place of_c(int group, int thread, int i) {
    return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
  }
};
struct SumsOf8 {
  static Place of_c(int group, int thread, int i) { return {group, thread * 2 + i}; }
};
