#include "learn/core/report.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

using tut::learn::readable_report;

TEST_CASE("readable_report drops doctest's frame and keeps the report, paths from the checkout") {
  const std::string rule(79, '=');
  const std::string output =
      "[doctest] doctest version is \"2.4.9\"\n"
      "[doctest] run with \"--help\" for options\n" +
      rule +
      "\n"
      "/home/me/course/tests/05/x_test.cpp:7:\n"
      "TEST CASE:  x\n"
      "\n"
      "\n"
      "/home/me/course/tests/05/x_test.cpp:8: ERROR: C[1][2]: expected 3, got nan\n"
      "kind: values\n"
      "/home/me/course/exercises/05/x.cu:9: error: race: two threads\n"
      "\n" +
      rule +
      "\n"
      "[doctest] test cases: 1 | 0 passed | 1 failed | 0 skipped\n";
  CHECK(readable_report(output, "/home/me/course") ==
        "x:\n"
        "\n"
        "C[1][2]: expected 3, got nan\n"
        "kind: values\n"
        "exercises/05/x.cu:9: error: race: two threads\n");
}

TEST_CASE("readable_report leaves out the middle of a long report") {
  std::string output;
  for (int i = 0; i < 500; ++i) output += fmt::format("line {}\n", i);
  const std::string report = readable_report(output, "/root");
  CHECK(report.find("line 59\n... 320 lines left out ...\nline 380\n") != std::string::npos);
  CHECK(report.ends_with("line 499\n"));
}

TEST_CASE("readable_report shows two failed checks and counts the rest, but every diagnosis") {
  std::string output;
  for (int i = 0; i < 5; ++i) {
    output +=
        fmt::format("/c/tests/x_test.cpp:{}: ERROR: shape {} is wrong\nkind: values\n\n", i, i);
  }
  output += "/c/exercises/x.cu:9: error: race: two threads\n";
  output +=
      "/c/tests/x_test.cpp:1:\nTEST CASE:  silent\n\n"
      "/c/tests/x_test.cpp:3: ERROR: another\nprinted by the kernel\n"
      "/c/tests/x_test.cpp:1:\nTEST CASE:  next\n\nprinted before\n"
      "/c/tests/x_test.cpp:3: ERROR: another\nprinted by the kernel\n";
  CHECK(readable_report(output, "/c") ==
        "shape 0 is wrong\nkind: values\n\n"
        "shape 1 is wrong\nkind: values\n\n"
        "exercises/x.cu:9: error: race: two threads\n"
        "\nnext:\n\nprinted before\n\n... and 5 more failed checks\n");
}
