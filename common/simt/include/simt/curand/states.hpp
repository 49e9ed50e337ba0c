/// @file
/// The states of cuRAND's generators and the steps they take. Sequences are cuRAND's, bit for bit.
/// Source: G. Marsaglia, "Xorshift RNGs" (2003), section 4 (XORWOW); J. Salmon et al., "Parallel
/// Random Numbers: As Easy as 1, 2, 3" (2011), Philox4x32-10; P. L'Ecuyer, "Good Parameters and
/// Implementations for Combined Multiple Recursive Random Number Generators" (1999), MRG32k3a;
/// cuRAND documentation, "Device API Overview", for seeds and subsequences.
#ifndef SIMT_CURAND_STATES_HPP
#define SIMT_CURAND_STATES_HPP

#include "vector_functions.h"

/// Five words of a shift register, and a counter that is added to what they give.
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  unsigned int unused;
  double boxmuller_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;

/// A counter and the key that it is encrypted with, four words at a time.
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;  ///< of the words in `output`, those given out
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

/// Two recurrences over three numbers each.
struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  unsigned int unused;
  double boxmuller_extra_double;
};
using curandStateMRG32k3a_t = curandStateMRG32k3a;

namespace simt::curand {

/// Moves `v` as far as 2^`log2_step` * `count` steps of XORWOW do; `d` goes its own way.
void skip_xorwow(unsigned (&v)[5], unsigned log2_step, unsigned long long count);
/// The same for the two recurrences of MRG32k3a.
void skip_mrg32k3a(unsigned (&s1)[3], unsigned (&s2)[3], unsigned log2_step,
                   unsigned long long count);

/// Distances between subsequences, as powers of two.
inline constexpr unsigned kXorwowSubsequence = 67, kMrgSubsequence = 76, kMrgSequence = 127;
inline constexpr unsigned kMrgModulus1 = 4294967087u, kMrgModulus2 = 4294944443u;

inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
    counter =
        make_uint4(static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
                   static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a));
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

/// Adds to the 64 bits of two words; true if they overflow.
inline bool add(unsigned& low, unsigned& high, unsigned long long n) {
  const unsigned long long before = static_cast<unsigned long long>(high) << 32 | low;
  const unsigned long long sum = before + n;
  low = static_cast<unsigned>(sum);
  high = static_cast<unsigned>(sum >> 32);
  return sum < before;
}

inline void advance(curandStatePhilox4_32_10* state, unsigned long long blocks) {
  if (add(state->ctr.x, state->ctr.y, blocks)) add(state->ctr.z, state->ctr.w, 1);
  state->output = philox(state->ctr, state->key);
}

/// A number from 1 to the first modulus.
inline double step(curandStateMRG32k3a* state) {
  unsigned(&a)[3] = state->s1;
  unsigned(&b)[3] = state->s2;
  using Wide = unsigned long long;
  const Wide next_a = (1403580ull * a[1] + 810728ull * (Wide{kMrgModulus1} - a[0])) % kMrgModulus1;
  const Wide next_b = (527612ull * b[2] + 1370589ull * (Wide{kMrgModulus2} - b[0])) % kMrgModulus2;
  a[0] = a[1];
  a[1] = a[2];
  a[2] = static_cast<unsigned>(next_a);
  b[0] = b[1];
  b[1] = b[2];
  b[2] = static_cast<unsigned>(next_b);
  return static_cast<double>(next_a > next_b ? next_a - next_b : next_a + kMrgModulus1 - next_b);
}

template <class State>
void forget_normals(State* state) {
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}

}  // namespace simt::curand

inline void skipahead(unsigned long long n, curandStateXORWOW* state) {
  simt::curand::skip_xorwow(state->v, 0, n);
  state->d += 362437u * static_cast<unsigned>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
  simt::curand::skip_xorwow(state->v, simt::curand::kXorwowSubsequence, n);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW* state) {
  const unsigned low = static_cast<unsigned>(seed) ^ 0xAAD26B49u;
  const unsigned high = static_cast<unsigned>(seed >> 32) ^ 0xF7DCEFDDu;
  const unsigned p = 1099087573u * low, q = 2591861531u * high;
  state->d = 6615241u + q + p;
  state->v[0] = 123456789u + p;
  state->v[1] = 362436069u ^ p;
  state->v[2] = 521288629u + q;
  state->v[3] = 88675123u ^ q;
  state->v[4] = 5783321u + p;
  state->unused = 0;
  simt::curand::forget_normals(state);
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
inline unsigned int curand(curandStateXORWOW* state) {
  const unsigned t = state->v[0] ^ state->v[0] >> 2;
  state->v[0] = state->v[1];
  state->v[1] = state->v[2];
  state->v[2] = state->v[3];
  state->v[3] = state->v[4];
  state->v[4] = (state->v[4] ^ state->v[4] << 4) ^ (t ^ t << 1);
  state->d += 362437u;
  return state->v[4] + state->d;
}

inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  state->STATE += static_cast<unsigned>(n % 4);
  n /= 4;
  if (state->STATE > 3) {
    ++n;
    state->STATE -= 4;
  }
  simt::curand::advance(state, n);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
  simt::curand::add(state->ctr.z, state->ctr.w, n);
  state->output = simt::curand::philox(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  state->STATE = 0;
  simt::curand::forget_normals(state);
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
inline unsigned int curand(curandStatePhilox4_32_10* state) {
  const uint4 now = state->output;
  const unsigned word = state->STATE;
  if (++state->STATE == 4) {
    state->STATE = 0;
    simt::curand::advance(state, 1);
  }
  return word == 0 ? now.x : word == 1 ? now.y : word == 2 ? now.z : now.w;
}
/// The next four at once.
inline uint4 curand4(curandStatePhilox4_32_10* state) {
  const uint4 now = state->output;
  simt::curand::advance(state, 1);
  const uint4 next = state->output;
  switch (state->STATE) {
    case 0:
      return now;
    case 1:
      return make_uint4(now.y, now.z, now.w, next.x);
    case 2:
      return make_uint4(now.z, now.w, next.x, next.y);
    default:
      return make_uint4(now.w, next.x, next.y, next.z);
  }
}

inline void skipahead(unsigned long long n, curandStateMRG32k3a* state) {
  simt::curand::skip_mrg32k3a(state->s1, state->s2, 0, n);
}
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* state) {
  simt::curand::skip_mrg32k3a(state->s1, state->s2, simt::curand::kMrgSubsequence, n);
}
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* state) {
  simt::curand::skip_mrg32k3a(state->s1, state->s2, simt::curand::kMrgSequence, n);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateMRG32k3a* state) {
  constexpr unsigned long long kStart = 12345;
  for (int i = 0; i < 3; ++i) state->s1[i] = state->s2[i] = kStart;
  if (seed != 0) {
    const unsigned x = static_cast<unsigned>(seed) ^ 0x55555555u;
    const unsigned y = static_cast<unsigned>(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; ++i) {
      const unsigned one = i == 1 ? y : x, other = i == 1 ? x : y;
      state->s1[i] = static_cast<unsigned>(one * kStart % simt::curand::kMrgModulus1);
      state->s2[i] = static_cast<unsigned>(other * kStart % simt::curand::kMrgModulus2);
    }
  }
  state->unused = 0;
  simt::curand::forget_normals(state);
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}
inline unsigned int curand(curandStateMRG32k3a* state) {
  // From 1 to the modulus, stretched over all 32 bits.
  return static_cast<unsigned>(simt::curand::step(state) * 1.000000048662);
}

#endif
