#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "learn/bench/guard.hpp"

using namespace tut::learn;

namespace {

struct Noise {
  double deviation = 0.01;  // of a repetition, as a share
  int repetitions = 7;
};

/// A run of two steps and a rival that take 3, 2 and 1 seconds, times `slower` each.
class Runs {
 public:
  explicit Runs(unsigned seed) : random_(seed) {}

  Results run(const Noise& noise, double device = 1, double second_step = 1) {
    Results results;
    const double times[] = {3, 2 * second_step, 1};
    const char* names[] = {"first", "second", "library"};
    for (int i = 0; i < 3; ++i) {
      ResultRow row;
      row.name = row.step = names[i];
      row.ladder = "ladder";
      row.size = "1";
      row.order = i;
      row.rival = i == 2;
      std::normal_distribution<double> factor(1, noise.deviation);
      for (int r = 0; r < noise.repetitions; ++r) {
        row.seconds.push_back(device * times[i] * factor(random_));
      }
      results.rows.push_back(row);
    }
    return results;
  }

 private:
  std::mt19937 random_;
};

Results counts_of(double bytes, double conflicts) {
  Results results;
  results.context["counted"] = "true";
  ResultRow row;
  row.name = row.step = "step";
  row.ladder = "ladder";
  row.size = "1";
  row.counted = CountedRow{.bytes_moved = bytes, .bank_conflicts = conflicts};
  results.rows.push_back(row);
  return results;
}

}  // namespace

TEST_CASE(
    "noise does not trip the guard, a step that is 15 % slower does, a slower device does not") {
  Runs runs(1);
  int tripped = 0, missed = 0, tripped_by_device = 0;
  constexpr int TRIES = 500;
  for (int i = 0; i < TRIES; ++i) {
    const Results kept = runs.run({});
    tripped += compare_results(kept, runs.run({}), true).ok() ? 0 : 1;
    missed += compare_results(kept, runs.run({}, 1, 1.15), true).ok() ? 1 : 0;
    tripped_by_device += compare_results(kept, runs.run({}, 1.2), true).ok() ? 0 : 1;
  }
  CHECK(tripped == 0);
  CHECK(missed == 0);
  CHECK(tripped_by_device == 0);
}

TEST_CASE("repetitions that differ too much to tell are named, not judged") {
  Runs runs(2);
  const Noise noise{.deviation = 0.08, .repetitions = 7};
  const GuardReport report = compare_results(runs.run(noise), runs.run(noise, 1, 1.15), true);
  CHECK(report.ok());
  REQUIRE(!report.not_judged.empty());
  CHECK(report.not_judged[0].find("measure more of them") != std::string::npos);
  // Of more repetitions the same noise leaves less.
  const Noise more{.deviation = 0.02, .repetitions = 25};
  CHECK(compare_results(runs.run(more), runs.run(more), true).held == 2);
  CHECK_FALSE(compare_results(runs.run(more), runs.run(more, 1, 1.15), true).ok());
}

TEST_CASE("a fallen step's line says what was, what is and what is allowed") {
  Runs runs(3);
  const Noise still{.deviation = 0.0001, .repetitions = 7};
  const GuardReport report = compare_results(runs.run(still), runs.run(still, 1, 1.15), true);
  REQUIRE(report.fallen.size() == 1);
  CHECK(report.fallen[0].starts_with(
      "ladder, 1: second: was 0.500 of library's speed, is 0.435, allowed 0.48"));
  CHECK(report.held == 1);
}

TEST_CASE("a faster step is no failure, a missing or wrong one is") {
  Runs runs(4);
  const Results kept = runs.run({});
  CHECK(compare_results(kept, runs.run({}, 1, 0.5), true).ok());
  Results run = runs.run({});
  run.rows.erase(run.rows.begin());
  CHECK_FALSE(compare_results(kept, run, true).ok());
  CHECK(compare_results(kept, run, false).ok());
  run = runs.run({});
  run.rows[0].error = "wrong result";
  run.rows[0].seconds.clear();
  CHECK(compare_results(kept, run, true).fallen ==
        std::vector<std::string>{"ladder, 1: first: wrong result"});
}

TEST_CASE("of two repetitions nobody knows the noise") {
  ResultRow row;
  row.seconds = {1, 1};
  CHECK_FALSE(median_error(row));
  row.seconds = {1, 1, 1};
  CHECK(median_error(row) == 0.004);
  Runs runs(5);
  const Noise two{.repetitions = 2};
  const GuardReport report = compare_results(runs.run(two), runs.run({}), true);
  CHECK(report.not_judged.size() == 2);
  CHECK(report.held == 0);
}

TEST_CASE("counts are compared exactly") {
  const Results kept = counts_of(1024, 0);
  CHECK(compare_results(kept, counts_of(1024, 0), true).held == 1);
  CHECK(compare_results(kept, counts_of(992, 0), true).ok());
  CHECK(compare_results(kept, counts_of(1056, 31), true).fallen ==
        std::vector<std::string>{
            "ladder, 1: step: bytes moved 1056, was 1024; bank conflicts 31, was "
            "0, allowed: no more"});
}
