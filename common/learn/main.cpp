#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "learn/cli.hpp"
#include "learn/core/error.hpp"
#include "tut/text/program.hpp"

int main(int argc, char** argv) {
  using namespace tut::learn;
  try {
    const Invocation invocation = parse_command_line({argv + 1, argv + argc});
    int code = invocation.exit_code;
    if (invocation.command) {
      code = invocation.command(find_context(invocation.backend));
    } else {
      fmt::print(code == exit_ok ? stdout : stderr, "{}", invocation.text);
    }
    return tut::flush_output("learn") || code != exit_ok ? code : exit_usage;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "learn: {}\n", error.what());
    return exit_usage;
  }
}
