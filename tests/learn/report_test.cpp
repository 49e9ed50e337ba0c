#include "learn/core/report.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

using tut::learn::read_report;
using tut::learn::TestReport;

namespace {

std::string readable_report(const std::string& output, const char* root) {
  return read_report(output, root).text;
}

}  // namespace

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

TEST_CASE("read_report says in a few words what failed, and shows the first wrong result") {
  const TestReport report = read_report(
      "/c/tests/x_test.cpp:1:\nTEST CASE:  x\n\n"
      "/c/tests/x_test.cpp:8: ERROR: C: 9 of 9 elements are wrong\n  pattern: transposed\n"
      "  right on 38 of 41 shapes; wrong: 1x1 * 1x1\nkind: values\n\n"
      "/c/tests/x_test.cpp:9: ERROR: D is wrong\nkind: values\n\n"
      "/c/tests/x_test.cpp:7: ERROR: CHECK( a == b ) is NOT correct!\n  values: CHECK( 1 == 2 )\n\n"
      "mine\n",
      "/c");
  CHECK(report.verdict == "values wrong on 3 of 41 shapes");
  CHECK(report.cause ==
        "In \"x\":\nC: 9 of 9 elements are wrong\n  pattern: transposed\n"
        "  wrong: 1x1 * 1x1\n");
  CHECK(report.printed == "mine\n");
}

TEST_CASE("read_report shows a pattern where the first failure is of a single element") {
  const auto cause = [](const std::string& test, const std::string& second) {
    return read_report(
               "/c/tests/x_test.cpp:1:\nTEST CASE:  x\n\n"
               "/c/tests/x_test.cpp:8: ERROR: C: expected 1, got 2 (1x1)\nkind: values\n\n"
               "/c/tests/x_test.cpp:1:\nTEST CASE:  " +
                   test + "\n\n/c/tests/x_test.cpp:8: ERROR: " + second +
                   "\n\n/c/tests/x_test.cpp:8: ERROR: C: 1 of 2 (1x2)\n  x.\nkind: values\n",
               "/c")
        .cause;
  };
  const std::string larger = "C: 9 of 9 are wrong (3x3)\n  pattern: transposed\n";
  const std::string single = "In \"x\":\nC: expected 1, got 2 (1x1)\n";
  CHECK(cause("x", larger + "kind: values") == "In \"x\":\n" + larger);
  CHECK(cause("x", "D: expected 1, got 3\nkind: values") == "In \"x\":\nC: 1 of 2 (1x2)\n  x.\n");
  CHECK(cause("y", larger + "kind: values") == single);
  CHECK(cause("y", "it waits\n  and waits\nkind: stream") == single);
}

TEST_CASE("read_report says of what kind the first failure is, whatever follows from it") {
  const auto verdict = [](const std::string& failure, const std::string& kind) {
    return read_report("/c/tests/x_test.cpp:8: ERROR: " + failure + "\nkind: " + kind +
                           "\n\n/c/tests/x_test.cpp:9: ERROR: D is wrong\nkind: values\n\n"
                           "  right on 2 of 4 cases; wrong whenever n > 256\n",
                       "/c")
        .verdict;
  };
  CHECK(verdict("C is wrong", "values") == "values wrong on 2 of 4 cases");
  CHECK(verdict("the call waits", "stream") == "does not run asynchronously on its stream");
  CHECK(verdict("the kernel is launched with <<<1, 2>>>", "launch") ==
        "launched with another shape");
  CHECK(verdict("CUDA refused a call: cudaErrorInvalidValue", "launch") == "CUDA refused a call");
  CHECK(verdict("cudaMemsetAsync failed, and the call returned as if it had not; expected a "
                "CudaError",
                "launch") == "a CUDA error goes unnoticed");
  CHECK(verdict("a kernel writes to the __device__ variable tickets", "state") ==
        "keeps state that its calls share");
  CHECK(verdict("the kernel did not run to its end: assert", "launch") ==
        "a kernel did not run to its end");
  CHECK(verdict("test case THREW exception: cudaErrorAssert: device-side assert", "launch") ==
        "a kernel did not run to its end");
  CHECK(verdict("cudaEventElapsedTime returned cudaErrorNotReady: device not ready", "launch") ==
        "a CUDA call failed");
  CHECK(verdict("test case THREW exception: cudaErrorMemoryAllocation: out of memory", "launch") ==
        "a CUDA call failed");
  CHECK(verdict("the grid stops growing at 5 elements", "launch") ==
        "its grid does not reach all elements");
  CHECK(verdict("the function threw \"n is 0; expected more\" (n = 1)", "values") ==
        "throws an exception instead of doing its work");
  CHECK(verdict("the result changes with what `sum` holds", "unset") ==
        "reads a variable before it is set");
  CHECK(verdict("reads or writes memory past the end of B", "out-of-bounds") ==
        "uses memory out of bounds");
  CHECK(verdict("the call launches no kernel; expected <<<1, 2>>>", "launch") ==
        "the launches are not as expected");
}

TEST_CASE("read_report knows failures in headers of tests, and no places of the course's own") {
  const TestReport report = read_report(
      "simt: store_matrix_sync in f: ldm must be a multiple of 16 bytes\n"
      "../../tests/12/case.hpp:90: ERROR: the kernel did not run to its end: misaligned "
      "(../../common/tut/device/stream.hpp:28) (n = 3)\nkind: launch\n\n",
      "/c");
  CHECK(report.verdict == "a kernel did not run to its end");
  CHECK(report.cause ==
        "store_matrix_sync in f: ldm must be a multiple of 16 bytes\n"
        "the kernel did not run to its end: misaligned (n = 3)\n");
}

TEST_CASE("read_report puts a bug before what it does to the values, and counts bugs by kind") {
  const TestReport report = read_report(
      "/c/exercises/x.cu:9: error: race: two threads\n/c/exercises/x.cu:9: note: a cure\n"
      "/c/exercises/x.cu:7: error: race: two others\n/c/exercises/x.cu:7: note: another cure\n"
      "/c/exercises/x.cu:5: error: out-of-bounds: an index\n"
      "/c/tests/x_test.cpp:8: ERROR: C is wrong\nkind: values\n\nsimt: 3 findings\n",
      "/c");
  CHECK(report.verdict == "values wrong, 2 races, 1 access out of bounds");
  CHECK(report.cause ==
        "exercises/x.cu:5: error: out-of-bounds: an index\n");  // which may be why they race
  CHECK(report.printed.empty());
}

TEST_CASE("read_report tells with a bug what explains all values, and no other pattern") {
  const auto cause_with = [](const std::string& pattern) {
    return read_report(
               "/c/exercises/x.cu:5: error: out-of-bounds: an index\n"
               "/c/tests/x_test.cpp:8: ERROR: labels: 3 of 5 elements are wrong\n  pattern: " +
                   pattern + "\n  5 elements:\nkind: values\n\nsimt: 1 finding\n",
               "/c")
        .cause;
  };
  const std::string bug = "exercises/x.cu:5: error: out-of-bounds: an index\n";
  CHECK(cause_with("each wrong element is the label of its place") ==
        bug + "  of the values, each wrong element is the label of its place\n");
  CHECK(cause_with("every element of the last row is wrong") == bug);
}

TEST_CASE("read_report shows the race before the barrier that threads do not reach after it") {
  const std::string race = "exercises/x.cu:9: error: race: is_last is read\n",
                    barrier = "exercises/x.cu:4: error: divergent-barrier: threads left\n";
  CHECK(read_report("/c/" + race + "/c/" + barrier, "/c").cause == race);
  CHECK(read_report("/c/" + barrier + "/c/" + race, "/c").cause == barrier);
}

TEST_CASE("read_report says where else there is what it shows the first of, and nothing twice") {
  const auto cause = [](const std::vector<int>& lines) {
    std::string output;
    for (const int line : lines)
      output += fmt::format("/c/exercises/x.cu:{}: error: race: two threads\n", line);
    output += "/c/exercises/x.cu:99: error: leak: another kind\n";
    return read_report(output, "/c").cause;
  };
  const std::string first = "exercises/x.cu:9: error: race: two threads\n";
  CHECK(cause({9}) == first);
  CHECK(cause({9, 9}) == first);
  CHECK(cause({9, 7, 7}) == first + "Also at exercises/x.cu:7.\n");
  CHECK(cause({9, 1, 2, 3, 4, 5}) ==
        first + "Also at exercises/x.cu:1, exercises/x.cu:2, exercises/x.cu:3 and 2 more.\n");
}

TEST_CASE("read_report says that a call must throw, and nothing of what it does instead") {
  const std::string output =
      "/c/exercises/x.cu:5: error: out-of-bounds: an index\n/c/exercises/x.cu:5: note: a cure\n"
      "/c/exercises/x.cu:9: error: uninitialised: a value\n/c/exercises/x.cu:9: note: a cure\n"
      "findings 1 to 2 are of a call that should have thrown\n"
      "/c/tests/x_test.cpp:1:\nTEST CASE:  refuses\n\n"
      "/c/tests/x_test.cpp:8: ERROR: CHECK_THROWS_AS( f(a, b), std::invalid_argument ) did NOT "
      "throw at all!\n  logged: n := 3\n          m := nan\n\n";
  const TestReport report = read_report(output + "simt: 2 findings\n", "/c");
  CHECK(report.verdict == "accepts arguments that it must refuse");
  CHECK(report.cause ==
        "In \"refuses\":\nf(a, b) must throw std::invalid_argument, and threw nothing\n"
        "  with n = 3\n  with m = nan\n");
  CHECK(report.text.find("error") == std::string::npos);
  // What other calls do is told.
  const TestReport both =
      read_report(output + "/c/exercises/x.cu:7: error: race: two threads\n", "/c");
  CHECK(both.cause == "exercises/x.cu:7: error: race: two threads\n");
}

TEST_CASE("read_report does not say again of the cases what the verdict says") {
  const auto cause = [](const std::string& summary, const std::string& kind = "values") {
    return read_report(
               "/c/tests/x_test.cpp:9: ERROR: D (n = 3)\nkind: " + kind + "\n\n  " + summary + "\n",
               "/c")
        .cause;
  };
  CHECK(cause("right on 0 of 67 cases") == "D (n = 3)\n");
  CHECK(cause("right on 6 of 7 cases; wrong: this one") == "D (n = 3)\n");
  CHECK(cause("right on 2 of 4 cases; wrong whenever n > 2") ==
        "D (n = 3)\n  wrong whenever n > 2\n");
  CHECK(cause("right on 2 of 4 cases; also wrong: n = 4") == "D (n = 3)\n  also wrong: n = 4\n");
  CHECK(cause("right on 1 of 9 cases: n = 1; x") ==
        "D (n = 3)\n  right on 1 of 9 cases: n = 1; x\n");
  // The verdict does not count them.
  CHECK(cause("right on 6 of 7 cases; wrong: this one", "launch") ==
        "D (n = 3)\n  right on 6 of 7 cases; wrong: this one\n");
}

TEST_CASE("read_report puts the values that a test has logged into a call that must throw") {
  const auto cause = [](const std::string& call, const std::string& logged) {
    return read_report("/c/tests/x_test.cpp:8: ERROR: CHECK_THROWS_AS( " + call +
                           ", std::invalid_argument ) did NOT throw at all!\n" + logged + "\n",
                       "/c")
        .cause;
  };
  CHECK(cause("clamp(nullptr, n, hi, 1)", "  logged: n := 0\n          hi := -0.5\n") ==
        "clamp(nullptr, 0, -0.5, 1) must throw std::invalid_argument, and threw nothing\n");
  CHECK(cause("f(all, {.n = n})", "  logged: a view of 0x4\n          n := -1\n") ==
        "f(all, {.n = -1}) must throw std::invalid_argument, and threw nothing\n"
        "  with a view of 0x4\n");
  // Members and functions of the same name are others.
  CHECK(cause("n(v.n, nn, n.m)", "  logged: n := 0\n") ==
        "n(v.n, nn, n.m) must throw std::invalid_argument, and threw nothing\n  with n = 0\n");
  const TestReport other = read_report(
      "/c/tests/x_test.cpp:8: ERROR: CHECK( n == 1 ) is NOT correct!\n  logged: n := 0\n", "/c");
  CHECK(other.cause == "CHECK( n == 1 ) is NOT correct!\n  with n = 0\n");
}

TEST_CASE("read_report leaves it to others to say that a program crashed") {
  const TestReport report = read_report(
      "/c/tests/x_test.cpp:1:\nTEST CASE:  x\n\n"
      "/c/tests/x_test.cpp:8: FATAL ERROR: test case CRASHED: SIGABRT - Abort (abnormal "
      "termination) signal\n\n",
      "/c");
  CHECK(report.cause == "In \"x\":\n");
}

TEST_CASE("read_report tells a bug in a function of the course of the line that calls it") {
  const auto cause = [](const std::string& at, const std::string& call) {
    return read_report(at + ": error: out-of-bounds: reads a[24][0] [kernel]\n" + call +
                           ": note: called from here\n" + at + ": note: check the index\n",
                       "/c")
        .cause;
  };
  CHECK(cause("/c/chapters/07/access.hpp:51", "/c/exercises/07/x.cu:35") ==
        "exercises/07/x.cu:35: error: out-of-bounds: reads a[24][0] [kernel], by a function at "
        "chapters/07/access.hpp:51\nexercises/07/x.cu:35: note: check the index\n");
  CHECK(
      cause("/c/exercises/07/x.cu:9", "/c/exercises/07/x.cu:35") ==
      "exercises/07/x.cu:9: error: out-of-bounds: reads a[24][0] [kernel]\n"
      "exercises/07/x.cu:35: note: called from here\nexercises/07/x.cu:9: note: check the index\n");
}

TEST_CASE("read_report tells a bug of the own line that leads there, however many calls between") {
  const std::string at = "/c/chapters/11/wgmma.cuh:59", own = "/c/exercises/11/x.cu:70";
  const std::string call = ": note: called from here\n", other = "/c/exercises/11/x.cu:48";
  CHECK(read_report(at + ": error: race: reads a tile [kernel]\n/c/chapters/11/tile.cuh:41" + call +
                        own + call + "/c/exercises/11/x.cu:95" + call + other +
                        ": note: the other access\n" + other + call + at + ": note: wait\n",
                    "/c")
            .cause ==
        "exercises/11/x.cu:70: error: race: reads a tile [kernel], by a function at "
        "chapters/11/wgmma.cuh:59\nexercises/11/x.cu:95: note: called from here\n"
        "exercises/11/x.cu:48: note: the other access\n"
        "exercises/11/x.cu:48: note: called from here\nexercises/11/x.cu:70: note: wait\n");
}

TEST_CASE("read_report shows of a budget the line that goes furthest beyond it") {
  const TestReport report = read_report(
      "/c/tests/x_test.cpp:8: ERROR: the kernels use memory more than the exercise allows:\n"
      "/c/exercises/x.cu:9: error: budget: much\n/c/exercises/x.cu:7: error: budget: less\n"
      "kind: budget\n",
      "/c");
  CHECK(report.verdict == "right, but over the cost that its contract states");
  CHECK(report.cause == "exercises/x.cu:9: error: budget: much\n");
  CHECK(read_report("/c/exercises/x.cu:9: error: budget: 8-way bank conflict: a warp's\n", "/c")
            .verdict == "bank conflicts in shared memory");
  const TestReport passed = read_report(
      "/c/tests/x_test.cpp:1:\nTEST CASE:  budget\n\n"
      "/c/tests/x_test.cpp:8: MESSAGE: counted: moved 512 bytes: 1.00 times\n\n",
      "/c");
  CHECK(passed.verdict.empty());
  CHECK(passed.counted == "moved 512 bytes: 1.00 times");
  CHECK(passed.text.empty());
}

TEST_CASE("read_report knows a check that ends its test, and says of a program no more than fits") {
  std::string output = "/c/tests/x_test.cpp:8: FATAL ERROR: REQUIRE( false ) is NOT correct!\n\n";
  for (int i = 0; i < 99; ++i) output += fmt::format("line {}\n", i);
  const TestReport report = read_report(output, "/c");
  CHECK(report.verdict == "1 failed check");
  CHECK(report.cause == "REQUIRE( false ) is NOT correct!\n");
  CHECK(report.printed.ends_with("line 19\n"));
}
