#include "learn/core/files.hpp"

#include <doctest/doctest.h>

#include "scratch_folder.hpp"

using namespace tut::learn;

TEST_CASE("with_paths_from drops what leads to the course, and of paths elsewhere nothing") {
  const ScratchFolder course;
  write_file_atomically(course.path() / "exercises" / "x.cu", "");
  const std::string here = course.path().string();
  CHECK(with_paths_from(course.path(), "In " + here + "/exercises/x.cu:3, " + here + "/y:4") ==
        "In exercises/x.cu:3, y:4");
  CHECK(with_paths_from(course.path(), "no rows (../../exercises/x.cu:3)") ==
        "no rows (exercises/x.cu:3)");
  CHECK(with_paths_from(course.path(), "../exercises/x.cu:3: error") == "exercises/x.cu:3: error");
  for (const char* const other :
       {"../../exercises/y.cu:3", "a../exercises/x.cu", "at ../..", "../"}) {
    CHECK(with_paths_from(course.path(), other) == other);
  }
}
