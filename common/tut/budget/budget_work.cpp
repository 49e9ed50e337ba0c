#include <algorithm>
#include <cstdio>

#include "tut/budget/budget_violation.hpp"

namespace tut {
namespace {

using detail::decimal;
using detail::Violations;

std::string at_kernel(const Counters& counters, const std::string& message) {
  const LineRecord& record = counters.lines.front();
  return record.kernel_file + ":" + std::to_string(record.kernel_line) +
         ": error: budget: " + message;
}

}  // namespace

std::string detail::decimal(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

Violations detail::work_violations(const Counters& counters, const Budget& budget) {
  const WorkCounts& work = counters.work;
  Violations violations;
  const auto expect_least = [&](std::uint64_t count, double least, const std::string& what,
                                const std::string& cure) {
    if (static_cast<double>(count) >= least) return;
    violations.push_back(
        {0, at_kernel(counters, std::to_string(count) + " " + what + "; expected " +
                                    decimal(least, 0) + " at least: " + cure)});
  };
  const auto expect_most = [&](std::uint64_t count, double most, const std::string& message) {
    if (most > 0 && static_cast<double>(count) > most) {
      violations.push_back({0, at_kernel(counters, message)});
    }
  };
  expect_least(work.threads, budget.threads,
               work.threads == 1 ? "thread uses memory" : "threads use memory",
               "spread the work over the grid that the contract's Launch names");
  expect_least(work.tensor_products, budget.tensor_products, "products of fragments",
               "multiply on tensor cores, by mma_sync");
  expect_most(work.tensor_products, 1.1 * budget.tensor_products,
              std::to_string(work.tensor_products) +
                  " products of fragments (mma_sync); the contract's Cost comes to " +
                  decimal(budget.tensor_products, 0) +
                  ": compute no product twice, and none that the contract does not ask for");
  expect_least(work.async_copies, budget.async_copies, "asynchronous copies",
               "copy to shared memory by __pipeline_memcpy_async");
  expect_least(work.bytes_ahead, budget.bytes_ahead,
               "bytes of asynchronous copies are under way while a block reads shared memory",
               "wait for the copies of this step alone, and start those of later steps before its "
               "products");
  expect_most(work.busiest, budget.busiest_thread,
              "one thread makes " + std::to_string(work.busiest) + " of the " +
                  std::to_string(work.accesses) + " accesses to memory; expected " +
                  decimal(budget.busiest_thread, 0) + " at most: share them out among the threads");
  expect_most(work.accesses, budget.accesses,
              "the threads make " + std::to_string(work.accesses) +
                  " accesses to global and shared memory; expected " + decimal(budget.accesses, 0) +
                  " at most: keep in registers what a thread needs again, and let no thread do "
                  "again what another has done");
  if (static_cast<double>(work.idle_blocks) > budget.idle_blocks) {
    violations.push_back(
        {0, at_kernel(counters, std::to_string(work.idle_blocks) +
                                    " blocks of this kernel's launch have no thread that uses "
                                    "memory; expected as many "
                                    "blocks as the contract's Launch says: where the block divides "
                                    "the size, the quotient plus 1 is one too many")});
  }
  expect_most(work.barriers, budget.barriers,
              "blocks reach " + std::to_string(work.barriers) + " barriers; expected " +
                  decimal(budget.barriers, 0) +
                  " at most: which of them could go, because no thread uses what another did "
                  "before it?");
  return violations;
}

std::vector<std::string> loose_limits(const Counters& counters, const Budget& budget,
                                      double cost_bytes) {
  std::vector<std::string> loose;
  const auto look_at = [&](const char* metric, double limit, double count) {
    if (2 * count > limit) return;
    loose.push_back(std::string(metric) + " = " + decimal(limit, 2) + ": the solution needs " +
                    decimal(count, 2) + ", and twice as much would pass");
  };
  double worst_line = 1;
  for (const LineRecord& record : counters.lines) {
    for (const Traffic traffic : detail::GLOBAL) {
      const Counts& counts = of(record.counts, traffic);
      if (counts.requests == 0) continue;
      worst_line =
          std::max(worst_line, detail::ratio(counts.moved_but_edges(), counts.coalesced()));
    }
  }
  const auto moved = static_cast<double>(detail::counted_bytes(counters));
  look_at("line_bytes", budget.line_bytes, worst_line);
  look_at("total_bytes", budget.total_bytes, moved / cost_bytes);
  return loose;
}

Violations detail::copy_violations(const Counters& counters, const Budget& budget,
                                   double cost_bytes) {
  std::uint64_t of_kernels = 0;
  for (const Counts& counts : counters.total()) of_kernels += counts.moved_but_edges();
  const double most = budget.total_bytes * cost_bytes;
  const auto needed = static_cast<double>(of_kernels);
  const auto copied = static_cast<double>(counters.work.copied_bytes);
  if (needed > most || needed + copied <= most) return {};
  return {{0, at_kernel(counters, "copies and fills (cudaMemcpyAsync, cudaMemsetAsync) move " +
                                      decimal(copied, 0) + " bytes beside the " +
                                      decimal(needed, 0) + " of the kernels, together " +
                                      decimal((needed + copied) / cost_bytes, 2) + " times the " +
                                      decimal(cost_bytes, 0) +
                                      " of the contract's Cost: let the kernel read the input and "
                                      "write the result")}};
}

}  // namespace tut
