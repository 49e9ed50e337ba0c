#include "learn/classroom/bundle.hpp"

#include <doctest/doctest.h>

#include "learn/core/error.hpp"

using namespace tut::learn;

TEST_CASE("students get neither solutions of what is assigned nor versions that try tests") {
  Exercise padded;
  padded.file = "exercises/05_tiling/matmul_padded.cu";
  const std::vector<const Exercise*> assigned = {&padded};
  for (const char* path :
       {"solutions/05_tiling/matmul_padded.cu", "tests/wrong/05_tiling/matmul_padded.edits",
        "tests/right/05_tiling/matmul_padded.flat.cu", "tests/mutants/survivors.json",
        ".github/workflows/ci.yml", "assignment.toml"}) {
    CAPTURE(path);
    CHECK_FALSE(is_for_students(path, assigned));
  }
  for (const char* path :
       {"solutions/05_tiling/matmul_rectangular.cu", "solutions/06_x/matmul_padded.cu",
        "exercises/05_tiling/matmul_padded.cu", "tests/05_tiling/matmul_padded_test.cpp",
        "tests/wrong_version_marks.cmake", "README.md"}) {
    CAPTURE(path);
    CHECK(is_for_students(path, assigned));
  }
}

TEST_CASE("an assignment for students has neither secret nor comment, and all the rest") {
  const std::string text = public_assignment(
      "# the secret is foo\ntitle = \"A # B\"\nsecret = \"\"\"\nfoo\nbar\"\"\"\n"
      "due = 2027-02-12T23:59:00+01:00\n[late]\npercent_per_day = 10\ndays = 3\n"
      "[[exercise]]\nname = \"a\"\npoints = 2.5\n",
      "hw.toml");
  CHECK(text.find("foo") == std::string::npos);
  Course course;
  course.exercises.emplace_back();
  course.exercises[0].name = "a";
  const Assignment read = parse_assignment(text, "public.toml", course);
  CHECK(read.title == "A # B");
  CHECK(read.secret.empty());
  CHECK(read.due);
  CHECK(read.late.days == 3);
  CHECK(read.exercises[0].points == 2.5);
  CHECK_THROWS_WITH_AS(public_assignment("title = =", "hw.toml"), doctest::Contains("hw.toml:1:"),
                       UsageError);
}

TEST_CASE("an answer may call what the solution calls of the course, and nothing is told beyond") {
  const std::string solution =
      "void f() {\n  // a comment names hidden(1)\n  require_shapes(a);\n  ceil_div(n, 2);\n"
      "  my_own_helper(3);\n  DeviceBuffer<float> b(4);\n  if (x) return;\n}\n";
  const std::string stub = "void f() {\n  require_shapes(a);\n}\n";
  const std::vector<std::string> headers = {
      "void require_shapes(int); int ceil_div(int, int);",
      "class DeviceBuffer { DeviceBuffer(int); }; hidden(1);"};
  CHECK(called_names(solution, stub, headers) == "DeviceBuffer\nceil_div\n");
}
