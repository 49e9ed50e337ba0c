#include "learn/classroom/sandbox.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../learn/scratch_folder.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"

using namespace tut::learn;
namespace fs = std::filesystem;

namespace {

/// A made-up course whose sandbox is tried with shell commands.
class Box {
 public:
  Box() {
    context_.root = folder_.path() / "course";
    context_.build_folder = context_.root / "build/cpu";
    for (const char* file :
         {"solutions/03/reverse.cu", "tests/03/reverse_test.cpp", "exercises/03/reverse.cu",
          "exercises/03/clamp.cu", "chapters/03/reverse.hpp", ".git/config", ".learn/progress",
          "build/cpu/bin/cucc", "build/cpu/secret.o", "exercises/course.toml"}) {
      fs::create_directories((context_.root / file).parent_path());
      std::ofstream(context_.root / file) << file;
    }
    fs::permissions(folder_.path(), fs::perms{0755});
  }

  /// Nothing where this machine has no bubblewrap that works.
  std::optional<Outcome> run(const std::string& script, SandboxLimits limits = {},
                             bool may_write = false,
                             SandboxView view = SandboxView::sources) const {
    try {
      const Isolation isolation(context_, false);
      const Sandbox box(isolation, source_, "// handed in\n");
      return box.run({.argv = {"/bin/sh", "-c", script},
                      .folder = context_.root,
                      .environment = {{"PATH", "/usr/bin:/bin"}},
                      .view = view,
                      .may_write = may_write,
                      .channel = -1,
                      .limits = limits});
    } catch (const UsageError& error) {
      MESSAGE("not tried: ", error.what());
      return std::nullopt;
    }
  }
  std::string says(const std::string& script, SandboxView view = SandboxView::sources) const {
    const auto outcome = run(script, {}, false, view);
    return outcome ? outcome->output : "";
  }
  bool works() const { return run("true").has_value(); }
  const Context& context() const { return context_; }

  /// Tries this file from now on, absolute in a course of one's own.
  void take(const fs::path& source) { source_ = source; }

 private:
  ScratchFolder folder_;
  fs::path source_ = "exercises/03/reverse.cu";
  Context context_;
};

}  // namespace

TEST_CASE(
    "in the sandbox the submission stands in its place, and what it must not read is not there") {
  const Box box;
  if (!box.works()) return;
  CHECK(box.says("cat exercises/03/reverse.cu") == "// handed in\n");
  CHECK(box.says("cat chapters/03/reverse.hpp") == "chapters/03/reverse.hpp");
  CHECK(box.says("cat exercises/course.toml") == "exercises/course.toml");
  CHECK(box.says("cat build/cpu/bin/cucc") == "build/cpu/bin/cucc");
  for (const char* file :
       {"solutions/03/reverse.cu", "tests/03/reverse_test.cpp", "exercises/03/clamp.cu",
        ".git/config", ".learn/progress", "build/cpu/secret.o", "/etc/passwd", "/dev/zero"}) {
    INFO(std::string(file));
    CHECK(box.says("cat " + std::string(file) + " 2>/dev/null && echo read").empty());
  }
  CHECK(box.says("cat build/cpu/secret.o", SandboxView::built) == "build/cpu/secret.o");
}

TEST_CASE(
    "a course of one's own is seen as the course is, though nobody else may enter its folder") {
  Box box;
  if (!box.works()) return;
  const ScratchFolder folder;
  const fs::path own = fs::canonical(folder.path());
  for (const char* file :
       {"solutions/21/own.cu", "tests/21/own_test.cpp", "exercises/21/own.cu",
        "exercises/21/other.cu", "chapters/21/own.hpp", "exercises/course.toml"}) {
    fs::create_directories((own / file).parent_path());
    std::ofstream(own / file) << file;
  }
  fs::permissions(own, fs::perms{0700});
  setenv("LEARN_COURSE_PATH", own.c_str(), 1);
  box.take(own / "exercises/21/own.cu");
  const auto place = [&](const std::string& file) { return "'" + (own / file).string() + "'"; };
  CHECK(box.says("cat " + place("exercises/21/own.cu")) == "// handed in\n");
  CHECK(box.says("cat " + place("chapters/21/own.hpp")) == "chapters/21/own.hpp");
  CHECK(box.says("cat " + place("exercises/course.toml")) == "exercises/course.toml");
  for (const char* file :
       {"solutions/21/own.cu", "tests/21/own_test.cpp", "exercises/21/other.cu"}) {
    INFO(std::string(file));
    CHECK(box.says("cat " + place(file) + " 2>/dev/null && echo read").empty());
  }
  CHECK_FALSE(box.run("echo 1 > " + place("chapters/x"))->ok());
  CHECK_FALSE(box.run("echo 1 > " + place("exercises/21/own.cu"))->ok());
  unsetenv("LEARN_COURSE_PATH");
}

TEST_CASE("nothing can be written but in /tmp, and in the private folder where that is wanted") {
  const Box box;
  if (!box.works()) return;
  for (const char* place : {"/x", "/grade/x", "chapters/x", "exercises/x",
                            "exercises/03/reverse.cu", "build/x", "/usr/x", "/dev/x"}) {
    INFO(std::string(place));
    CHECK_FALSE(box.run("echo 1 > " + std::string(place))->ok());
  }
  CHECK(box.run("echo 1 > /tmp/x")->ok());
  CHECK(box.run("echo 1 > /grade/x", {}, true)->ok());
  CHECK(read_file(box.context().root / "exercises/03/reverse.cu") == "exercises/03/reverse.cu");
}

TEST_CASE("the environment is empty, nobody else's processes are seen, and there is no network") {
  const Box box;
  if (!box.works()) return;
  setenv("LEARN_TEST_SECRET", "1", 1);
  CHECK(box.says("env").find("LEARN_TEST_SECRET") == std::string::npos);
  CHECK(box.says("ls -d /proc/" + std::to_string(getpid()) + " 2>/dev/null && echo seen").empty());
  CHECK(box.says("cat /proc/net/dev").find("eth") == std::string::npos);
}

TEST_CASE("what takes too much is stopped, and says of what") {
  const Box box;
  if (!box.works()) return;
  CHECK(box.run("while :; do :; done", {.seconds = 1})->timed_out);
  CHECK(box.run("sleep 100", {.seconds = 1})->timed_out);
  CHECK(box.run("while :; do echo 0123456789; done", {.output_bytes = 100000})->truncated);
  const Outcome big = *box.run("head -c 300000000 /dev/urandom | tail -c 250000000 | wc -c",
                               {.memory_bytes = std::size_t{100} << 20});
  CHECK(big.over_memory);
  CHECK_FALSE(box.run("head -c 200000 /dev/urandom > /tmp/x", {.file_bytes = 100000})->ok());
  CHECK(box.run("head -c 50000 /dev/urandom > /tmp/x", {.file_bytes = 100000})->ok());
}

TEST_CASE("who is stopped by the kernel is told why, too, as happens where nobody looks in time") {
  const Box box;
  if (!box.works()) return;
  const SandboxLimits limits{.seconds = 20, .file_bytes = 3 << 20};
  const auto excess_of = [&](const char* script) {
    return excess(*box.run(script, limits), limits);
  };
  CHECK(excess_of("ulimit -S -t 1; while :; do :; done") ==
        "more than 20 s of work, or of waiting");
  CHECK(excess_of("exec head -c 4000000 /dev/urandom > /tmp/x") == "a file of more than 3 MiB");
  CHECK(excess_of("kill -KILL $$").find("memory") != std::string::npos);
  for (const char* script : {"true", "exit 1", "kill -SEGV $$", "ulimit -S -t 1; true"}) {
    INFO(std::string(script));
    CHECK(excess_of(script).empty());
  }
}

TEST_CASE("a fork bomb stays small, and goes") {
  const Box box;
  if (!box.works()) return;
  const Outcome bomb = *box.run("f() { f | f & }; f; sleep 100", {.seconds = 2, .processes = 16});
  CHECK((bomb.timed_out || bomb.over_processes || !bomb.ok()));
  CHECK(box.run("true")->ok());
}
