/// \file
/// The command line of the tuner.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tut::ch07 {

struct TuneOptions {
  int size = 4096;                  ///< of the square matrices
  std::optional<std::string> json;  ///< where to write the results
  bool help = false;
};

/// Reads the arguments, without the program's name. Throws std::invalid_argument, with one line
/// that names what cannot be used and what was expected.
inline TuneOptions parse_tune_options(std::span<const char* const> arguments, int default_size) {
  TuneOptions options;
  options.size = default_size;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view flag = arguments[i];
    if (flag == "--help") {
      options.help = true;
      continue;
    }
    if (flag != "--size" && flag != "--json") {
      throw std::invalid_argument("unknown argument '" + std::string(flag) +
                                  "'; expected --size N, --json FILE or --help");
    }
    if (i + 1 == arguments.size()) {
      throw std::invalid_argument(std::string(flag) + " needs a value");
    }
    const std::string_view value = arguments[++i];
    if (flag == "--json") {
      options.json = value;
      continue;
    }
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, options.size);
    if (error != std::errc() || stop != end || options.size < 256 || options.size > 32768 ||
        options.size % 256 != 0) {
      throw std::invalid_argument("--size " + std::string(value) +
                                  " cannot be used; expected a multiple of 256 from 256 to 32768");
    }
  }
  return options;
}

}  // namespace tut::ch07
