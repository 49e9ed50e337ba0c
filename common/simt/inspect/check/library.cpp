// What the calls of libraries do to memory. Their own code is not watched: they say it beforehand.
#include "simt/library.hpp"

#include <algorithm>

#include "checker.hpp"
#include "job.hpp"
#include "memory.hpp"
#include "sites.hpp"

namespace simt::inspect {
namespace {

/// The call on the innermost line of the learner's own source; 0 if it is not known.
std::uintptr_t learners_call() {
  for (void* call : host_calls()) {
    if (source_line(address_of(call)).known()) return address_of(call);
  }
  return 0;
}

}  // namespace

void Checker::library_used(std::span<const MemoryUse> uses) {
  const AtWork at_work;
  in_library_ = true;
  // In place it reads first.
  for (const MemoryUse& use : uses) {
    if (!use.writes) library_use(use);
  }
  for (const MemoryUse& use : uses) {
    if (use.writes) library_use(use);
  }
  in_library_ = false;
}

void Checker::library_use(const MemoryUse& use) {
  const std::uintptr_t begin = address_of(use.address);
  const std::uintptr_t end = begin + (use.rows - 1) * use.pitch + use.width;
  const Access kind = use.writes ? Access::write : Access::read;
  const auto at = [&](std::uintptr_t address) {
    return Place{address, 1, kind, learners_call(), Strength::plain};
  };
  const auto range = detail::Memory::instance().find(use.address);
  if (!memory_.covers(begin) && begin >= kFirstPage) {
    if (range || (trusts_program_data_ && symbols_.covers(begin))) return;
    return report_place(
        Kind::host_access, at(begin),
        [&] { return who(detail::current_block) + " " + verb(kind) + " host memory"; },
        "pass a pointer to device memory");
  }
  if (!range || end > range->base + range->size) {
    const Place bad = at(range ? range->base + range->size : begin);
    out_of_bounds(bad);
    in_library_ = false;
    end_kernel();
  }
  for (std::size_t row = 0; row < use.rows; ++row) {
    const std::uintptr_t address = begin + row * use.pitch;
    if (use.writes) {
      memory_.host_writes(address, use.width);
      continue;
    }
    const std::size_t missing = memory_.first_unwritten(address, use.width);
    if (missing == use.width) continue;
    const Place place = at(address + missing);
    if (Findings::instance().is_new(Kind::uninitialised, place.site, 0)) {
      report_unwritten(place.site, who(detail::current_block), place.address);
    }
    break;
  }
  use_range(
      {begin, use.width, use.rows, use.pitch, use.writes, job_->kernel->name, timelines_.last()});
}

}  // namespace simt::inspect
