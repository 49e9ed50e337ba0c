#include <doctest/doctest.h>

#include <cstdlib>
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

TEST_CASE("a solution is known by its marks, and what a learner writes has none") {
  CHECK(has_marks(good));
  CHECK(has_marks("x;\n  //! [bug-race]"));
  CHECK(has_marks("//! [blank-f]\n"));
  CHECK_FALSE(has_marks(project(good)));
  CHECK_FALSE(has_marks(readable_solution(good)));
  CHECK_FALSE(has_marks("//! [stage]\nx; //! [hole-a]\n"));
  CHECK_FALSE(has_marks(""));
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

TEST_CASE("several holes, and everything outside of them") {
  CHECK(project("// a[i] and [0, n)\n\t//! [hole-x]\n\t// X\n\tx;\n\t//! [hole-x]\n"
                "b;  // kept\n//! [hole-y]\n// Y\n//! [hole-y]\nend") ==
        "// a[i] and [0, n)\n\t// TODO: X\nb;  // kept\n// TODO: Y\nend\n");
}

TEST_CASE(
    "whatever looks like a marker and is none is an error: the solution would be in the stub") {
  for (const char* mark : {"//! [hole_result]", "//! [hole result]", "//! [holes-x]",
                           "//! [Hole-x]",      "//![hole-x]",       "// ! [hole-x]",
                           "// [hole-x]",       "/// [hole-x]",      "//! hole-x",
                           "//! [hole-x",       "//! hole-x]",       "//! [todo-x]",
                           "//! [stage]",       "// [stage]",        "//! [bugs-race]",
                           "//! [hole-X]",      "/*! [hole-x] */",   "//! [hole-a b]",
                           "//! [blank_f]",     "//! [hole]",        "//!"}) {
    CAPTURE(mark);
    const std::string expected = ": error: `" + std::string(mark) +
                                 "` is no marker; expected `//! [hole-NAME]`, `//! [bug-KIND]` or "
                                 "`//! [blank-NAME]`, alone on its line";
    const std::string pair = std::string(mark) + "\n// X\nx;\n" + mark + "\n";
    CHECK(error_of(good + pair) == "s.cu:5" + expected);
    CHECK(error_of("  " + pair) == "s.cu:1" + expected);
    // Inside of a hole, too, where it would be taken for an instruction or left out.
    CHECK(error_of("//! [hole-a]\n// A\n" + std::string(mark) + "\n//! [hole-a]\n") ==
          "s.cu:3" + expected);
  }
}

TEST_CASE("what only has brackets is no marker") {
  for (const char* line : {"x[hole];", "f();  // of [0, n)", "// [0, 1] is the range",
                           "// see a[stage]", "// tile[ty][tx]", "g();  // (BM, BK)"}) {
    CAPTURE(line);
    CHECK(project(std::string(line) + "\n" + good) == std::string(line) + "\n// TODO: Do it.\n");
  }
}

TEST_CASE("a line of the stub outside of every hole is an error") {
  CHECK(error_of(std::string("  //> x;\n") + good) ==
        "s.cu:1: error: a line of the stub, `//>`, stands in no hole, bug or blank");
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
        "s.cu:1: error: `//! [hole-a]` is no marker; expected `//! [hole-NAME]`, "
        "`//! [bug-KIND]` or `//! [blank-NAME]`, alone on its line");
}

TEST_CASE("mistakes in the markers of bugs") {
  CHECK(error_of("//! [bug-race]\na;\n") == "s.cu:1: error: bug-race is never closed");
  CHECK(error_of("//! [bug-race]\na;\n//! [hole-a]\n") ==
        "s.cu:3: error: hole-a opens inside bug-race of line 1: they cannot nest");
  CHECK(error_of("//! [bug-race]\n// A\n\n//! [bug-race]\n") ==
        "s.cu:1: error: bug-race changes nothing: expected right code, or the stub's after `//>`");
  CHECK(error_of("//! [bug-]\n") == "s.cu:1: error: a bug needs a kind: `//! [bug-KIND]`");
  CHECK(error_of("//! [bug-raec]\n") ==
        "s.cu:1: error: bug-raec: no bug fails by that; expected one of budget, race, "
        "out-of-bounds, misaligned, overflow, uninitialised, divergent-barrier, invalid-sync, "
        "host-access, use-after-free, leak, unchecked-error");
  CHECK(error_of("//! [bug-values]\n").starts_with("s.cu:1: error: bug-values: no bug fails by"));
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

  // Somebody may have written into it: it stays, unless that is said to be right.
  const auto left = write_stubs(root, stubs, false);
  REQUIRE(left.size() == 1);
  CHECK(left[0].file == "exercises/05_x/stale.cu");
  CHECK(read(root / "exercises/05_x/stale.cu") == "// TODO: Do it!\n");
  CHECK(read(root / "exercises/05_x/missing.cu") == "// TODO: Do it.\n");
  CHECK(write_stubs(root, find_stubs(root), true).empty());
  CHECK(read(root / "exercises/05_x/stale.cu") == "// TODO: Do it.\n");
  CHECK(read(root / "exercises/05_x/missing.cu") == "// TODO: Do it.\n");
  CHECK(fs::exists(root / "exercises/05_x/orphan.cu"));
  fs::remove(root / "exercises/05_x/orphan.cu");
  for (const Stub& stub : find_stubs(root)) CHECK(complaint(stub) == "");
}

TEST_CASE("a stub that a committed or staged solution made is written anew, an edited one is not") {
  const ScratchFolder scratch;
  const fs::path& root = scratch.path();
  const fs::path solution = root / "solutions/05_x/it's.cu", stub = root / "exercises/05_x/it's.cu";
  const auto git = [&](const std::string& words) {
    return std::system(("cd '" + root.string() + "' && git " + words + " >/dev/null 2>&1").c_str());
  };
  const std::string again = "//! [hole-a]\n// Do it again.\ndo_it();\n//! [hole-a]\n";
  write(solution, good);
  write(stub, "// TODO: Do it.\n");
  REQUIRE(git("init") == 0);
  REQUIRE(git("add .") == 0);
  write(solution, again);  // staged: as it was
  CHECK(write_stubs(root, find_stubs(root), false).empty());
  CHECK(read(stub) == "// TODO: Do it again.\n");

  REQUIRE(git("-c user.name=a -c user.email=b commit -m c") == 0);
  write(stub, "// TODO: Do it.\ndo_it();\n");
  CHECK(write_stubs(root, find_stubs(root), false).size() == 1);
  CHECK(read(stub) == "// TODO: Do it.\ndo_it();\n");
  write(stub, "// TODO: Do it.\n");  // as the committed solution makes it
  CHECK(write_stubs(root, find_stubs(root), false).empty());
  CHECK(read(stub) == "// TODO: Do it again.\n");
}

TEST_CASE("only the exercises that are asked for are looked at") {
  const ScratchFolder scratch;
  const fs::path& root = scratch.path();
  write(root / "solutions/05_x/one.cu", good);
  write(root / "solutions/05_x/two.cu", "no marks");
  const auto stubs = find_stubs(root, {"one"});
  REQUIRE(stubs.size() == 1);
  CHECK(complaint(stubs[0]) == "exercises/05_x/one.cu: missing");
  CHECK_THROWS_AS(find_stubs(root), StubError);
}

TEST_CASE("a folder that is not the course is an error") {
  const ScratchFolder scratch;
  CHECK_THROWS_AS(find_stubs(scratch.path()), std::runtime_error);
}

}  // namespace tut::learn
