#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "learn/stubs/projection.hpp"
#include "learn/stubs/stub_tree.hpp"
#include "scratch_folder.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

std::string project(const std::string& solution) { return project_stub(solution, "s.cu"); }

std::string error_of(const std::string& solution) {
  try {
    project(solution);
  } catch (const StubError& error) {
    return error.what();
  }
  return "no error";
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

constexpr const char* good = "//! [hole-a]\n// Do it.\ndo_it();\n//! [hole-a]\n";

}  // namespace

TEST_CASE("a hole keeps its comments, the first as TODO, and loses its code and markers") {
  CHECK(project("void f() {\n"
                "  //! [hole-stage]\n"
                "  // Stage one tile;\n"
                "  // write 0 outside.\n"
                "  tile[0] = 1;  // done\n"
                "  //! [hole-stage]\n"
                "}\n") ==
        "void f() {\n"
        "  // TODO: Stage one tile;\n"
        "  // write 0 outside.\n"
        "}\n");
}

TEST_CASE("a blank keeps the stub's lines alone") {
  CHECK(project("#include \"f.hpp\"\n"
                "//! [blank-f]\n"
                "// How it works.\n"
                "void helper() {}\n"
                "/* and a block comment */\n"
                "void f() {\n"
                "  helper();\n"
                "}\n"
                "//> void f() {\n"
                "//>   // TODO: All of it.\n"
                "//> }\n"
                "//! [blank-f]\n") ==
        "#include \"f.hpp\"\n"
        "void f() {\n"
        "  // TODO: All of it.\n"
        "}\n");
  CHECK(error_of("//! [blank-f]\nvoid f() {}\n//! [blank-f]\n") ==
        "s.cu:1: error: blank-f leaves nothing: expected the stub's lines after `//>`");
}

TEST_CASE("a solution to read has neither marks nor the stub's lines") {
  CHECK(readable_solution("//! [bug-race]\n"
                          "//> // It has a bug.\n"
                          "//! [bug-race]\n"
                          "\n"
                          "void f() {\n"
                          "  //! [stage]\n"
                          "  //! [hole-stage]\n"
                          "  // Stage one tile.\n"
                          "  tile[0] = 1;  //! is no mark\n"
                          "  //! [hole-stage]\n"
                          "\n"
                          "  //! [stage]\n"
                          "\n"
                          "  //> return 0;\n"
                          "}") ==
        "void f() {\n"
        "  // Stage one tile.\n"
        "  tile[0] = 1;  //! is no mark\n"
        "\n"
        "}\n");
}

TEST_CASE("no solution of the course shows a mark") {
  int read_ones = 0;
  // A copy that comes with an assignment may be without any.
  if (!fs::exists(fs::path(TUT_SOURCE_DIR) / "solutions")) return;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(TUT_SOURCE_DIR) / "solutions")) {
    if (!entry.is_regular_file()) continue;
    const std::string solution = read(entry.path());
    const std::string text = readable_solution(solution);
    CAPTURE(entry.path().string());
    CHECK(text.find("//! [") == std::string::npos);
    CHECK(text.find("//>") == std::string::npos);
    CHECK(text.size() > solution.size() / 2);
    ++read_ones;
  }
  CHECK(read_ones > 0);
}

TEST_CASE("comments in nested code move to the indentation of the hole") {
  CHECK(project("    //! [hole-a]\n"
                "    // One.\n"
                "    for (;;) {\n"
                "      // Two.\n"
                "    }\n"
                "\n"
                "    //! [hole-a]\n") == "    // TODO: One.\n    // Two.\n");
}

TEST_CASE("several holes, and everything outside of them, other markers included") {
  CHECK(project("// a\n//! [snippet]\n\t//! [hole-x]\n\t// X\n\tx;\n\t//! [hole-x]\n//! [snippet]\n"
                "b;  // kept\n//! [hole-y]\n// Y\n//! [hole-y]\nend") ==
        "// a\n//! [snippet]\n\t// TODO: X\n//! [snippet]\nb;  // kept\n// TODO: Y\nend\n");
}

TEST_CASE("markers of snippets inside a hole are no comments") {
  CHECK(project("//! [hole-x]\n// X\n//! [inner]\nx;\n//! [inner]\n//! [hole-x]\n") ==
        "// TODO: X\n");
}

TEST_CASE("code that only the stub has") {
  CHECK(project(
            "  //! [hole-x]\n  // Find the bug.\n  //>for (;;) {\n  //>   x = 1;\n  //>\n  y = 2;\n"
            "  //! [hole-x]\n") == "  // TODO: Find the bug.\n  for (;;) {\n    x = 1;\n\n");
}

TEST_CASE("a bug: the stub has its lines in place of the right code and what is said of that") {
  CHECK(project("void f() {\n"
                "  //! [bug-race]\n"
                "  //> // Right, but not always.\n"
                "  //! [bug-race]\n"
                "  x[i] = 1;\n"
                "  //! [bug-race]\n"
                "  // All have written.\n"
                "  __syncthreads();\n"
                "  //>if (i > 0) {\n"
                "  //>   y[i] = x[i - 1];\n"
                "  //! [bug-race]\n"
                "}\n") ==
        "void f() {\n"
        "  // Right, but not always.\n"
        "  x[i] = 1;\n"
        "  if (i > 0) {\n"
        "    y[i] = x[i - 1];\n"
        "}\n");
}

TEST_CASE("a bug of code that is missing leaves no trace, and a hole may stand beside it") {
  CHECK(project("//! [bug-divergent-barrier]\n__syncthreads();\n//! [bug-divergent-barrier]\n"
                "//! [hole-x]\n// X\nx;\n//! [hole-x]\n") == "// TODO: X\n");
}

TEST_CASE("each mistake in the markers is one line that says where and what") {
  CHECK(error_of("a;\n") ==
        "s.cu:1: error: no hole and no bug: expected code between two lines `//! [hole-NAME]`, "
        "`//! [bug-KIND]` or `//! [blank-NAME]`");
  CHECK(error_of("\n//! [hole-a]\n// A\n") == "s.cu:2: error: hole-a is never closed");
  CHECK(error_of("//! [hole-a]\n// A\n//! [hole-b]\n//! [hole-b]\n//! [hole-a]\n") ==
        "s.cu:3: error: hole-b opens inside hole-a of line 1: they cannot nest");
  CHECK(error_of(std::string(good) + good) ==
        "s.cu:5: error: hole-a is there twice: every hole needs a name of its own");
  CHECK(error_of("//! [hole-a]\na;\n//! [hole-a]\n") ==
        "s.cu:1: error: hole-a has no comment: expected the exercise's instructions");
  CHECK(error_of("//! [hole-a]\n/* A */\n//! [hole-a]\n") ==
        "s.cu:2: error: a block comment in hole-a: expected // comments");
  CHECK(error_of("//! [hole-]\n") == "s.cu:1: error: a hole needs a name: `//! [hole-NAME]`");
  CHECK(error_of("a; //! [hole-a]\n") ==
        "s.cu:1: error: a hole marker stands alone on its line, as in `//! [hole-NAME]`");
}

TEST_CASE("mistakes in the markers of bugs") {
  CHECK(error_of("//! [bug-race]\na;\n") == "s.cu:1: error: bug-race is never closed");
  CHECK(error_of("//! [bug-race]\na;\n//! [hole-a]\n") ==
        "s.cu:3: error: hole-a opens inside bug-race of line 1: they cannot nest");
  CHECK(error_of("//! [bug-race]\n// A\n\n//! [bug-race]\n") ==
        "s.cu:1: error: bug-race changes nothing: expected right code, or the stub's after `//>`");
  CHECK(error_of("//! [bug-]\n") == "s.cu:1: error: a bug needs a kind: `//! [bug-KIND]`");
  CHECK(error_of("a; //! [bug-race]\n") ==
        "s.cu:1: error: a bug marker stands alone on its line, as in `//! [bug-KIND]`");
}

TEST_CASE("a tree of solutions: current, stale, missing and orphaned stubs are told apart") {
  const ScratchFolder scratch;
  const fs::path& root = scratch.path();
  for (const char* name : {"current", "missing", "stale"}) {
    write(root / "solutions/05_x" / (std::string(name) + ".cu"), good);
  }
  write(root / "exercises/05_x/current.cu", "// TODO: Do it.\n");
  write(root / "exercises/05_x/stale.cu", "// TODO: Do it!\n");
  write(root / "exercises/05_x/orphan.cu", "");
  write(root / "exercises/course.toml", "not a source");

  const auto stubs = find_stubs(root);
  REQUIRE(stubs.size() == 4);
  CHECK(complaint(stubs[0]) == "");
  CHECK(complaint(stubs[1]) == "exercises/05_x/missing.cu: missing");
  CHECK(complaint(stubs[2]) ==
        "exercises/05_x/stale.cu: stale: differs from what its solution makes of it");
  CHECK(complaint(stubs[3]) == "exercises/05_x/orphan.cu: has no solution");

  write_stubs(root, stubs);
  CHECK(read(root / "exercises/05_x/stale.cu") == "// TODO: Do it.\n");
  CHECK(read(root / "exercises/05_x/missing.cu") == "// TODO: Do it.\n");
  CHECK(fs::exists(root / "exercises/05_x/orphan.cu"));
  fs::remove(root / "exercises/05_x/orphan.cu");
  for (const Stub& stub : find_stubs(root)) CHECK(complaint(stub) == "");
}

TEST_CASE("a folder that is not the course is an error") {
  const ScratchFolder scratch;
  CHECK_THROWS_AS(find_stubs(scratch.path()), std::runtime_error);
}

}  // namespace tut::learn
