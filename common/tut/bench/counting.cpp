#include "tut/bench/counting.hpp"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "simt/inspect/count/interface.hpp"
#include "tut/errors/check.hpp"

namespace tut {

TrafficCounts Counters::total() const {
  TrafficCounts sum;
  for (const LineRecord& record : lines) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += record.counts[i];
  }
  return sum;
}

std::uint64_t Counters::bytes_moved() const {
  std::uint64_t bytes = 0;
  for (const Counts& counts : total()) bytes += counts.moved();
  return bytes;
}

namespace {
CountingTrial* current_trial = nullptr;
}

CountingTrial::CountingTrial() { current_trial = this; }

CountingTrial::~CountingTrial() { current_trial = nullptr; }

CountingTrial* CountingTrial::current() noexcept { return current_trial; }

void CountingTrial::add(Counters counters) { trials_.push_back(std::move(counters)); }

const Counters& CountingTrial::counters() const {
  if (trials_.size() == 1) return trials_.front();
  throw std::logic_error("a budget is of one call; this was of " + std::to_string(trials_.size()));
}

bool can_count() { return simt_count_record != nullptr && simt_count_visit != nullptr; }

Counters counted(const std::function<void()>& call) {
  if (can_count()) simt_count_record();
  call();
  check(cudaDeviceSynchronize());
  Counters counters;
  if (!can_count()) return counters;
  counters.work = simt_count_work();
  simt_count_visit(
      [](void* context, const simt::inspect::CountedLine& line) {
        LineRecord record{line.kernel, line.kernel_file, line.kernel_line, line.file,
                          line.line,   line.exact,       *line.counts};
        if (const simt::inspect::CountedArray* array = line.conflicts) {
          record.conflicts = {
              array->name, array->element, {array->extents, array->extents + array->rank}};
        }
        static_cast<Counters*>(context)->lines.push_back(std::move(record));
      },
      &counters);
  return counters;
}

}  // namespace tut
