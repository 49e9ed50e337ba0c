#pragma once

#include <stdexcept>

namespace tut::learn {

/// Exit codes of every command.
enum ExitCode { exit_ok = 0, exit_check_failed = 1, exit_usage = 2 };

/// Something the user asked for cannot be done, said in one line; the program exits with 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tut::learn
