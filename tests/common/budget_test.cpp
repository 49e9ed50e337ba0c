#include "tut/budget/budget.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "budget_case.hpp"

namespace tut {
namespace {

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
  CHECK(budget_violations(counters, {.bank_conflicts = 0}, 100 * 4 * 32).empty());
}

TEST_CASE("Copies beside the kernels count with what these move") {
  Counters counters{{line_of_loads(7, 100, 4, 4)}};
  constexpr double kCost = 100 * 4 * 32;
  counters.work.copied_bytes = 1000;
  CHECK(budget_violations(counters, {}, kCost).empty());
  counters.work.copied_bytes = 2000;
  const auto violations = budget_violations(counters, {}, kCost);
  REQUIRE(violations.size() == 1);
  CHECK(
      violations[0].find("move 2000 bytes beside the 12800 of the kernels, together 1.16 times") !=
      std::string::npos);
}

TEST_CASE("A line that moves more than its ideal is named, with the figures") {
  const Counters counters{{line_of_loads(7, 1, 32, 4), line_of_loads(9, 1, 4, 4)}};
  const auto violations = budget_violations(counters, {.bank_conflicts = 0}, 8 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0] ==
        "kernel.cu:7: error: budget: a warp's 32 loads touch 32 sectors of 32 bytes, where 4 would "
        "do if they lay side by side: let neighbouring threads (threadIdx.x) use "
        "neighbouring addresses");
}

TEST_CASE("Addresses that are only shifted have a cure of their own") {
  const auto violations =
      budget_violations(Counters{{line_of_loads(7, 10, 5, 4)}}, {.bank_conflicts = 0}, 10 * 5 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("be contiguous, from a multiple of 32 bytes on") != std::string::npos);
}

TEST_CASE("Words that lie four apart may be a float4 in parts; that is said, too") {
  const auto cure = [](std::uint64_t sectors, std::uint64_t bytes_a_lane) {
    LineRecord record = line_of_loads(7, 1, sectors, 4);
    of(record.counts, Traffic::global_load).bytes = 32 * bytes_a_lane;
    const auto violations = budget_violations(Counters{{record}}, {.bank_conflicts = 0},
                                              static_cast<double>(32 * sectors));
    REQUIRE(violations.size() == 1);
    return violations[0];
  };
  CHECK(cure(16, 4).ends_with("; or, if a thread needs neighbours, take them by one float4"));
  CHECK(cure(17, 4).ends_with("use neighbouring addresses"));
  CHECK(cure(16, 8).ends_with("use neighbouring addresses"));
  const auto conflict = [](std::uint64_t ways) {
    LineRecord record = line_of_conflicts(8, ways);
    of(record.counts, Traffic::shared_store).bytes = 128;
    return budget_violations(Counters{{line_of_loads(7, 1, 4, 4), record}}, {.bank_conflicts = 0},
                             4 * 32)
        .front();
  };
  CHECK(conflict(4).ends_with("take them by one float4"));
  CHECK(
      conflict(8).ends_with("or leave one word unused after every row of the array"
                            " (four, if it is used by 16 bytes at a time, as float4 and WMMA do)"));
}

TEST_CASE("Products of fragments are as many as the Cost has, within a tenth") {
  const auto violations = [](std::uint64_t products) {
    Counters counters{{line_of_loads(7, 1, 4, 4)}};
    counters.work.tensor_products = products;
    return budget_violations(counters, {.tensor_products = 100}, 4 * 32);
  };
  CHECK(violations(100).empty());
  CHECK(violations(110).empty());
  REQUIRE(violations(99).size() == 1);
  CHECK(violations(99)[0].ends_with(
      "99 products of fragments; expected 100 at least: multiply on tensor cores, by mma_sync"));
  REQUIRE(violations(111).size() == 1);
  CHECK(violations(111)[0].ends_with(
      "compute no product twice, and none that the contract does not ask for"));
}

TEST_CASE("Barriers are counted where their number is promised") {
  Counters counters{{line_of_loads(7, 1, 4, 4)}};
  counters.work.barriers = 13;
  CHECK(budget_violations(counters, {}, 4 * 32).empty());
  CHECK(budget_violations(counters, {.barriers = 13}, 4 * 32).empty());
  const auto violations = budget_violations(counters, {.barriers = 12}, 4 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("blocks reach 13 barriers; expected 12 at most") != std::string::npos);
}

TEST_CASE("Blocks that use no memory are too many") {
  Counters counters{{line_of_loads(7, 1, 4, 4)}};
  counters.work.idle_blocks = 1;
  CHECK(budget_violations(counters, {}, 4 * 32).empty());
  counters.work.idle_blocks = 2;
  const auto violations = budget_violations(counters, {}, 4 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("2 blocks of this kernel's launch have no thread") != std::string::npos);
  CHECK(budget_violations(counters, {.idle_blocks = 2}, 4 * 32).empty());
}

TEST_CASE("Bank conflicts are counted over all lines") {
  const Counters counters{{line_of_loads(7, 1, 4, 4), line_of_conflicts(8, 2)}};
  const auto violations = budget_violations(counters, {.bank_conflicts = 0}, 4 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].starts_with("kernel.cu:8: error: budget: 2-way bank conflict"));
  CHECK(budget_violations(counters, {.bank_conflicts = 1}, 4 * 32).empty());
}

TEST_CASE("A line that moves little beside all is not held to its ideal") {
  const Counters counters{{line_of_loads(7, 1, 5, 4), line_of_loads(9, 100, 4, 4)}};
  CHECK(budget_violations(counters, {.bank_conflicts = 0}, 404 * 32).empty());
  CHECK(budget_violations(counters, {.line_share = 0.002}, 404 * 32).size() == 1);
}

TEST_CASE("A header of the course is no place of a mistake: the kernel is") {
  LineRecord record = line_of_loads(20, 10, 32, 4);
  record.file = "common/tut/matrix/matrix_view.hpp";
  const auto violations = budget_violations(Counters{{record}}, {.bank_conflicts = 0}, 320 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].starts_with("kernel.cu:3: error: budget: "));
}

TEST_CASE("The worst line comes first") {
  const Counters counters{{line_of_loads(7, 10, 8, 4), line_of_loads(9, 10, 32, 4)}};
  const auto violations = budget_violations(counters, {.bank_conflicts = 0}, 400 * 32);
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].starts_with("kernel.cu:9: "));
}

TEST_CASE("Of a line that is shifted and moves again, what moves again comes first") {
  LineRecord record = line_of_loads(7, 100, 5, 4);
  of(record.counts, Traffic::global_load).repeated_sectors = 400;
  const auto violations = budget_violations(Counters{{record}}, {.bank_conflicts = 0}, 100 * 32);
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].find("had moved before") != std::string::npos);
}

TEST_CASE("What pads an array is an extra column, not an extra row") {
  const auto message = [](std::uint64_t ways, std::vector<std::size_t> extents,
                          std::uint64_t bytes_a_lane = 4) {
    LineRecord record = line_of_conflicts(8, ways);
    of(record.counts, Traffic::shared_store).bytes = 32 * bytes_a_lane;
    record.conflicts = {"tile", 4, std::move(extents)};
    return budget_violations(Counters{{line_of_loads(7, 1, 4, 4), record}}, {.bank_conflicts = 0},
                             128)
        .front();
  };
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  CHECK(says(message(32, {32, 32}), "Let its rows be a little longer: tile[32][33]"));
  CHECK(says(message(32, {33, 32}),
             "An extra row changes nothing, an extra column does: tile[32][33]"));
  CHECK(says(message(2, {32, 34}), "Let its rows be a little longer: tile[32][35]"));
  CHECK(says(message(8, {16, 64}, 16), "Let its rows be a little longer: tile[16][68]"));
  // Such a conflict is not one of a column of 33 words, nor of these ways.
  CHECK(says(message(32, {32, 33}), "a multiple of 128 bytes share a bank"));
  CHECK(says(message(4, {32, 32}), "a multiple of 128 bytes share a bank"));
}

TEST_CASE("Bank conflicts are told in whole numbers where they are whole, and by what would help") {
  const auto message = [](std::vector<std::size_t> extents, std::uint64_t requests) {
    LineRecord record = line_of_conflicts(8, 8);
    Counts& counts = of(record.counts, Traffic::shared_store);
    counts.requests = requests;
    record.conflicts = {"largest", 4, std::move(extents)};
    return budget_violations(Counters{{line_of_loads(7, 1, 4, 4), record}}, {.bank_conflicts = 0},
                             128)
        .front();
  };
  CHECK(
      message({256}, 1) ==
      "kernel.cu:8: error: budget: 8-way bank conflict: a warp's 32 stores of shared memory take "
      "8 passes through the banks where 1 would do. Words whose addresses differ by a multiple "
      "of 128 bytes share a bank; let the threads of a warp use neighbouring words, or leave one "
      "word unused after every 32 words (four, if it is used by 16 bytes at a time, as float4 and "
      "WMMA do)");
  CHECK(message({8, 33}, 1)
            .ends_with("or leave one word unused after every row of the array"
                       " (four, if it is used by 16 bytes at a time, as float4 and WMMA do)"));
  CHECK(message({256}, 3).find("take 2.7 passes") != std::string::npos);
}

TEST_CASE("What was moved is told beside the Cost and the least possible") {
  LineRecord again = line_of_loads(7, 40, 4, 4);
  of(again.counts, Traffic::global_load).repeated_sectors = 80;
  CHECK(budget_summary(Counters{{again}}, 5000) == "moved 5120 bytes; the contract's Cost is 5000");
  CHECK(budget_summary(Counters{{again}}, 2560) ==
        "moved 5120 bytes, 2.0 times the contract's Cost of 2560, which its budget allows: what a "
        "cache would serve again is counted, too");
}

TEST_CASE("What moves too much is told by what it does") {
  const auto cure = [](Traffic traffic) {
    LineRecord record{"kernel", "kernel.cu", 3, "kernel.cu", 7, true, {}};
    Counts& counts = of(record.counts, traffic);
    counts = {.requests = 10, .lanes = 320};
    counts.sectors = counts.ideal_sectors = counts.coalesced_sectors = 40;
    const auto violations = budget_violations(Counters{{record}}, {.bank_conflicts = 0}, 20 * 32);
    REQUIRE(violations.size() == 1);
    return violations[0].substr(violations[0].rfind(": ") + 2);
  };
  CHECK(cure(Traffic::global_load).starts_with("load each element once"));
  CHECK(cure(Traffic::global_store).starts_with("store each element once"));
  CHECK(cure(Traffic::global_atomic).starts_with("add up in registers or in shared memory first"));
}

TEST_CASE("Accesses that are too narrow are told of the line that makes most") {
  const auto check_width = [](Traffic traffic, const Budget& budget, const std::string& verb) {
    const auto accesses = [&](int line, std::uint64_t requests, std::uint64_t bytes_a_lane) {
      LineRecord record = line_of_loads(line, 0, 0, 0);
      Counts& counts = of(record.counts, traffic);
      counts.requests = requests;
      counts.lanes = 32 * requests;
      counts.bytes = counts.lanes * bytes_a_lane;
      counts.sectors = counts.ideal_sectors = counts.coalesced_sectors = requests * bytes_a_lane;
      return record;
    };
    const Counters narrow{{accesses(7, 10, 16), accesses(9, 90, 4)}};
    const Counters wide{{accesses(7, 99, 16), accesses(9, 1, 4)}};
    CHECK(budget_violations(narrow, {.bank_conflicts = 0}, 1e9).empty());
    CHECK(budget_violations(wide, budget, 1e9).empty());
    const auto violations = budget_violations(narrow, budget, 1e9);
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].starts_with("kernel.cu:9: error: budget: a thread " + verb +
                                    " 5.2 bytes at a time on average; expected 15 at least"));
  };
  check_width(Traffic::global_load, {.load_bytes = 15}, "loads");
  check_width(Traffic::global_store, {.store_bytes = 15}, "stores");
}

TEST_CASE("A tile that is to be transposed is stored to different rows, and the other one is not") {
  const auto violations = [](Traffic traffic, std::uint64_t scattered, const Budget& budget) {
    LineRecord record = line_of_loads(7, 1, 4, 4);
    of(record.counts, traffic).requests = 100;
    of(record.counts, traffic).scattered = scattered;
    return budget_violations(Counters{{record}}, budget, 4 * 32);
  };
  const auto of_stores = [&](std::uint64_t scattered) {
    return violations(Traffic::shared_store, scattered, {.scattered_stores = 0.2});
  };
  CHECK(of_stores(20).empty());
  REQUIRE(of_stores(19).size() == 1);
  CHECK(of_stores(19)[0].starts_with(
      "kernel.cu:7: error: budget: in 19 of 100 requests that store to shared memory"));
  const auto of_loads = [&](std::uint64_t scattered) {
    return violations(Traffic::shared_load, scattered, {.scattered_loads = 0.1});
  };
  CHECK(of_loads(10).empty());
  REQUIRE(of_loads(11).size() == 1);
  CHECK(of_loads(11)[0].starts_with(
      "kernel.cu:7: error: budget: in 11 of 100 requests that load from shared memory"));
}

TEST_CASE("Copies that nothing is done beside are too few bytes ahead") {
  const auto violations = [](std::uint64_t bytes) {
    Counters counters{{line_of_loads(7, 1, 4, 4)}};
    counters.work.bytes_ahead = bytes;
    return budget_violations(counters, {.bytes_ahead = 16384}, 4 * 32);
  };
  CHECK(violations(16384).empty());
  REQUIRE(violations(12288).size() == 1);
  CHECK(violations(12288)[0].find("12288 bytes of asynchronous copies are under way while a block "
                                  "reads shared memory; expected 16384 at least") !=
        std::string::npos);
}

TEST_CASE("A limit is loose if twice what the solution needs would keep it") {
  const Counters counters{{line_of_loads(7, 10, 8, 4)}};  // 2560 bytes
  const auto loose = [&](const Budget& budget) { return loose_limits(counters, budget, 1280); };
  const auto one = [&](const Budget& budget, const std::string& words) {
    const std::vector<std::string> limits = loose(budget);
    return limits.size() == 1 && limits[0] == words;
  };
  CHECK(loose({.line_bytes = 3.9, .total_bytes = 3.9}).empty());
  CHECK(loose({}).empty());
  const std::string twice = ", and twice as much would pass";
  CHECK(one({.line_bytes = 4.0}, "line_bytes = 4.00: the solution needs 2.00" + twice));
  CHECK(one({.total_bytes = 4.0}, "total_bytes = 4.00: the solution needs 2.00" + twice));
}

TEST_CASE("A kernel that did nothing does not keep a budget") {
  CHECK(budget_violations({}, {.bank_conflicts = 0}, 1).size() == 1);
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
