#include "tut/compare/case_summary.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tut {
namespace {

CaseResult result(const std::string& text, bool ok, const std::string& test = "") {
  return {text, parameters_of(text), ok, test};
}

std::string summary(const std::vector<CaseResult>& results) {
  return summary_of_cases(results, "cases");
}

}  // namespace

TEST_CASE("parameters_of reads names and numbers") {
  CHECK(parameters_of("in 64x48, stride 51; side 3, n = 7, alpha 0.5") ==
        CaseParameters{{"in.rows", 64},
                       {"in.columns", 48},
                       {"stride", 51},
                       {"side", 3},
                       {"n", 7},
                       {"alpha", 0.5}});
  CHECK(parameters_of("1000 elements") == CaseParameters{{"elements", 1000}});
  CHECK(parameters_of("16x20 and more").size() == 2);
  CHECK(parameters_of("no numbers").empty());
  CHECK(parameters_of("strides 3 and 4") == CaseParameters{{"strides", 3}});
  CHECK(parameters_of("images of 7x5") ==
        CaseParameters{{"images.rows", 7}, {"images.columns", 5}});
  CHECK(parameters_of("shape 4x5 * 5x6, beta -0.75") ==
        CaseParameters{{"M", 4}, {"K", 5}, {"N", 6}, {"beta", -0.75}});
  for (const char* const product : {"4x5 * 5x6", "4x5 * (6x5)^T", "(5x4)^T * 5x6"}) {
    CHECK(parameters_of(product) == CaseParameters{{"M", 4}, {"K", 5}, {"N", 6}});
  }
}

TEST_CASE("summary_of_cases says where nothing was tried between, and of a stride only alone") {
  CHECK(summary({result("5x7, stride 11", true), result("5x7, stride 7", true),
                 result("5x33, stride 37", false), result("5x100, stride 100", false)}) ==
        "right on 2 of 4 cases; wrong whenever columns >= 33 (right up to 7)");
  CHECK(summary({result("n = 7", false), result("n = 8", false), result("n = 20", true)}) ==
        "right on 1 of 3 cases; wrong whenever n <= 8 (right from 20 on)");
  CHECK(summary({result("5x7, stride 7", true), result("5x9, stride 9", true),
                 result("5x7, stride 10", false), result("5x9, stride 12", false)}) ==
        "right on 2 of 4 cases; wrong whenever stride > 9");
  CHECK(summary({result("in 2x2, strides 2 and 4", true),
                 result("in 33x33, strides 33 and 40", false),
                 result("in 40x32, strides 32 and 40", false)}) ==
        "right on 1 of 3 cases; wrong whenever in.rows >= 33 (right up to 2) or in.columns >= 32 "
        "(right up to 2)");
}

TEST_CASE("summary_of_cases takes odd places for a cause, and even ones for none") {
  const std::string odd = ", 4 bytes off an aligned place", even = ", 0 bytes off an aligned place";
  CHECK(summary({result("p 1" + odd, false), result("p 2" + odd, false), result("p 1" + even, true),
                 result("p 3" + even, true)}) ==
        "right on 2 of 4 cases; wrong whenever bytes off an aligned place = 4");
  CHECK(summary({result("p 1" + even, false), result("p 2" + even, false),
                 result("p 1" + odd, true), result("p 2" + odd, true)})
            .find("whenever") == std::string::npos);
}

TEST_CASE("summary_of_cases says what all wrong cases have and no right one has") {
  CHECK(summary({result("side 3, dilation 1", true), result("side 1, dilation 3", false),
                 result("side 3, dilation 2", false), result("side 2, dilation 1", true)}) ==
        "right on 2 of 4 cases; wrong whenever dilation > 1");
  CHECK(summary({result("n = 256", true), result("n = 257", false), result("n = 1024", true),
                 result("n = 1000", false)}) ==
        "right on 2 of 4 cases; wrong whenever n is no multiple of 256");
  CHECK(summary({result("probability 0", true), result("probability 0.25", false),
                 result("probability 0.5", false)}) ==
        "right on 1 of 3 cases; wrong whenever probability > 0");
  CHECK(summary({result("alpha 1, beta 1", true), result("alpha 2, beta 0", false),
                 result("alpha 1, beta 0", false), result("alpha 2, beta -1", true)}) ==
        "right on 2 of 4 cases; wrong whenever beta = 0");
  CHECK(summary({result("M 3, K 3", true), result("M 4, K 3", false), result("M 3, K 5", false),
                 result("M 5, K 5", true)}) == "right on 2 of 4 cases; wrong whenever M is not K");
  CHECK(summary({result("3x3 * 3x3", true), result("4x3 * 3x5", false), result("3x5 * 5x4", false),
                 result("5x5 * 5x5", true)}) ==
        "right on 2 of 4 cases; wrong whenever not all of M, K, N are equal");
  CHECK(summary({result("side 3, dilation 1", true), result("side 4, dilation 2", false),
                 result("side 5, dilation 3", false)}) ==
        "right on 1 of 3 cases; wrong whenever side > 3 or dilation > 1");
}

TEST_CASE("summary_of_cases takes no accident for a rule") {
  // One wrong case, or three parameters that all tell the wrong ones apart.
  CHECK(summary({result("M 3, N 5", true), result("M 4, N 7", false), result("M 4, N 6", true)}) ==
        "right on 2 of 3 cases; wrong: M 4, N 7");
  CHECK(summary({result("a 1, b 1, c 1", true), result("a 2, b 2, c 2", false),
                 result("a 3, b 3, c 3", false)}) ==
        "right on 1 of 3 cases; wrong: a 2, b 2, c 2; a 3, b 3, c 3");
  // Cases of another kind do not hide a rule.
  CHECK(summary({result("n = 3", true), result("blocks 7", true), result("n = 300", false),
                 result("n = 400", false)}) ==
        "right on 2 of 4 cases; wrong whenever n >= 300 (right up to 3)");
}

TEST_CASE("summary_of_cases takes two right cases among many wrong ones for no rule") {
  std::vector<CaseResult> cases = {result("1x1", true), result("4x4", true)};
  for (const char* const text : {"3x4", "4x3", "1x5", "5x1", "2x7", "7x2"}) {
    cases.push_back(result(text, false));
  }
  CHECK(summary(cases).find("is not") == std::string::npos);
  cases.push_back(result("5x5", true));
  CHECK(summary(cases).find("wrong whenever rows is not columns") != std::string::npos);
}

TEST_CASE("summary_of_cases lists what no parameter explains, each case once") {
  CHECK(summary({result("n = 3", false), result("n = 5", true), result("n = 7", false),
                 result("n = 3", true)}) == "right on 1 of 3 cases; wrong: n = 3; n = 7");
  CHECK(summary({result("a", false), result("b", false), result("c", false), result("d", false),
                 result("e", false), result("f", true)}) == "right on 1 of 6 cases: f");
}

TEST_CASE("summary_of_cases takes the only value of a test that is wrong for no rule") {
  CHECK(summary({result("rows 40, NaN", false, "special"), result("rows 40, inf", false, "special"),
                 result("rows 7", true, "random"), result("rows 9", true, "random")}) ==
        "right on 2 of 4 cases; wrong: all 2 of this test");
  // Another case of the test is right, or one of another test is wrong.
  CHECK(summary({result("rows 40, NaN", false, "special"), result("rows 40, inf", false, "special"),
                 result("rows 7", true, "special"), result("rows 9", true, "random")}) ==
        "right on 2 of 4 cases; wrong whenever rows = 40");
  CHECK(summary({result("rows 40, NaN", false, "special"), result("rows 40", false, "random"),
                 result("rows 7", true, "random")}) ==
        "right on 1 of 3 cases; wrong whenever rows = 40");
  CHECK(summary({result("n = 30", false, "special"), result("n = 40", false, "special"),
                 result("n = 7", true, "random"), result("n = 9", true, "random")}) ==
        "right on 2 of 4 cases; wrong whenever n >= 30 (right up to 9)");
}

TEST_CASE("summary_of_cases keeps cases of the same text apart that are of other tests") {
  CHECK(summary({result("n = 3", true, "random"), result("n = 3", false, "special"),
                 result("n = 4", true, "special")}) == "right on 2 of 3 cases; wrong: n = 3");
}

TEST_CASE("summary_of_cases does not repeat the case that is told, if it alone is wrong") {
  const std::vector<CaseResult> results = {result("1 elements", false), result("n = 1", true)};
  CHECK(summary_of_cases(results, "cases", "out is wrong (1 element)\nkind: values") ==
        "right on 1 of 2 cases; wrong: this one");
  CHECK(summary_of_cases(results, "cases", "out is wrong (1 elements_)\nkind: values") ==
        "right on 1 of 2 cases; wrong: 1 element");
  CHECK(summary_of_cases(results, "cases", "CHECK( is_right )") ==
        "right on 1 of 2 cases; wrong: 1 element");
}

TEST_CASE(
    "summary_of_cases lists two cases beside the one that is told, and what they have alone") {
  const std::vector<CaseResult> results = {
      result("side 8, epoch 2, 0 bytes off", false), result("side 1, epoch 2, 0 bytes off", false),
      result("side 4, epoch 2, 0 bytes off", true), result("side 3, epoch 2, 0 bytes off", false),
      result("side 5, epoch 2, 0 bytes off", false)};
  CHECK(summary_of_cases(results, "cases", "out (side 8, epoch 2, 0 bytes off)") ==
        "right on 1 of 5 cases; also wrong: side 1; side 3; and 1 more");
  CHECK(summary(results) ==
        "right on 1 of 5 cases; wrong: side 8, epoch 2; side 1, epoch 2; and 2 more");
  // What no right case has may be why, and so may what not all wrong ones have.
  CHECK(summary({result("n = 0, far", false), result("n = 0, near", false), result("n = 3", true),
                 result("n = 0, a, b", true)}) == "right on 2 of 4 cases; wrong: far; near");
  CHECK(summary({result("a, 0 bytes", false), result("b, 4 bytes", false), result("c", true),
                 result("d, 0 bytes", true), result("e, 8 bytes", true)}) ==
        "right on 3 of 5 cases; wrong: a, 0 bytes; b, 4 bytes");
  // The longest text is told.
  CHECK(summary_of_cases(std::vector{result("n = 3", false), result("n = 3, twice", false),
                                     result("n = 4", true), result("n = 1", true)},
                         "cases",
                         "out (n = 3, twice)") == "right on 2 of 4 cases; wrong whenever n = 3");
}

TEST_CASE("summary_of_cases says nothing of one case, or where all is right") {
  CHECK(summary({result("n = 3", false)}).empty());
  CHECK(summary({result("n = 3", true), result("n = 5", true)}).empty());
  CHECK(summary({result("n = 3", false), result("n = 5", false)}) == "right on 0 of 2 cases");
}

}  // namespace tut
