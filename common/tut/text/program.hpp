#pragma once

#include <functional>
#include <string>

/// What every program's main function has to do.
namespace tut {

/// Writes out what stdout still holds. Where that cannot be written, say on a full disk, it says so
/// in one line on stderr, "PREFIX: cannot write the output: REASON", and returns false.
bool flush_output(const std::string& prefix);

/// Runs a program that takes no arguments, and returns its exit code: 0; 1 after one line on stderr
/// if `body` throws a std::exception or what it printed cannot be written; 2 after one line if
/// there are arguments.
int run_without_arguments(const std::string& program, int argc, char** argv,
                          const std::function<void()>& body);

}  // namespace tut
