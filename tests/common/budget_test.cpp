#include "tut/budget.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace tut {
namespace {

/// A line whose requests each touch `sectors` where `ideal` would do.
LineRecord line_of_loads(int line, std::uint64_t requests, std::uint64_t sectors,
                         std::uint64_t ideal) {
  LineRecord record{"kernel", "kernel.cu", 3, "kernel.cu", line, true, {}};
  Counts& counts = of(record.counts, Traffic::global_load);
  counts.requests = requests;
  counts.lanes = 32 * requests;
  counts.sectors = sectors * requests;
  counts.ideal_sectors = ideal * requests;
  counts.worst = sectors;
  return record;
}

LineRecord line_of_conflicts(int line, std::uint64_t ways) {
  LineRecord record{"kernel", "kernel.cu", 3, "kernel.cu", line, true, {}};
  Counts& counts = of(record.counts, Traffic::shared_store);
  counts.requests = 1;
  counts.lanes = 32;
  counts.wavefronts = ways;
  counts.conflicts = ways - 1;
  counts.worst = ways;
  return record;
}

}  // namespace

TEST_CASE("A budget that is kept has no violations") {
  const Counters counters{{line_of_loads(7, 100, 4, 4), line_of_conflicts(8, 1)}};
  CHECK(counters.bytes_moved() == 100 * 4 * 32);
  CHECK(budget_violations(counters, {}, 100 * 4 * 32).empty());
}

TEST_CASE("A line that moves more than its ideal is named, with the figures") {
  const Counters counters{{line_of_loads(7, 1, 32, 4), line_of_loads(9, 1, 4, 4)}};
  const auto violations = budget_violations(counters, {}, 8 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0] ==
        "kernel.cu:7: error: budget: a warp's 32 loads touch 32.0 sectors of 32 bytes, 8.0 times "
        "the 4.0 that its bytes would fill: let neighbouring threads (threadIdx.x) use "
        "neighbouring addresses");
}

TEST_CASE("Addresses that are only shifted have a cure of their own") {
  const auto violations =
      budget_violations(Counters{{line_of_loads(7, 10, 5, 4)}}, {}, 10 * 5 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("let each warp begin at a multiple of 32 bytes") != std::string::npos);
}

TEST_CASE("Words that lie four apart may be a float4 in parts; that is said, too") {
  const auto cure = [](std::uint64_t sectors, std::uint64_t bytes_a_lane) {
    LineRecord record = line_of_loads(7, 1, sectors, 4);
    of(record.counts, Traffic::global_load).bytes = 32 * bytes_a_lane;
    const auto violations = budget_violations(Counters{{record}}, {}, 1e9);
    REQUIRE(violations.size() == 1);
    return violations[0];
  };
  CHECK(cure(16, 4).ends_with("; or, if a thread needs neighbours, take them by one float4"));
  CHECK(cure(17, 4).ends_with("use neighbouring addresses"));
  CHECK(cure(16, 8).ends_with("use neighbouring addresses"));
  const auto conflict = [](std::uint64_t ways) {
    LineRecord record = line_of_conflicts(8, ways);
    of(record.counts, Traffic::shared_store).bytes = 128;
    return budget_violations(Counters{{line_of_loads(7, 1, 4, 4), record}}, {}, 4 * 32).front();
  };
  CHECK(conflict(4).ends_with("take them by one float4"));
  CHECK(conflict(8).ends_with("(four, for float4)"));
}

TEST_CASE("Bank conflicts are counted over all lines") {
  const Counters counters{{line_of_loads(7, 1, 4, 4), line_of_conflicts(8, 2)}};
  const auto violations = budget_violations(counters, {}, 4 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].starts_with("kernel.cu:8: error: budget: 2-way bank conflict"));
  CHECK(budget_violations(counters, {.bank_conflicts = 1}, 4 * 32).empty());
}

TEST_CASE("Reading too often is told of the line that moves most") {
  const Counters counters{{line_of_loads(7, 10, 4, 4), line_of_loads(9, 90, 4, 4)}};
  CHECK(budget_violations(counters, {}, 92 * 4 * 32).empty());
  const auto violations = budget_violations(counters, {}, 50 * 4 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(
      violations[0].starts_with("kernel.cu:9: error: budget: global memory moves 12800 bytes in "
                                "all, 2.00 times the 6400 of the contract's Cost"));
}

TEST_CASE("What moves too much is told by what it does") {
  const auto cure = [](Traffic traffic) {
    LineRecord record{"kernel", "kernel.cu", 3, "kernel.cu", 7, true, {}};
    Counts& counts = of(record.counts, traffic);
    counts = {.requests = 10, .lanes = 320};
    counts.sectors = counts.ideal_sectors = 40;
    const auto violations = budget_violations(Counters{{record}}, {}, 20 * 32);
    REQUIRE(violations.size() == 1);
    return violations[0].substr(violations[0].rfind(": ") + 2);
  };
  CHECK(cure(Traffic::global_load).starts_with("load each element once"));
  CHECK(cure(Traffic::global_store).starts_with("store each element once"));
  CHECK(cure(Traffic::global_atomic).starts_with("add up in registers or in shared memory first"));
}

TEST_CASE("Loads that are too narrow are told of the line that loads most often") {
  const auto loads = [](int line, std::uint64_t requests, std::uint64_t bytes_a_lane) {
    LineRecord record = line_of_loads(line, requests, bytes_a_lane, bytes_a_lane);
    of(record.counts, Traffic::global_load).bytes = 32 * requests * bytes_a_lane;
    return record;
  };
  const Counters narrow{{loads(7, 10, 16), loads(9, 90, 4)}};
  CHECK(budget_violations(narrow, {}, 1e9).empty());
  const auto violations = budget_violations(narrow, {.load_bytes = 15}, 1e9);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].starts_with(
      "kernel.cu:9: error: budget: a thread loads 5.2 bytes at a time on average, where the "
      "contract asks for 15 at least"));
  CHECK(budget_violations(Counters{{loads(7, 99, 16), loads(9, 1, 4)}}, {.load_bytes = 15}, 1e9)
            .empty());
}

TEST_CASE("A kernel that did nothing does not keep a budget") {
  CHECK(budget_violations({}, {}, 1).size() == 1);
}

TEST_CASE("Budgets come from the course's manifest") {
  const Budget budget = exercise_budget("matmul_padded");
  CHECK(budget.line_bytes == 1.03);
  CHECK(budget.bank_conflicts == 0);
  CHECK(budget.total_bytes == 1.1);
  CHECK_THROWS_AS(exercise_budget("no_such_exercise"), std::runtime_error);
}

TEST_CASE("A program whose kernels do not tell of their accesses does not count") {
  CHECK_FALSE(can_count());
  int calls = 0;
  CHECK(counted([&] { ++calls; }).lines.empty());
  CHECK(calls == 1);
}

}  // namespace tut
