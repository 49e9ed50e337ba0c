#include <fmt/format.h>

#include "learn/commands/commands.hpp"
#include "learn/core/ctest_options.hpp"
#include "learn/core/error.hpp"
#include "learn/core/process.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {

int test_command(const Context& context, const std::vector<std::string>& ctest_arguments) {
  const BuildTree tree = context.tree();
  std::string ctest = tree.cache_variable("CMAKE_CTEST_COMMAND");
  if (ctest.empty()) ctest = "ctest";
  const std::string help = run_captured({{ctest, "--help"}, {}, {}}).output;
  if (const auto mistake = ctest_mistake(help, ctest_arguments)) throw UsageError(*mistake);
  {
    StatusLine status;
    const BuildProgress bar = status.long_build_bar("everything", "some minutes the first time");
    const BuildResult build = tree.build({tree.has_target("tested") ? "tested" : "all"}, bar);
    status.clear();
    if (!build.ok) {
      fmt::print("{}\n", build.messages);
      throw UsageError("the course does not build; the compiler's messages are above");
    }
  }
  Command command{
      {ctest, "--test-dir", tree.folder().string(), "--output-on-failure", "--no-tests=error"},
      {},
      {}};
  command.argv.insert(command.argv.end(), ctest_arguments.begin(), ctest_arguments.end());
  const Outcome outcome = run_attached(command);
  if (outcome.ok()) return exit_ok;
  return outcome.signal != 0 ? shell_exit_code(outcome) : exit_check_failed;
}

}  // namespace tut::learn
