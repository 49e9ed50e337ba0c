/// @file
/// SIMD within a word: two 16-bit or four 8-bit lanes in an unsigned.
/// Suffixes: 2 or 4 lanes; s signed, u unsigned; `ss`, `us` saturating. `__vcmp*` gives all ones in
/// a lane where true, `__vset*` gives 1.
/// Source: CUDA Math API, "SIMD Intrinsics".
#pragma once

#include <limits>

namespace simt::detail {

/// f applied lane by lane to words cut into lanes of type T; only the low bits of f's result count.
template <class T, class F, class... Words>
inline unsigned map_lanes(F f, Words... words) {
  constexpr unsigned kBits = 8 * sizeof(T);
  constexpr unsigned kMask = (1u << kBits) - 1u;
  unsigned result = 0;
  for (unsigned shift = 0; shift < 32; shift += kBits) {
    const int lane = f(static_cast<int>(static_cast<T>(words >> shift))...);
    result |= (static_cast<unsigned>(lane) & kMask) << shift;
  }
  return result;
}

/// The sum over lanes of f.
template <class T, class F>
inline unsigned sum_lanes(F f, unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(T)) {
    sum += static_cast<unsigned>(f(static_cast<int>(static_cast<T>(a >> shift)),
                                   static_cast<int>(static_cast<T>(b >> shift))));
  }
  return sum;
}

/// x clamped to T's range.
template <class T>
inline int clamp_lane(int x) {
  constexpr int kLow = std::numeric_limits<T>::min();
  constexpr int kHigh = std::numeric_limits<T>::max();
  return x < kLow ? kLow : x > kHigh ? kHigh : x;
}

inline int magnitude(int x) { return x < 0 ? -x : x; }

using S8 = signed char;
using U8 = unsigned char;
using S16 = short;
using U16 = unsigned short;

}  // namespace simt::detail

inline unsigned __vabs2(unsigned a) {
  return simt::detail::map_lanes<simt::detail::S16>(
      [](int x) { return simt::detail::magnitude(x); }, a);
}
inline unsigned __vabsss2(unsigned a) {
  return simt::detail::map_lanes<simt::detail::S16>(
      [](int x) { return simt::detail::clamp_lane<simt::detail::S16>(simt::detail::magnitude(x)); },
      a);
}
inline unsigned __vneg2(unsigned a) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x) { return -x; }, a);
}
inline unsigned __vnegss2(unsigned a) {
  return simt::detail::map_lanes<simt::detail::S16>(
      [](int x) { return simt::detail::clamp_lane<simt::detail::S16>(-x); }, a);
}
inline unsigned __vadd2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x + y; }, a, b);
}
inline unsigned __vaddss2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>(
      [](int x, int y) { return simt::detail::clamp_lane<simt::detail::S16>(x + y); }, a, b);
}
inline unsigned __vaddus2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>(
      [](int x, int y) { return simt::detail::clamp_lane<simt::detail::U16>(x + y); }, a, b);
}
inline unsigned __vsub2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x - y; }, a, b);
}
inline unsigned __vsubss2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>(
      [](int x, int y) { return simt::detail::clamp_lane<simt::detail::S16>(x - y); }, a, b);
}
inline unsigned __vsubus2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>(
      [](int x, int y) { return simt::detail::clamp_lane<simt::detail::U16>(x - y); }, a, b);
}
inline unsigned __vavgs2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>(
      [](int x, int y) { return (x + y + (x + y >= 0)) >> 1; }, a, b);
}
inline unsigned __vavgu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return (x + y + 1) >> 1; },
                                                    a, b);
}
inline unsigned __vhaddu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return (x + y) >> 1; }, a,
                                                    b);
}
inline unsigned __vabsdiffs2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>(
      [](int x, int y) { return simt::detail::magnitude(x - y); }, a, b);
}
inline unsigned __vabsdiffu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>(
      [](int x, int y) { return simt::detail::magnitude(x - y); }, a, b);
}
inline unsigned __vsads2(unsigned a, unsigned b) {
  return simt::detail::sum_lanes<simt::detail::S16>(
      [](int x, int y) { return simt::detail::magnitude(x - y); }, a, b);
}
inline unsigned __vsadu2(unsigned a, unsigned b) {
  return simt::detail::sum_lanes<simt::detail::U16>(
      [](int x, int y) { return simt::detail::magnitude(x - y); }, a, b);
}
inline unsigned __vmaxs2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x > y ? x : y; }, a,
                                                    b);
}
inline unsigned __vmins2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x < y ? x : y; }, a,
                                                    b);
}
inline unsigned __vmaxu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x > y ? x : y; }, a,
                                                    b);
}
inline unsigned __vminu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x < y ? x : y; }, a,
                                                    b);
}
inline unsigned __vcmpeq2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x == y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vseteq2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x == y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmpne2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x != y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetne2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x != y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmpges2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x >= y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetges2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x >= y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmpgeu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x >= y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetgeu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x >= y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmpgts2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x > y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetgts2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x > y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmpgtu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x > y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetgtu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x > y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmples2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x <= y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetles2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x <= y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmpleu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x <= y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetleu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x <= y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmplts2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x < y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetlts2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S16>([](int x, int y) { return x < y ? 1 : 0; }, a,
                                                    b);
}
inline unsigned __vcmpltu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x < y ? -1 : 0; }, a,
                                                    b);
}
inline unsigned __vsetltu2(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U16>([](int x, int y) { return x < y ? 1 : 0; }, a,
                                                    b);
}

inline unsigned __vabs4(unsigned a) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x) { return simt::detail::magnitude(x); },
                                                   a);
}
inline unsigned __vabsss4(unsigned a) {
  return simt::detail::map_lanes<simt::detail::S8>(
      [](int x) { return simt::detail::clamp_lane<simt::detail::S8>(simt::detail::magnitude(x)); },
      a);
}
inline unsigned __vneg4(unsigned a) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x) { return -x; }, a);
}
inline unsigned __vnegss4(unsigned a) {
  return simt::detail::map_lanes<simt::detail::S8>(
      [](int x) { return simt::detail::clamp_lane<simt::detail::S8>(-x); }, a);
}
inline unsigned __vadd4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x + y; }, a, b);
}
inline unsigned __vaddss4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>(
      [](int x, int y) { return simt::detail::clamp_lane<simt::detail::S8>(x + y); }, a, b);
}
inline unsigned __vaddus4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>(
      [](int x, int y) { return simt::detail::clamp_lane<simt::detail::U8>(x + y); }, a, b);
}
inline unsigned __vsub4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x - y; }, a, b);
}
inline unsigned __vsubss4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>(
      [](int x, int y) { return simt::detail::clamp_lane<simt::detail::S8>(x - y); }, a, b);
}
inline unsigned __vsubus4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>(
      [](int x, int y) { return simt::detail::clamp_lane<simt::detail::U8>(x - y); }, a, b);
}
inline unsigned __vavgs4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>(
      [](int x, int y) { return (x + y + (x + y >= 0)) >> 1; }, a, b);
}
inline unsigned __vavgu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return (x + y + 1) >> 1; }, a,
                                                   b);
}
inline unsigned __vhaddu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return (x + y) >> 1; }, a, b);
}
inline unsigned __vabsdiffs4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>(
      [](int x, int y) { return simt::detail::magnitude(x - y); }, a, b);
}
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>(
      [](int x, int y) { return simt::detail::magnitude(x - y); }, a, b);
}
inline unsigned __vsads4(unsigned a, unsigned b) {
  return simt::detail::sum_lanes<simt::detail::S8>(
      [](int x, int y) { return simt::detail::magnitude(x - y); }, a, b);
}
inline unsigned __vsadu4(unsigned a, unsigned b) {
  return simt::detail::sum_lanes<simt::detail::U8>(
      [](int x, int y) { return simt::detail::magnitude(x - y); }, a, b);
}
inline unsigned __vmaxs4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x > y ? x : y; }, a,
                                                   b);
}
inline unsigned __vmins4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x < y ? x : y; }, a,
                                                   b);
}
inline unsigned __vmaxu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x > y ? x : y; }, a,
                                                   b);
}
inline unsigned __vminu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x < y ? x : y; }, a,
                                                   b);
}
inline unsigned __vcmpeq4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x == y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vseteq4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x == y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmpne4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x != y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetne4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x != y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmpges4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x >= y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetges4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x >= y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmpgeu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x >= y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetgeu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x >= y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmpgts4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x > y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetgts4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x > y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmpgtu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x > y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetgtu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x > y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmples4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x <= y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetles4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x <= y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmpleu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x <= y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetleu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x <= y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmplts4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x < y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetlts4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::S8>([](int x, int y) { return x < y ? 1 : 0; }, a,
                                                   b);
}
inline unsigned __vcmpltu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x < y ? -1 : 0; }, a,
                                                   b);
}
inline unsigned __vsetltu4(unsigned a, unsigned b) {
  return simt::detail::map_lanes<simt::detail::U8>([](int x, int y) { return x < y ? 1 : 0; }, a,
                                                   b);
}
