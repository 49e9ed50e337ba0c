/// @file
/// From random bits to distributions, as cuRAND does it: uniform in (0, 1], normal by Box and
/// Muller, log-normal. Logarithms, sines and roots are the host's, so that the last bits of normal
/// numbers may differ from a GPU's.
/// Source: cuRAND documentation, "Distributions"; G. Box and M. Muller, "A Note on the Generation
/// of Random Normal Deviates" (1958).
#ifndef SIMT_CURAND_DISTRIBUTIONS_HPP
#define SIMT_CURAND_DISTRIBUTIONS_HPP

#include <math.h>

#include "simt/curand/states.hpp"

namespace simt::curand {

inline constexpr float kUnit = 2.3283064e-10F;                 // 2^-32
inline constexpr double kUnitDouble = 2.3283064365386963e-10;  // 2^-32
inline constexpr double kFineUnit = 1.1102230246251565e-16;    // 2^-53
inline constexpr double kMrgUnit = 2.3283065498378288e-10;     // 1 / (first modulus + 1)
inline constexpr float kTurn = 6.2831855F, kTurnUnit = kUnit * kTurn;

inline float uniform(unsigned x) { return static_cast<float>(x) * kUnit + kUnit / 2; }
inline double uniform_double(unsigned x) { return x * kUnitDouble + kUnitDouble; }
/// With 53 bits of two words.
inline double uniform_double(unsigned x, unsigned y) {
  const unsigned long long bits = x ^ static_cast<unsigned long long>(y) << 21;
  return static_cast<double>(bits) * kFineUnit + kFineUnit / 2;
}

inline float2 normal_pair(float radius_from, float angle) {
  const float radius = sqrtf(-2.0F * logf(radius_from));
  return make_float2(sinf(angle) * radius, cosf(angle) * radius);
}
inline float2 normal_pair(unsigned x, unsigned y) {
  return normal_pair(uniform(x), static_cast<float>(y) * kTurnUnit + kTurnUnit / 2);
}
/// `half_turns` is the angle over pi.
inline double2 normal_pair_double(double radius_from, double half_turns) {
  const double radius = sqrt(-2.0 * log(radius_from));
  double sine, cosine;
  sincospi(half_turns, &sine, &cosine);
  return make_double2(sine * radius, cosine * radius);
}
inline double2 normal_pair_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  const unsigned long long bits = y0 ^ static_cast<unsigned long long>(y1) << 21;
  return normal_pair_double(uniform_double(x0, x1),
                            static_cast<double>(bits) * (kFineUnit * 2) + kFineUnit);
}

}  // namespace simt::curand

inline float curand_uniform(curandStateXORWOW* state) {
  return simt::curand::uniform(curand(state));
}
inline float curand_uniform(curandStatePhilox4_32_10* state) {
  return simt::curand::uniform(curand(state));
}
inline float curand_uniform(curandStateMRG32k3a* state) {
  return static_cast<float>(simt::curand::step(state) * simt::curand::kMrgUnit);
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  using simt::curand::uniform;
  return make_float4(uniform(x.x), uniform(x.y), uniform(x.z), uniform(x.w));
}

inline double curand_uniform_double(curandStateXORWOW* state) {
  const unsigned x = curand(state), y = curand(state);
  return simt::curand::uniform_double(x, y);
}
inline double curand_uniform_double(curandStatePhilox4_32_10* state) {
  return simt::curand::uniform_double(curand(state));
}
inline double curand_uniform_double(curandStateMRG32k3a* state) {
  return simt::curand::step(state) * simt::curand::kMrgUnit;
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  return make_double2(simt::curand::uniform_double(x.x, x.y),
                      simt::curand::uniform_double(x.z, x.w));
}

inline float2 curand_normal2(curandStateXORWOW* state) {
  const unsigned x = curand(state), y = curand(state);
  return simt::curand::normal_pair(x, y);
}
inline float2 curand_normal2(curandStatePhilox4_32_10* state) {
  const unsigned x = curand(state), y = curand(state);
  return simt::curand::normal_pair(x, y);
}
inline float2 curand_normal2(curandStateMRG32k3a* state) {
  const float x = curand_uniform(state);
  return simt::curand::normal_pair(x, curand_uniform(state) * simt::curand::kTurn);
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  const float2 a = simt::curand::normal_pair(x.x, x.y), b = simt::curand::normal_pair(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}

inline double2 curand_normal2_double(curandStateXORWOW* state) {
  const unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return simt::curand::normal_pair_double(x0, x1, y0, y1);
}
inline double2 curand_normal2_double(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  return simt::curand::normal_pair_double(x.x, x.y, x.z, x.w);
}
inline double2 curand_normal2_double(curandStateMRG32k3a* state) {
  const double x = curand_uniform_double(state);
  return simt::curand::normal_pair_double(x, curand_uniform_double(state) * 2);
}

namespace simt::curand {

/// What a state keeps for the next call: the other number of a pair of this kind.
enum Kept : int { kNone, kNormal, kLogNormal };

/// One of a pair; the other is kept in `extra`.
template <class T, class Flag, class Make>
T one_of_pair(T& extra, Flag& flag, Kept kind, const Make& make) {
  if (flag == kind) {
    flag = kNone;
    return extra;
  }
  const auto pair = make();
  extra = pair.y;
  flag = kind;
  return pair.x;
}

inline float2 exponentials(float2 x, float mean, float stddev) {
  return make_float2(expf(mean + stddev * x.x), expf(mean + stddev * x.y));
}
inline double2 exponentials(double2 x, double mean, double stddev) {
  return make_double2(exp(mean + stddev * x.x), exp(mean + stddev * x.y));
}

}  // namespace simt::curand

template <class State>
float curand_normal(State* state) {
  return simt::curand::one_of_pair(state->boxmuller_extra, state->boxmuller_flag,
                                   simt::curand::kNormal, [=] { return curand_normal2(state); });
}
template <class State>
double curand_normal_double(State* state) {
  return simt::curand::one_of_pair(state->boxmuller_extra_double, state->boxmuller_flag_double,
                                   simt::curand::kNormal,
                                   [=] { return curand_normal2_double(state); });
}

template <class State>
float2 curand_log_normal2(State* state, float mean, float stddev) {
  return simt::curand::exponentials(curand_normal2(state), mean, stddev);
}
template <class State>
double2 curand_log_normal2_double(State* state, double mean, double stddev) {
  return simt::curand::exponentials(curand_normal2_double(state), mean, stddev);
}
template <class State>
float curand_log_normal(State* state, float mean, float stddev) {
  return simt::curand::one_of_pair(state->boxmuller_extra, state->boxmuller_flag,
                                   simt::curand::kLogNormal,
                                   [=] { return curand_log_normal2(state, mean, stddev); });
}
template <class State>
double curand_log_normal_double(State* state, double mean, double stddev) {
  return simt::curand::one_of_pair(state->boxmuller_extra_double, state->boxmuller_flag_double,
                                   simt::curand::kLogNormal,
                                   [=] { return curand_log_normal2_double(state, mean, stddev); });
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float stddev) {
  const float4 x = curand_normal4(state);
  const float2 a = simt::curand::exponentials(make_float2(x.x, x.y), mean, stddev);
  const float2 b = simt::curand::exponentials(make_float2(x.z, x.w), mean, stddev);
  return make_float4(a.x, a.y, b.x, b.y);
}

template <class State>
[[gnu::error("curand_poisson is not supported on the CPU backend")]] unsigned curand_poisson(
    State* state, double lambda);
template <class State>
[[gnu::error("curand_poisson4 is not supported on the CPU backend")]] uint4 curand_poisson4(
    State* state, double lambda);

#endif
