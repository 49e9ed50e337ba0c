#pragma once

#include <functional>
#include <string>
#include <vector>

#include "learn/core/context.hpp"

namespace tut::learn {

/// A parsed command line: what to do, or what to print and exit with.
struct Invocation {
  std::string backend;                         ///< --backend; empty when not given
  std::function<int(const Context&)> command;  ///< null: print `text` and exit with `exit_code`
  std::string text;
  int exit_code = 0;
};

/// Parses arguments (without the program's name). Help gives its text and exit code 0; a mistake
/// gives one line, with the nearest command where one is near, and exit code 2.
Invocation parse_command_line(std::vector<std::string> arguments);

}  // namespace tut::learn
