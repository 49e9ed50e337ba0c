#include "learn/core/build_tree.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "learn/core/error.hpp"
#include "scratch_folder.hpp"

using namespace tut::learn;

TEST_CASE("compiler_messages keeps what the compiler said and nothing of the build tool") {
  const std::string output =
      "ninja: Entering directory `build/cpu'\n"
      "[0/2] Re-checking globbed directories...\n"
      "[1/2] Building CXX object x.cu.o\n"
      "FAILED: chapters/05/x.cu.o \n"
      "/usr/bin/cucc --launcher /usr/bin/c++ -O3 -o x.cu.o -c exercises/x.cu\n"
      "exercises/x.cu: In lambda function:\n"
      "exercises/x.cu:12:3: error: 'tile' was not declared in this scope\n"
      "   12 |   tile[0] = 1;\n"
      "      |   ^~~~\n"
      "ninja: build stopped: subcommand failed.\n";
  CHECK(compiler_messages(output) ==
        "exercises/x.cu:12:3: error: 'tile' was not declared in this scope\n"
        "   12 |   tile[0] = 1;\n"
        "      |   ^~~~\n");
}

TEST_CASE("compiler_messages keeps warnings of a build that works") {
  CHECK(compiler_messages("[1/1] Building x\nx.cu:1:1: warning: unused\n") ==
        "x.cu:1:1: warning: unused\n");
}

TEST_CASE("warnings about a file are told once, with the lines that belong to them") {
  const std::string warning =
      "exercises/x.cpp:7:3: warning: 'sum' is used uninitialized [-Wuninitialized]\n"
      "    7 |   sum += 1;\n"
      "      |   ^~~\n"
      "exercises/x.cpp:6:9: note: 'sum' was declared here\n"
      "    6 |   float sum;\n";
  const std::string function = "exercises/x.cpp: In function 'void f()':\n";
  const std::string other = "common/y.hpp:1:1: warning: unused\n    1 | int y;\n";
  CHECK(warnings_about("exercises/x.cpp", function + warning + other + function + warning) ==
        warning);
  CHECK(warnings_about("exercises/z.cpp", function + warning + other) == "");
  CHECK(warnings_about("exercises/x.cpp", "exercises/x.cpp:7:3: error: no sum\n") == "");
}

TEST_CASE("parse_build_step") {
  CHECK(parse_build_step("[3/12] Linking").total == 12);
  CHECK(parse_build_step("[3/12] Linking").done == 3);
  CHECK(parse_build_step("x.cu:3: error").total == 0);
  CHECK(parse_build_step("[[nodiscard]] int f();").total == 0);
}

TEST_CASE("a build tree knows its targets and cache, and says when it is not set up") {
  const ScratchFolder scratch;
  const BuildTree tree(scratch.path(), scratch.path());
  CHECK_FALSE(tree.configured());
  CHECK_THROWS_WITH_AS(tree.build({"x"}), doctest::Contains("is not set up"), UsageError);

  std::ofstream(scratch.path() / "build.ninja") << "rule r\nbuild ch05_demo: phony bin/ch05_demo\n";
  std::ofstream(scratch.path() / "CMakeCache.txt")
      << "// c\nCMAKE_MAKE_PROGRAM:FILEPATH=/a b/ninja\n";
  CHECK(tree.has_target("ch05_demo"));
  CHECK_FALSE(tree.has_target("ch05"));
  CHECK(tree.cache_variable("CMAKE_MAKE_PROGRAM") == "/a b/ninja");
  CHECK(tree.cache_variable("CMAKE_MAKE") == "");
}

TEST_CASE(
    "whether anything is left to build is known, also where CMake looks for files each time") {
  const ScratchFolder scratch;
  const BuildTree tree(scratch.path(), scratch.path());
  CHECK_FALSE(tree.is_built({"x"}));
  std::ofstream(scratch.path() / "build.ninja")
      << "rule touch\n command = touch $out\n"
         "rule look\n command = true\n generator = 1\n restat = 1\n"
         "build always: phony\nbuild build.ninja: look always\n"
         "build x: touch y\nbuild z: touch\n";
  std::ofstream(scratch.path() / "y") << "";
  std::filesystem::create_directory(scratch.path() / "bin");
  CHECK_FALSE(tree.is_built({"x"}));
  CHECK_FALSE(std::filesystem::exists(scratch.path() / "x"));
  REQUIRE(tree.build({"x"}).ok);
  CHECK(tree.is_built({"x"}));
  CHECK_FALSE(tree.is_built({"x", "z"}));
  CHECK_FALSE(tree.is_built({"no such target"}));
}

TEST_CASE("a build folder that cannot be written is no compiler error") {
  const ScratchFolder scratch;
  const std::filesystem::path build = scratch.path() / "build";
  std::filesystem::create_directories(build / "bin");
  std::ofstream(build / "build.ninja")
      << "rule r\n command = touch $out\nbuild x: r\nbuild bin/y: r\n";
  const BuildTree tree(scratch.path(), build);
  {
    const ReadOnlyFolder closed(build);
    CHECK_THROWS_WITH_AS(tree.build({"x"}),
                         (build.string() + " is not writable (Permission denied); copy the course "
                                           "to a folder of your own")
                             .c_str(),
                         UsageError);
  }
  {
    const ReadOnlyFolder closed(build / "bin");
    CHECK_THROWS_WITH_AS(tree.build({"bin/y"}), doctest::Contains("bin is not writable"),
                         UsageError);
  }
  CHECK(tree.build({"x", "bin/y"}).ok);
  std::filesystem::remove_all(build / "bin");
  std::ofstream(build / "bin") << "a file where the folder should be";
  CHECK_THROWS_WITH_AS(tree.build({"bin/y"}), doctest::Contains("bin is not writable (Not a dir"),
                       UsageError);
}
