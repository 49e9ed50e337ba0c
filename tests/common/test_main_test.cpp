// What a test program says and how it exits. The probes are tests that fail, so they are skipped
// unless this program runs itself on one of them.

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "tut/compare/case_summary.hpp"
#include "tut/testing/outcome.hpp"
#include "tut/trial/call_failure.hpp"

namespace tut {
namespace {

TEST_CASE("probe: passes" * doctest::skip()) { CHECK(true); }
TEST_CASE("probe: a plain check fails" * doctest::skip()) { CHECK(false); }
TEST_CASE("probe: throws" * doctest::skip()) { throw std::runtime_error("no"); }
TEST_CASE("probe: an outcome fails" * doctest::skip()) { expect(failure("budget", "too much")); }
Outcome noted(const std::string& text, Outcome outcome) {
  note_case(text);
  return outcome;
}
TEST_CASE("probe: one of two cases fails" * doctest::skip()) {
  expect(noted("n = 3", {}));
  expect(noted("n = 4", failure("values", "out is wrong (n = 4)")));
}
TEST_CASE("probe: a single element is wrong and then more" * doctest::skip()) {
  expect(noted("n = 1", failure("values", "out: expected 1, got 2 (n = 1)")));
  expect(noted("n = 4", failure("values", "out: 4 of 4 are wrong (n = 4)\n  all of it")));
  expect(noted("n = 2", {}));
}
TEST_CASE("probe: a launch fails and a value follows" * doctest::skip()) {
  expect(failure("launch", "a launch was refused (n = 3)"));
  expect(noted("n = 4", {}));
  expect(noted("n = 5", failure("values", "out is wrong (n = 5)")));
}
TEST_CASE("probe: an uncaught error of CUDA" * doctest::skip()) {
  throw std::runtime_error("cudaErrorInvalidValue: invalid argument (file:1)");
}
void keep_one() {
  keep_failure({"state", "two calls share memory"});
  note_case_of_kept_failure(" (n = 3)");
}
TEST_CASE("probe: a failure is kept and the values are right" * doctest::skip()) {
  keep_one();
  expect({});
}
TEST_CASE("probe: a failure is kept and the values are wrong" * doctest::skip()) {
  keep_one();
  expect(failure("values", "out is wrong (n = 3)"));
  expect({});
}
TEST_CASE("probe: a failure is kept and nothing judged" * doctest::skip()) { keep_one(); }
TEST_CASE("probe: no device" * doctest::skip()) {
  throw std::runtime_error("cudaErrorNoDevice: no CUDA-capable device is detected (file:1)");
}
TEST_CASE("probe: no device and a wrong value" * doctest::skip()) {
  CHECK(false);
  throw std::runtime_error("cudaErrorNoDevice: no CUDA-capable device is detected (file:1)");
}

struct Run {
  int status = -1;
  std::string output;
};

Run run_probe(const std::string& name) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "'" + program + "' --no-skip --test-case='probe: " + name + "' 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Run run;
  char buffer[4096];
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) run.output += buffer;
  run.status = WEXITSTATUS(pclose(pipe));
  return run;
}

bool has_line(const Run& run, const std::string& line) {
  INFO(run.output);
  return run.output.find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("a program that passes exits 0 and names no kind") {
  const Run run = run_probe("passes");
  CHECK(run.status == 0);
  CHECK(run.output.find("kind:") == std::string::npos);
}

TEST_CASE("every failure exits 1 with exactly one kind") {
  struct Probe {
    const char* name;
    const char* kind;
  };
  for (const Probe& probe :
       {Probe{"a plain check fails", "values"}, Probe{"throws", "values"},
        Probe{"an outcome fails", "budget"}, Probe{"an uncaught error of CUDA", "launch"}}) {
    CAPTURE(probe.name);
    const Run run = run_probe(probe.name);
    CHECK(run.status == 1);
    CHECK(has_line(run, std::string("kind: ") + probe.kind));
    CHECK(run.output.find("kind: ") == run.output.rfind("kind: "));
  }
}

TEST_CASE("a program says at its end which cases are wrong, unless it is no matter of cases") {
  CHECK(has_line(run_probe("one of two cases fails"), "  right on 1 of 2 cases; wrong: this one"));
  CHECK(has_line(run_probe("a single element is wrong and then more"),
                 "  right on 1 of 3 cases; also wrong: n = 1"));
  const Run launch = run_probe("a launch fails and a value follows");
  CHECK(has_line(launch, "kind: launch"));
  CHECK(launch.output.find("right on") == std::string::npos);
}

TEST_CASE("a failure that is kept is told if the values are right, or never judged") {
  for (const char* const name :
       {"a failure is kept and the values are right", "a failure is kept and nothing judged"}) {
    const Run run = run_probe(name);
    CHECK(run.status == 1);
    CHECK(run.output.find("two calls share memory (n = 3)") != std::string::npos);
    CHECK(has_line(run, "kind: state"));
  }
  const Run wrong = run_probe("a failure is kept and the values are wrong");
  CHECK(wrong.status == 1);
  CHECK(has_line(wrong, "kind: values"));
  CHECK(wrong.output.find("two calls share memory") == std::string::npos);
}

TEST_CASE("a machine without a device skips, unless something else is wrong too") {
  const Run skipped = run_probe("no device");
  CHECK(skipped.status == 77);
  CHECK(has_line(skipped, "skipped: this machine has no CUDA device, so nothing was checked"));
  CHECK(run_probe("no device and a wrong value").status == 1);
}

}  // namespace
}  // namespace tut
