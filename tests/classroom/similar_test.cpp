#include "learn/classroom/similar.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "../learn/scratch_folder.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"

using namespace tut::learn;
namespace fs = std::filesystem;

namespace {

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

/// Two of three files are alike, and one has too little of its own.
ComparedExercise reverse() {
  ComparedExercise exercise;
  exercise.name = "reverse";
  exercise.students = {"=ann", "b, \"en\"", "cay", "dan"};
  exercise.unusable = {"eve: reverse.cu: it is empty"};
  ClassLikeness& all = exercise.likeness;
  all.own = {100, 110, 90, 5};
  all.solution_own = 80;
  all.compared = 3;
  all.few = 3;
  all.pairs = {{{0, 1, 100, 0.9523, 90, 40, {{{3, 5}, {4, 6}}, {{9, 9}, {1, 2}}}},
                {0, 2, 20, 0.2105, 18, 0, {{{3, 3}, {7, 7}}}},
                {1, 2, 0, 0, 0, 0, {}}},
               1,
               3,
               std::nullopt,
               0.7};
  all.solution = {{{2, 0, 40, 0.4705, 40, 0, {{{3, 5}, {2, 4}}}}}, 0, 3, std::nullopt, 0.7};
  return exercise;
}

const char* const kAssignment =
    "title = \"Homework 1\"\n"
    "[[exercise]]\nname = \"reverse\"\n[[exercise]]\nname = \"min_max\"\n";

/// A class that has handed in, and the files that come of it.
class HandedInClass {
 public:
  HandedInClass() { put("assignment.toml", kAssignment); }
  void put(const fs::path& name, const std::string& text) const {
    write_file_atomically(folder_.path() / name, text);
  }
  void similar() const {
    Context context;
    context.root = TUT_SOURCE_DIR;
    SimilarOptions options;
    options.assignment = folder_.path() / "assignment.toml";
    options.submissions = {folder_.path() / "class"};
    options.out = folder_.path() / "out";
    CHECK(similar_command(context, options) == exit_ok);
  }
  std::string result(const char* name) const {
    return read_file(folder_.path() / "out" / name).value();
  }

 private:
  ScratchFolder folder_;
};

std::string course_file(const char* name) {
  return read_file(fs::path(TUT_SOURCE_DIR) / name).value();
}

}  // namespace

TEST_CASE("the list names what stands out, with its lines, and is no verdict") {
  const std::string text = similar_text("Homework 1", {reverse()});
  CHECK(text.starts_with("Homework 1: files that are alike\n"));
  CHECK(says(text, "no verdict"));
  CHECK(says(text, "\n== reverse: 3 files compared\n"));
  CHECK(says(text, "with fewer than 32 tokens of their own: dan\n"));
  CHECK(says(text, "Not compared: eve: reverse.cu: it is empty\n"));
  CHECK(says(text, "1 of 3 pairs stands out, from 70 % on.\n"));
  CHECK(says(text, " 95 %  =ann and b, \"en\": 100 tokens are alike, of 100 and 110; 90 of them"));
  CHECK(says(text, "lines 3-5 = 4-6, 9 = 1-2\n"));
  CHECK_FALSE(says(text, "21 %"));
  CHECK(says(text, "Beside the solution: none of 3 files stands out, from 70 % on.\n"));
  CHECK_FALSE(says(text, "47 %"));
  CHECK_FALSE(says(text, "little choice and likeness"));
}

TEST_CASE("the list says what is usual, and where that says little") {
  ComparedExercise exercise = reverse();
  exercise.likeness.pairs.usual = 0.41;
  exercise.likeness.solution.usual = 0.85;
  exercise.likeness.solution.least = 0.925;
  const std::string text = similar_text("", {exercise});
  CHECK(says(text, "Half of all pairs are alike by 41 % at most; 1 of 3 pairs stands"));
  CHECK(says(text, "half of the files are alike by 85 % at most, so the exercise leaves"));
  CHECK(says(text, "from 93 % on"));
}

TEST_CASE("of files that are all alike as many pairs are told as connect them") {
  ComparedExercise exercise = reverse();
  LikenessList& pairs = exercise.likeness.pairs;
  for (Likeness& one : pairs.most) one.share = 0.9;
  pairs.outstanding = 3;
  const std::string text = similar_text("", {exercise});
  CHECK(says(text, "3 of 3 pairs stand out"));
  CHECK(says(text, " 90 %  =ann and b, \"en\": "));
  CHECK(says(text, " 90 %  =ann and cay: "));
  CHECK_FALSE(says(text, "b, \"en\" and cay"));
  CHECK(says(text, "  and 1 more pair of files that are connected by these\n"));
}

TEST_CASE("a list that nobody would read to its end is cut, and says so") {
  ComparedExercise exercise = reverse();
  LikenessList& pairs = exercise.likeness.pairs;
  const Likeness first = pairs.most[0];
  pairs.most.clear();
  for (std::size_t i = 0; i < 60; ++i) {
    pairs.most.push_back(first);
    pairs.most.back().left = 2 * i;
    pairs.most.back().right = 2 * i + 1;
  }
  exercise.students.assign(120, "somebody");
  exercise.likeness.own.assign(120, 100);
  pairs.all = 7140;
  pairs.outstanding = 60;
  exercise.likeness.like_solution = 2;
  const std::string text = similar_text("", {exercise});
  CHECK(says(text, "60 of 7140 pairs stand out"));
  CHECK(says(text, "  and 20 more, less alike\n"));
  CHECK_FALSE(says(text, "connected"));
  CHECK(says(text, " 2 more are"));
}

TEST_CASE("the table has all likenesses, and takes no name for a formula") {
  CHECK(similar_csv({reverse()}) ==
        "exercise,student,other,alike_percent,stands_out,alike_tokens,percent_of_student,"
        "percent_of_other,same_spelling,rare,lines_of_student,lines_of_other\n"
        "reverse,'=ann,\"b, \"\"en\"\"\",95,yes,100,100,90,90,40,3-5 9,4-6 1-2\n"
        "reverse,'=ann,cay,21,no,20,20,22,18,0,3,7\n"
        "reverse,cay,(solution),47,no,40,44,50,40,0,3-5,2-4\n");
}

TEST_CASE("a class is compared from what was handed in, and gives the same bytes again") {
  const HandedInClass c;
  const std::string right = course_file("tests/right/08_reductions/min_max.groups.cu"),
                    other = course_file("tests/right/08_reductions/min_max.tree.cu");
  c.put("class/ann/min_max.cu", right);
  c.put("class/ben/min_max.cu", "// mine\n" + right);
  c.put("class/cay/min_max.cu", other);
  c.put("class/dan/reverse.cu", course_file("exercises/03_first_kernels/reverse.cu"));
  c.put("class/eve/min_max.cu", course_file("solutions/08_reductions/min_max.cu"));
  c.put("class/fay/min_max.cu", right);
  c.put("class/fay/late/min_max.cu", other);
  c.put("class/gus/min_max.cu", std::string("\0\xff", 2));
  c.similar();
  const std::string text = c.result("similar.txt"), table = c.result("similar.csv");
  CHECK(says(text, "== reverse: 0 files compared\n"));
  CHECK(says(text, "tokens of their own: dan\n"));
  CHECK(says(text, "== min_max: 4 files compared\n"));
  CHECK(says(text, "1 of 6 pairs stands out"));
  CHECK(says(text, "100 %  ann and ben: "));
  CHECK(says(text, "Beside the solution: 1 of 4 files stands out"));
  CHECK(says(text, "100 %  eve and the solution: "));
  CHECK(says(text, "fay: min_max.cu: 2 files of this name"));
  CHECK(says(text, "gus: min_max.cu: it has a NUL"));
  CHECK(says(table, "min_max,ann,ben,100,yes,"));
  CHECK(says(table, "min_max,eve,(solution),100,yes,"));
  c.similar();
  CHECK(c.result("similar.txt") == text);
  CHECK(c.result("similar.csv") == table);
}

TEST_CASE("without submissions, or an assignment, nothing is compared") {
  const HandedInClass c;
  Context context;
  context.root = TUT_SOURCE_DIR;
  CHECK_THROWS_AS(similar_command(context, {"/nowhere/a.toml", {"/nowhere"}, ""}), UsageError);
}
