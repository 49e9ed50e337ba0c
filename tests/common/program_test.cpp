#include "tut/text/program.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

struct Ended {
  int exit_code;
  std::string errors;  ///< what it wrote to stderr
};

/// `program` in a process of its own, whose stdout is the file `out`.
Ended run(const char* out, const std::function<int()>& program) {
  const auto errors =
      std::filesystem::temp_directory_path() / ("program_test." + std::to_string(getpid()));
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (std::freopen(out, "w", stdout) == nullptr) _exit(99);
    if (std::freopen(errors.c_str(), "w", stderr) == nullptr) _exit(99);
    const int code = program();
    std::fflush(stderr);
    _exit(code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  std::ostringstream text;
  text << std::ifstream(errors).rdbuf();
  std::filesystem::remove(errors);
  return {WEXITSTATUS(status), text.str()};
}

int demo(int arguments, const std::function<void()>& body) {
  char name[] = "demo", flag[] = "--frob";
  char* argv[] = {name, flag, nullptr};
  return tut::run_without_arguments("demo", 1 + arguments, argv, body);
}

void print() { std::printf("a result\n"); }

}  // namespace

TEST_CASE("a program whose output arrives ends with 0") {
  const Ended ended = run("/dev/null", [] { return demo(0, print); });
  CHECK(ended.exit_code == 0);
  CHECK(ended.errors.empty());
}

TEST_CASE("a program whose output is lost says so") {
  const Ended ended = run("/dev/full", [] { return demo(0, print); });
  CHECK(ended.exit_code == 1);
  CHECK(ended.errors == "demo: cannot write the output: No space left on device\n");
}

TEST_CASE("output that was lost before the last flush is not forgotten") {
  const Ended ended = run("/dev/full", [] {
    return demo(0, [] {
      print();
      std::fflush(stdout);
    });
  });
  CHECK(ended.exit_code == 1);
  CHECK(ended.errors.starts_with("demo: cannot write the output: "));
}

TEST_CASE("a program without arguments refuses them") {
  const Ended ended = run("/dev/null", [] { return demo(1, print); });
  CHECK(ended.exit_code == 2);
  CHECK(ended.errors == "demo: unexpected argument '--frob': it takes none\n");
}

TEST_CASE("a program that throws ends with its message") {
  const Ended ended =
      run("/dev/null", [] { return demo(0, [] { throw std::runtime_error("no device"); }); });
  CHECK(ended.exit_code == 1);
  CHECK(ended.errors == "demo: no device\n");
}
