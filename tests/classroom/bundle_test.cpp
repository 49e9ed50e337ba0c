#include "learn/classroom/bundle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "../learn/scratch_folder.hpp"
#include "learn/classroom/assignment_page.hpp"
#include "learn/classroom/own_exercises.hpp"
#include "learn/core/error.hpp"

using namespace tut::learn;

namespace {

/// A course of an instructor's, with an exercise in a chapter of the course and one in a chapter of
/// its own.
class OwnCourse {
 public:
  OwnCourse() {
    put("chapters/05_tiling/README.md", "# A few words\n");
    put("chapters/05_tiling/spread.hpp", "void spread();\n");
    put("chapters/21_extras/README.md", "# Extras\n");
    put("chapters/21_extras/warm_up.hpp", "void warm_up();\n");
    for (const char* test : {"05_tiling/spread_test.cpp", "05_tiling/case.hpp",
                             "05_tiling/other_test.cpp", "21_extras/warm_up_test.cpp"}) {
      put(std::string("tests/") + test, test);
    }
    put("tests/wrong/05_tiling/spread.edits", "=== a\n");
    put("exercises/course.toml",
        "[[exercise]]\nchapter = 5\nname = \"spread\"\nhints = [\"A # B\"]\n[exercise.budget]\n"
        "total_bytes = 1.1\n[[exercise]]\nchapter = 21\nname = \"warm_up\"\n"
        "[[chapter]]\nnumber = 21\nneeds = \"sm_80\"\n");
    spread = exercise("spread", "05_tiling");
    warm_up = exercise("warm_up", "21_extras");
  }
  void put(const std::string& place, const std::string& text) const {
    const std::filesystem::path file = folder.path() / place;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  ScratchFolder folder;
  Exercise spread, warm_up;

 private:
  Exercise exercise(const std::string& name, const std::string& chapter) const {
    Exercise made;
    made.name = name;
    made.chapter = std::stoi(chapter);
    made.course = folder.path();
    made.file = folder.path() / "exercises" / chapter / (name + ".cu");
    return made;
  }
};

std::vector<PackedFile> course_files() {
  return {{"chapters/05_tiling/CMakeLists.txt", "tut_add_chapter(05_tiling)\n"},
          {"chapters/05_tiling/README.md", "# Tiling\n"},
          {"exercises/course.toml",
           "[[exercise]]\nchapter = 5\nname = \"padded\"\n[[exercise]]\nchapter = 6\n"
           "name = \"total\"\n"}};
}

std::vector<std::string> names_of(const std::vector<PackedFile>& files) {
  std::vector<std::string> names;
  for (const PackedFile& file : files) names.push_back(file.name);
  std::ranges::sort(names);
  return names;
}

std::string content_of(const std::vector<PackedFile>& files, const std::string& name) {
  return std::ranges::find(files, name, &PackedFile::name)->content;
}

}  // namespace

TEST_CASE("an exercise of an own course is one of the course's in a bundle") {
  const OwnCourse own;
  std::vector<PackedFile> files = course_files();
  add_own_exercises({&own.spread, &own.warm_up}, files);
  CHECK(names_of(files) == std::vector<std::string>{
                               "chapters/05_tiling/CMakeLists.txt", "chapters/05_tiling/README.md",
                               "chapters/05_tiling/spread.hpp", "chapters/21_extras/CMakeLists.txt",
                               "chapters/21_extras/README.md", "chapters/21_extras/warm_up.hpp",
                               "exercises/course.toml", "tests/05_tiling/case.hpp",
                               "tests/05_tiling/spread_test.cpp",
                               "tests/21_extras/warm_up_test.cpp"});
  CHECK(content_of(files, "chapters/21_extras/CMakeLists.txt") == "tut_add_chapter(21_extras)\n");
  CHECK(content_of(files, "chapters/05_tiling/README.md") == "# Tiling\n");
}

TEST_CASE("its entry stands behind those of its chapter") {
  const OwnCourse own;
  std::vector<PackedFile> files = course_files();
  add_own_exercises({&own.warm_up, &own.spread}, files);
  const std::string text = content_of(files, "exercises/course.toml");
  std::vector<std::size_t> places;
  for (const char* name : {"padded", "spread", "total", "warm_up"}) {
    places.push_back(text.find(name));
    CHECK(places.back() != std::string::npos);
  }
  CHECK(std::ranges::is_sorted(places));
  CHECK(text.find("A # B") != std::string::npos);
  CHECK(text.find("[exercise.budget]") != std::string::npos);
  CHECK(text.find("sm_80") != std::string::npos);
}

TEST_CASE("a course's own exercises leave a bundle as it is, and no file is replaced") {
  const OwnCourse own;
  Exercise padded;
  padded.name = "padded";
  padded.file = "exercises/05_tiling/padded.cu";
  std::vector<PackedFile> files = course_files();
  add_own_exercises({&padded}, files);
  CHECK(names_of(files) == names_of(course_files()));
  CHECK(content_of(files, "exercises/course.toml") ==
        content_of(course_files(), "exercises/course.toml"));
  files.push_back({"tests/05_tiling/case.hpp", "another"});
  CHECK_THROWS_WITH_AS(add_own_exercises({&own.spread}, files),
                       doctest::Contains("the course has a file tests/05_tiling/case.hpp, too"),
                       UsageError);
}

TEST_CASE(
    "an own course in a git checkout is handed out as it is committed, and elsewhere as it is") {
  const OwnCourse own;
  own.put("solutions/05_tiling/spread.cu", "void spread() {}\n");
  const auto git = [&](const std::string& words) {
    const std::string command = "git -C '" + own.folder.path().string() +
                                "' -c user.name=t -c user.email=t@example.org " + words +
                                " >/dev/null 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
  };
  std::vector<PackedFile> files;
  const auto bundle = [&] {
    files = course_files();
    return add_own_exercises({&own.spread}, files);
  };
  CHECK(bundle().size() == 4);  // the lesson, the contract, the test and what tests share
  CHECK(bundle()[0].ends_with("/chapters/05_tiling/README.md"));
  const auto refused = [&](const std::string& file) {
    CHECK_THROWS_WITH_AS((void)bundle(), doctest::Contains((": " + file).c_str()), UsageError);
  };
  git("init -q");
  refused("chapters/05_tiling/README.md, chapters/05_tiling/spread.hpp");
  git("add -A");
  refused("chapters/05_tiling/README.md");
  git("commit -qm exercises");
  CHECK(bundle().empty());
  // What is no part of the bundle, or ignored, is no matter.
  own.put("notes.txt", "a draft\n");
  own.put("tests/wrong/05_tiling/spread.edits", "=== b\n");
  own.put(".git/info/exclude", "*.bak\n");
  own.put("chapters/05_tiling/spread.hpp.bak", "void draft();\n");
  CHECK(bundle().empty());
  const std::vector<std::string> names = names_of(files);
  CHECK(std::ranges::find(names, "chapters/05_tiling/spread.hpp.bak") == names.end());
  CHECK(std::ranges::find(names, "chapters/05_tiling/spread.hpp") != names.end());
  own.put("chapters/05_tiling/answer.hpp", "// what only I may see\n");
  refused("chapters/05_tiling/answer.hpp;");
  git("add -A");
  git("commit -qm more");
  own.put("solutions/05_tiling/spread.cu", "void spread() { }\n");
  refused("solutions/05_tiling/spread.cu;");
}

TEST_CASE("the page for students says what each part is worth, and what late work is") {
  Course course;
  for (const auto& [name, file] : {std::pair("padded", "exercises/05_tiling/padded.cu"),
                                   std::pair("gemm", "exercises/01_naive/gemm.cpp")}) {
    Exercise exercise;
    exercise.name = name;
    exercise.title = "A product";
    exercise.file = file;
    if (exercise.file.extension() == ".cu") exercise.budget["total_bytes"] = 1.1;
    course.exercises.push_back(exercise);
  }
  Assignment assignment;
  assignment.title = "Homework 1";
  assignment.exercises = {{"padded", 10, {50, 30, 20}}, {"gemm", 4, {60, 20, 20}}};
  const auto says = [&](const std::string& words) {
    const std::string page = assignment_page(assignment, course);
    INFO(page);
    return page.find(words) != std::string::npos;
  };
  CHECK(
      says("- `padded`, 10 points (values 5, safety 3, budget 2): A product. Edit "
           "`exercises/05_tiling/padded.cu`.\n"));
  CHECK(says("- `gemm`, 4 points (values 4): A product."));
  CHECK_FALSE(says("Due"));
  CHECK_FALSE(says("other data"));
  assignment.due = std::chrono::sys_days(std::chrono::year(2027) / 2 / 12);
  CHECK(
      says("Due 2027-02-12 00:00 UTC. Work that is handed in later is marked as late, and counts "
           "in full."));
  assignment.late = {15, 10, 3, true};
  assignment.secret = "words";
  CHECK(
      says("within 15 minutes after that is in time. Each day that has begun since then costs 10 "
           "% of the points, and work that comes after 3 days counts 0."));
  CHECK(says("graded on other data"));
  CHECK_FALSE(says("words"));
  assignment.late = {0, 0, 0, true};
  CHECK(says("UTC. Work that comes later counts 0."));
  CHECK(with_word_of_assignment("# Course\n\nText\n")
            .starts_with("# Course\n\n**This copy comes with an assignment:** [ASSIGNMENT.md]"));
  CHECK(with_word_of_assignment("Text\n") == "Text\n");
}

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
