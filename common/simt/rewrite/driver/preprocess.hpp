/// \file
/// The first step of a compilation: the source as the preprocessor leaves it, for host and device.
#pragma once

#include <string>
#include <vector>

#include "driver/compile.hpp"

namespace simt::rewrite {

using Command = std::vector<std::string>;

inline void append(Command& to, const Command& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The source, preprocessed for both sides.
struct Preprocessed {
  std::string host;
  std::string device;  ///< empty: as the host's
  /// What is to be said of headers of CUDA's that are not here. With any, the program does not
  /// compile, and the rest is there to find what else it uses.
  std::string missing;
};

/// Preprocesses; 0, or an exit status with messages on standard error.
int preprocess_both(const CompileJob& job, Preprocessed& source);

/// -E: what the host sees and, where that is something else, what the device does, so that a tool
/// that compares preprocessed sources, as ccache does, compares all of it.
int show_preprocessed(const CompileJob& job);

}  // namespace simt::rewrite
