/// @file
/// Mathematical constants in single and double precision, with CUDA's names.
/// Source: CUDA's math_constants.h.
#ifndef __MATH_CONSTANTS_H__
#define __MATH_CONSTANTS_H__

#include <bit>
#include <cstdint>

inline constexpr float CUDART_INF_F = std::bit_cast<float>(std::uint32_t{0x7F800000});
inline constexpr float CUDART_NAN_F = std::bit_cast<float>(std::uint32_t{0x7FFFFFFF});
inline constexpr float CUDART_MIN_DENORM_F = 0x1p-149f;
inline constexpr float CUDART_MAX_NORMAL_F = 0x1.FFFFFEp127f;
inline constexpr float CUDART_NEG_ZERO_F = -0.0f;
inline constexpr float CUDART_ZERO_F = 0.0f;
inline constexpr float CUDART_ONE_F = 1.0f;
inline constexpr float CUDART_SQRT_HALF_F = 0.70710678118654752440f;
inline constexpr float CUDART_SQRT_TWO_F = 1.41421356237309504880f;
inline constexpr float CUDART_THIRD_F = 0.33333333333333333333f;
inline constexpr float CUDART_PIO4_F = 0.78539816339744830962f;
inline constexpr float CUDART_PIO2_F = 1.57079632679489661923f;
inline constexpr float CUDART_3PIO4_F = 2.35619449019234492885f;
inline constexpr float CUDART_2_OVER_PI_F = 0.63661977236758134308f;
inline constexpr float CUDART_SQRT_2_OVER_PI_F = 0.79788456080286535588f;
inline constexpr float CUDART_PI_F = 3.14159265358979323846f;
inline constexpr float CUDART_L2E_F = 1.44269504088896340736f;
inline constexpr float CUDART_L2T_F = 3.32192809488736234787f;
inline constexpr float CUDART_LG2_F = 0.30102999566398119521f;
inline constexpr float CUDART_LGE_F = 0.43429448190325182765f;
inline constexpr float CUDART_LN2_F = 0.69314718055994530942f;
inline constexpr float CUDART_LNT_F = 2.30258509299404568402f;
inline constexpr float CUDART_LNPI_F = 1.14472988584940017414f;

inline constexpr double CUDART_INF = std::bit_cast<double>(std::uint64_t{0x7FF} << 52);
inline constexpr double CUDART_NAN = std::bit_cast<double>(std::uint64_t{0xFFF8} << 48);
inline constexpr double CUDART_NEG_ZERO = -0.0;
inline constexpr double CUDART_MIN_DENORM = 0x1p-1074;
inline constexpr double CUDART_ZERO = 0.0;
inline constexpr double CUDART_ONE = 1.0;
inline constexpr double CUDART_SQRT_TWO = 1.41421356237309504880;
inline constexpr double CUDART_SQRT_HALF = 0.70710678118654752440;
inline constexpr double CUDART_THIRD = 0.33333333333333333333;
inline constexpr double CUDART_TWOTHIRD = 0.66666666666666666667;
inline constexpr double CUDART_PIO4 = 0.78539816339744830962;
inline constexpr double CUDART_PIO2 = 1.57079632679489661923;
inline constexpr double CUDART_3PIO4 = 2.35619449019234492885;
inline constexpr double CUDART_2_OVER_PI = 0.63661977236758134308;
inline constexpr double CUDART_PI = 3.14159265358979323846;
inline constexpr double CUDART_LN2 = 0.69314718055994530942;
inline constexpr double CUDART_LNT = 2.30258509299404568402;
inline constexpr double CUDART_LNPI = 1.14472988584940017414;
inline constexpr double CUDART_L2E = 1.44269504088896340736;
inline constexpr double CUDART_L2T = 3.32192809488736234787;
inline constexpr double CUDART_LG2 = 0.30102999566398119521;
inline constexpr double CUDART_LGE = 0.43429448190325182765;

#endif
