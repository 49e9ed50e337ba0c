#include "learn/core/review.hpp"

#include <doctest/doctest.h>

#include <string>

#include "learn/core/files.hpp"
#include "scratch_folder.hpp"

using namespace tut::learn;

namespace {

/// Two exercises in part I, one in part II, none in part III; each file holds its own name.
struct SmallCourse {
  ScratchFolder folder;
  Context context;
  Standing standing;

  SmallCourse() {
    context.root = folder.path();
    standing.course.parts = {{"I", "The CPU", 1, 1}, {"II", "CUDA", 2, 3}, {"III", "More", 4, 5}};
    for (const char* name : {"a", "b", "c"}) {
      Exercise exercise;
      exercise.name = name;
      exercise.chapter = *name == 'c' ? 2 : 1;
      exercise.file = std::string("exercises/x/") + name + ".cu";
      write_file_atomically(context.root / exercise.file, name);
      standing.course.exercises.push_back(exercise);
    }
  }

  void pass(const std::string& name, const std::string& day) {
    note_pass(standing.progress.records[name], "cpu", file_mark(name), day);
  }
};

}  // namespace

TEST_CASE("a part says how many have passed, since when, and which were edited since") {
  SmallCourse small;
  small.pass("a", "2027-02-12");
  auto reviews = review_parts(small.context, small.standing);
  REQUIRE(reviews.size() == 2);
  CHECK(review_text(reviews[0]) == "1 of 2 solved");
  CHECK(review_text(reviews[1]) == "0 of 1 solved");

  small.pass("b", "2027-02-10");
  reviews = review_parts(small.context, small.standing);
  CHECK(review_text(reviews[0]) == "2 of 2 passed since 2027-02-12");

  write_file_atomically(small.context.root / "exercises/x/b.cu", "another");
  reviews = review_parts(small.context, small.standing);
  CHECK(review_text(reviews[0]) == "2 of 2 solved; edited since: b");
  CHECK(reviews[0].since.empty());

  // An older progress file has no marks: nothing is said that nobody knows.
  write_file_atomically(small.context.root / "exercises/x/b.cu", "b");
  small.standing.progress.records["b"] = {};
  small.standing.progress.records["b"].passed_on = {"cpu"};
  CHECK(review_text(review_parts(small.context, small.standing)[0]) == "2 of 2 solved");
}

TEST_CASE("the last open exercise of a part names the command that checks all of it, once") {
  SmallCourse small;
  const Standing none = small.standing;
  small.pass("a", "2027-02-12");
  const Standing one = small.standing;
  CHECK(part_done_text(small.context, none, one).empty());
  small.pass("b", "2027-02-12");
  const Standing both = small.standing;
  const std::string said = part_done_text(small.context, one, both);
  CHECK(said.find("the last open exercise of part I, The CPU") != std::string::npos);
  CHECK(said.find("./learn check --part I checks all 2 of them") != std::string::npos);
  CHECK(part_done_text(small.context, both, both).empty());
}
