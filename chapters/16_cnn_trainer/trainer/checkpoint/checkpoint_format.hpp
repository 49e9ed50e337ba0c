#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "16_cnn_trainer/trainer/checkpoint/checkpoint.hpp"

// What writing and reading a checkpoint agree on.
namespace tut::ch16::format {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

inline constexpr std::string_view kMagic = "TUT-CKPT";
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = 8 + 4 + 8;
inline constexpr std::size_t kChecksumBytes = 4;
inline constexpr std::size_t kMaxText = 64 << 10;
inline constexpr std::size_t kMaxName = 64;
inline constexpr std::size_t kMaxArrays = 64;
inline constexpr std::size_t kMaxOptions = 256;
inline constexpr std::uint64_t kMaxEpochs = 1u << 30;
// Enough for four arrays of the largest network.
inline constexpr std::uint64_t kMaxBytes = 5 * sizeof(float) * kMaxParameters;

/// Whether this can be the name of an array or the key of an option.
bool is_name(std::string_view text);
/// Whether this can be the value of an option: one line, nothing that a terminal would obey.
bool is_value(std::string_view text);
/// Whether this can be the scale of the loss.
bool is_scale(float scale);

}  // namespace tut::ch16::format
