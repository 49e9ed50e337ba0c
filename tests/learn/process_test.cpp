#include "learn/core/process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <vector>

#include "learn/core/error.hpp"

using namespace tut::learn;

namespace {
Command shell(const std::string& script) { return {{"/bin/sh", "-c", script}, {}, {}}; }
}  // namespace

TEST_CASE("run_captured keeps both streams in order, the exit code and the lines") {
  std::vector<std::string> lines;
  const Outcome outcome = run_captured(shell("echo one; echo two >&2; printf three; exit 3"), {},
                                       [&](std::string_view line) { lines.emplace_back(line); });
  CHECK(outcome.output == "one\ntwo\nthree");
  CHECK(outcome.exit_code == 3);
  CHECK_FALSE(outcome.ok());
  CHECK(lines == std::vector<std::string>{"one", "two"});
  CHECK(shell_exit_code(outcome) == 3);
}

TEST_CASE("run_captured tells a signal from an exit code") {
  const Outcome outcome = run_captured(shell("kill -SEGV $$"));
  CHECK(outcome.signal == SIGSEGV);
  CHECK(outcome.exit_code == -1);
  CHECK_FALSE(outcome.ok());
  CHECK(shell_exit_code(outcome) == 128 + SIGSEGV);
}

TEST_CASE("run_captured kills what runs too long and keeps what it had said") {
  const Outcome outcome = run_captured(shell("echo begun; exec sleep 36000"), {.seconds = 5});
  CHECK(outcome.timed_out);
  CHECK_FALSE(outcome.ok());
  CHECK(outcome.output == "begun\n");
}

TEST_CASE("run_captured drops output past the limit and says so") {
  const Outcome outcome = run_captured(
      shell("i=0; while [ $i -lt 100 ]; do echo 0123456789; i=$((i+1)); done"), {.bytes = 55});
  CHECK(outcome.truncated);
  CHECK(outcome.output.size() == 55);
  CHECK(outcome.ok());
}

TEST_CASE("arguments, folder and environment arrive unchanged") {
  Command command = shell("pwd; printf '%s' \"$1|$LEARN_TEST_VALUE\"");
  command.argv.insert(command.argv.end(), {"sh", "a b\"c"});
  command.folder = "/";
  command.environment = {{"LEARN_TEST_VALUE", "x y"}};
  CHECK(run_captured(command).output == "/\na b\"c|x y");
}

TEST_CASE("a program that is not there is one line") {
  CHECK_THROWS_WITH_AS(run_captured({{"/no/such/program"}, {}, {}}),
                       "cannot run /no/such/program: No such file or directory", UsageError);
  CHECK(find_program("sh").has_value());
  CHECK_FALSE(find_program("no_such_program_anywhere").has_value());
}
