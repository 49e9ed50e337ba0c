#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "learn/commands/commands.hpp"
#include "learn/core/assignment.hpp"
#include "learn/core/ctest_options.hpp"
#include "learn/core/error.hpp"
#include "learn/core/process.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {

namespace {

/// What is built, and what of it is run.
struct TestPlan {
  std::vector<std::string> targets;
  std::string what;
  std::vector<std::string> ctest_arguments;
};

/// Everything; or, in a copy that comes with an assignment, the tests of the chapters assigned,
/// unless it is said which tests to run.
TestPlan plan_of(const Context& context, const std::vector<std::string>& ctest_arguments) {
  const BuildTree tree = context.tree();
  TestPlan plan{{}, "everything", ctest_arguments};
  const std::vector<std::string> chapters = assigned_chapters(context.root);
  if (ctest_arguments.empty()) {
    for (const std::string& chapter : chapters) {
      const std::string target = "tested_" + chapter;
      if (tree.has_target(target)) plan.targets.push_back(target);
    }
  }
  if (plan.targets.empty()) {
    plan.targets.emplace_back(tree.has_target("tested") ? "tested" : "all");
    return plan;
  }
  const std::string all = fmt::format("{}", fmt::join(chapters, ", "));
  plan.what = fmt::format("the tests of chapter{} {}", chapters.size() == 1 ? "" : "s", all);
  plan.ctest_arguments = {"-L", fmt::format("^({})$", fmt::join(chapters, "|"))};
  fmt::print("This copy came with an assignment: {} are run. './learn test -R .' runs all tests.\n",
             plan.what);
  std::fflush(stdout);
  return plan;
}

}  // namespace

int test_command(const Context& context, const std::vector<std::string>& ctest_arguments) {
  const BuildTree tree = context.tree();
  std::string ctest = tree.cache_variable("CMAKE_CTEST_COMMAND");
  if (ctest.empty()) ctest = "ctest";
  const std::string help = run_captured({{ctest, "--help"}, {}, {}}).output;
  if (const auto mistake = ctest_mistake(help, ctest_arguments)) throw UsageError(*mistake);
  const TestPlan plan = plan_of(context, ctest_arguments);
  {
    StatusLine status;
    const BuildProgress bar = tree.is_built(plan.targets)
                                  ? nullptr
                                  : status.long_build_bar(plan.what, "some minutes the first time");
    const BuildResult build = tree.build(plan.targets, bar);
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
  command.argv.insert(command.argv.end(), plan.ctest_arguments.begin(), plan.ctest_arguments.end());
  const Outcome outcome = run_attached(command);
  if (outcome.ok()) return exit_ok;
  return outcome.signal != 0 ? shell_exit_code(outcome) : exit_check_failed;
}

}  // namespace tut::learn
