#include "learn/core/status_line.hpp"

#include <doctest/doctest.h>

using tut::learn::bar;
using tut::learn::time_left;

TEST_CASE("a build's bar and what is left of it") {
  CHECK(bar(5, 10, 4) == "[##..]");
  CHECK(time_left(1, 40, 1) == "");  // too early
  CHECK(time_left(0, 40, 9) == "");
  CHECK(time_left(40, 40, 9) == "");
  CHECK(time_left(10, 40, 20) == ", about 60 s left");
  CHECK(time_left(10, 400, 20) == ", about 13 min left");
}
