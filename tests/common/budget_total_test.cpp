// What a budget says of bytes that move too often, in all.

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "budget_case.hpp"
#include "tut/budget/budget.hpp"

namespace tut {

TEST_CASE(
    "Reading too often is told of the line that moves again, not of the one that moves most") {
  LineRecord again = line_of_loads(7, 40, 4, 4);
  of(again.counts, Traffic::global_load).repeated_sectors = 30 * 4;
  const Counters counters{{again, line_of_loads(9, 60, 4, 4)}};
  CHECK(budget_violations(counters, {.bank_conflicts = 0}, 92 * 4 * 32).empty());
  const auto violations = budget_violations(counters, {.bank_conflicts = 0}, 50 * 4 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].starts_with(
      "kernel.cu:7: error: budget: global memory moves 12800 bytes in all, 2.00 times the 6400 of "
      "the contract's Cost; of the 5120 by this line's loads, 3840 had moved before: load each"));
  CHECK(violations[0].ends_with("; by line: 7: 5120, 9: 7680"));
}

TEST_CASE("What a block moves again is told where that alone is too much, not what others move") {
  LineRecord shared = line_of_loads(7, 40, 4, 4), twice = line_of_loads(9, 60, 4, 4);
  of(shared.counts, Traffic::global_load).repeated_sectors = 39 * 4;
  of(twice.counts, Traffic::global_load).repeated_sectors = 20 * 4;
  of(twice.counts, Traffic::global_load).repeated_in_block = 20 * 4;
  const auto message = [&](std::uint64_t cost) {
    const auto violations =
        budget_violations(Counters{{shared, twice}}, {.bank_conflicts = 0}, 4.0 * 32 * cost);
    REQUIRE(violations.size() == 1);
    return violations[0];
  };
  CHECK(
      message(80).find("kernel.cu:9: error: budget: global memory moves 12800 bytes in all, 1.25 "
                       "times the 10240 of the contract's Cost; of the 7680 by this line's loads, "
                       "2560 had moved before, by the same block: load each") == 0);
  CHECK(message(50).find("of the 5120 by this line's loads, 4992 had moved before: load each") !=
        std::string::npos);
}

TEST_CASE("What lines of a block move after each other is told of them together") {
  // Which of two warps' loops comes first is the counter's choice, and so is whose loads come
  // again.
  LineRecord first = line_of_loads(7, 50, 4, 4), second = line_of_loads(9, 50, 4, 4);
  for (const auto& [line, again] : {std::pair{&first, 22 * 4}, {&second, 28 * 4}}) {
    Counts& loads = of(line->counts, Traffic::global_load);
    loads.repeated_sectors = loads.repeated_in_block = static_cast<std::uint64_t>(again);
  }
  const auto violations = budget_violations(Counters{{first, line_of_loads(8, 1, 4, 4), second}},
                                            {.bank_conflicts = 0}, 51.0 * 4 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].starts_with("kernel.cu:9: "));
  CHECK(
      violations[0].find("; of the 12800 by the loads of lines 7 and 9, 6400 had moved before, by "
                         "the same block: load each") != std::string::npos);
}

TEST_CASE("Who stores what has been stored is told whether lanes store it together") {
  LineRecord record{"kernel", "kernel.cu", 3, "kernel.cu", 7, true, {}};
  Counts& stores = of(record.counts, Traffic::global_store);
  const auto message = [&] {
    const auto violations = budget_violations(Counters{{record}}, {}, 1e6);
    REQUIRE(violations.size() == 1);
    return violations[0];
  };
  // Eight warps store the same element: a lane of each, or all of them.
  stores = {.requests = 8, .lanes = 8, .bytes = 32, .sectors = 8, .ideal_sectors = 8};
  stores.coalesced_sectors = 8;
  stores.bytes_stored_again = 28;
  CHECK(
      message().ends_with("of the 32 bytes that this line stores, 28 had been stored before: store "
                          "each element once; what is not final stays in registers"));
  stores.lanes = 256;
  CHECK(
      message().ends_with("28 had been stored before: store each element once; the threads of a "
                          "warp store the same one, so let a single thread of the block do it"));
}

TEST_CASE(
    "A line that takes sectors for a few bytes of them is told so where the total is too much") {
  LineRecord sparse = line_of_loads(7, 100, 4, 1);
  of(sparse.counts, Traffic::global_load).coalesced_sectors = 400;  // its other lanes are off
  const auto violations = budget_violations(Counters{{sparse}}, {.bank_conflicts = 0}, 100 * 32);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find(
            "9600 lie beside what they use: let the threads of a warp together load") !=
        std::string::npos);
}

TEST_CASE("What a cache has anyhow is no excess in all") {
  LineRecord edges = line_of_loads(7, 40, 1, 1);
  const Counters whole{{line_of_loads(9, 60, 4, 4), edges}};
  CHECK(budget_violations(whole, {.bank_conflicts = 0}, 60 * 4 * 32).size() == 1);
  of(edges.counts, Traffic::global_load).edge_sectors = 40;
  CHECK(budget_violations(Counters{{line_of_loads(9, 60, 4, 4), edges}}, {.bank_conflicts = 0},
                          60 * 4 * 32)
            .empty());
}

TEST_CASE("Nobody is told to move a byte once that moves once") {
  // Four neighbours a thread: each request touches every sector of the warp's elements.
  LineRecord strided = line_of_loads(7, 400, 16, 4);
  Counts& loads = of(strided.counts, Traffic::global_load);
  loads.bytes = 400 * 128;
  loads.returned_sectors = 300 * 16;
  auto violations = budget_violations(Counters{{strided}}, {}, 300 * 128);
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].find(
            "a warp's 32 loads touch 16 sectors of 32 bytes, where 4 would do if they lay "
            "side by side: let neighbouring threads") != std::string::npos);
  CHECK(
      violations[1].find("of the 204800 by this line's loads, 153600 lie beside what they use: let "
                         "neighbouring threads") != std::string::npos);
  // The same sectors for the same bytes.
  LineRecord again = line_of_loads(7, 400, 4, 4);
  of(again.counts, Traffic::global_load).repeated_sectors = 300 * 4;
  violations = budget_violations(Counters{{again}}, {}, 100 * 128);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("38400 had moved before: load each element once") != std::string::npos);
}

TEST_CASE("Stores that fill sectors in pieces are not told to store once") {
  LineRecord record{"kernel", "kernel.cu", 3, "kernel.cu", 7, true, {}};
  Counts& stores = of(record.counts, Traffic::global_store);
  stores = {.requests = 100, .lanes = 1600, .bytes = 6400};
  stores.sectors = stores.coalesced_sectors = 400;
  stores.ideal_sectors = 200;
  stores.returned_sectors = 200;
  auto violations = budget_violations(Counters{{record}}, {}, 6400);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find(
            "of the 12800 by this line's stores, 6400 are of sectors that they fill in "
            "pieces: let the threads of a warp store whole sectors in one request; "
            "lanes that went different ways store apart") != std::string::npos);
  stores.edge_sectors = 200;  // which is no choice of the kernel's
  CHECK(budget_violations(Counters{{record}}, {}, 6400).empty());
  stores.edge_sectors = 0;
  stores.returned_sectors = 0;
  stores.repeated_sectors = 200;
  violations = budget_violations(Counters{{record}}, {}, 6400);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].find("6400 had moved before: store each element once") != std::string::npos);
}

}  // namespace tut
