/// \file
/// Sources without device code.
#pragma once

#include <string>

#include "driver/driver.hpp"
#include "driver/options.hpp"

namespace simt::rewrite {

/// Compiles a C or C++ source as it is, up to line.stage; returns the compiler's exit status.
int compile_plain(const CommandLine& line, const Installation& installation,
                  const std::string& input, const std::string& output);

}  // namespace simt::rewrite
