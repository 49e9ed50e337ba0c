/// @file
/// The simulated device: the figures of compute capability 9.0, with few multiprocessors.
#ifndef SIMT_RUNTIME_DEVICE_LIMITS_HPP
#define SIMT_RUNTIME_DEVICE_LIMITS_HPP

#include <cstddef>

namespace simt::detail {

inline constexpr unsigned kMultiprocessors = 4;
inline constexpr unsigned kThreadsPerMultiprocessor = 2048;
inline constexpr unsigned kBlocksPerMultiprocessor = 32;
inline constexpr unsigned kThreadsPerBlock = 1024;
inline constexpr std::size_t kPortableCluster = 8, kBlocksOfCluster = 16;
inline constexpr unsigned kBlockDepth = 64;  // the largest blockDim.z
inline constexpr unsigned kGridWidth = 2147483647;
inline constexpr unsigned kGridHeight = 65535;  // and depth

inline constexpr std::size_t kSharedPerBlock = 48 * 1024;
inline constexpr std::size_t kSharedOptIn = 227 * 1024;
inline constexpr std::size_t kSharedReserved = 1024;  // of each block, by the system
inline constexpr std::size_t kSharedPerMultiprocessor = 228 * 1024;
inline constexpr std::size_t kSharedCapacity = 228 * 1024;  // what is mapped for a block

inline constexpr std::size_t kConstantMemory = 64 * 1024;
inline constexpr int kVersion = 13000;

/// The value of every byte that was never written: NaN, read as a float.
inline constexpr int kUninitialised = 0xFF;

/// The host's pages.
inline constexpr std::size_t kPage = 4096;

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace simt::detail

#endif
