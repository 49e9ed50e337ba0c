#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "learn/cli.hpp"
#include "learn/core/error.hpp"

int main(int argc, char** argv) {
  using namespace tut::learn;
  try {
    const Invocation invocation = parse_command_line({argv + 1, argv + argc});
    if (!invocation.command) {
      fmt::print(invocation.exit_code == exit_ok ? stdout : stderr, "{}", invocation.text);
      return invocation.exit_code;
    }
    return invocation.command(find_context(invocation.backend));
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "learn: {}\n", error.what());
    return exit_usage;
  }
}
