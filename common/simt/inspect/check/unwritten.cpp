// Reads of memory that nothing has written.
#include <set>

#include "checker.hpp"
#include "memory.hpp"
#include "pending_read.hpp"
#include "sites.hpp"

namespace simt::inspect {

using detail::Block;

// A read of shared memory that nothing had written is a race, found as such, if another thread
// writes there before the next barrier: then it was only the order of threads that made it early.
void Checker::tell_unwritten(const Block& block) {
  BlockWatch& watch = watch_of(block);
  for (const EarlyRead& early : watch.unwritten) {
    const Cell& cell = watch.shared.cell(early.address);
    const unsigned byte = 1U << (early.address % kWord);
    const auto since = [&](const Stamp& write) {
      return write.epoch == early.stamp.epoch && write.thread != early.stamp.thread;
    };
    bool written_since = (cell.write_mask & byte) != 0 && since(cell.write);
    if (cell.has_strong && !is_update(early.place.kind)) {  // updates do not race with each other
      for (const StrongUse& use : watch.shared.strong(early.address & ~(kWord - 1)).writes) {
        written_since = written_since || ((use.mask & byte) != 0 && since(use.stamp));
      }
    }
    if (written_since) continue;
    if (early.copy != 0) {
      unfinished_copy(early);
    } else {
      uninitialised(early.place, early.stamp, early.address);
    }
  }
  watch.unwritten.clear();
}

// What a thread has started and never waited for is known only when it has ended.
void Checker::tell_left_over(const Block& block) {
  const auto tell = [&](Kind kind, const detail::LeftOver& left, const char* what,
                        const char* cure) {
    const std::uintptr_t site = address_of(left.site);
    if (left.site == nullptr || early_products_.contains(site)) return;
    if (!Findings::instance().is_new(kind, site, 0)) return;
    report(finding_at(
        kind, left.site,
        thread_text(watch_of(block).order.stamp(left.thread)) + " has ended, and " + what, cure));
  };
  tell(Kind::uninitialised, detail::product_left_over(block),
       "the product that it started here has not been waited for: its sums are undefined",
       "commit it, and wait for its group (wgmma.wait_group) before its sums are used");
  tell(Kind::use_after_free, detail::copy_left_over(block),
       "the copy from shared memory that it started here has not been waited for: the block's "
       "shared "
       "memory may end before all is read",
       "commit it, and let the thread that started it wait for its group "
       "(cp.async.bulk.wait_group.read)");
}

void Checker::unfinished_copy(const EarlyRead& early) {
  reads_undefined_shared_ = true;
  if (!Findings::instance().is_new(Kind::uninitialised, early.place.site, 0)) return;
  report(finding_at(Kind::uninitialised, reinterpret_cast<const void*>(early.place.site),
                    thread_text(early.stamp) + " reads " + describe(early.address) +
                        ", which the copy started at " + source_line(early.copy).text() +
                        " is to bring, and that copy has not been waited for",
                    "wait for the group that this copy is in before the barrier: count the groups "
                    "that are committed after it, empty ones too"));
}

void Checker::uninitialised(const Place& place, const Stamp& now, std::uintptr_t first) {
  if (ArrayNames::is_shared(first)) reads_undefined_shared_ = true;
  if (!Findings::instance().is_new(Kind::uninitialised, place.site, 0)) return;
  report_unwritten(place.site, thread_text(now), first);
}

void Checker::report_unwritten(std::uintptr_t site, const std::string& reader,
                               std::uintptr_t first) {
  report(finding_at(Kind::uninitialised, reinterpret_cast<const void*>(site),
                    reader + " reads " + describe(first) + ", which nothing has written",
                    cure_of_unwritten(first)));
}

// A host that fills a part of an allocation, and passes it to kernels that write none of it, means
// them to read that part: then the index is wrong, and no initialisation was forgotten.
std::string Checker::cure_of_unwritten(std::uintptr_t first) {
  if (ArrayNames::is_shared(first)) return cure_of_unwritten_shared(first);
  const Allocation* const allocation = memory_.allocation_at(first);
  if (allocation == nullptr || !allocation->filled_by_host || allocation->filled_by_kernel) {
    return "write it first; the contents of new device memory are undefined";
  }
  const std::string filled = "the host has filled other parts of this memory, and not this one";
  const std::string meant = filled_element_behind(first);
  if (meant.empty()) return filled + ": check the index; fill this part only if the index is right";
  return filled + ", but it has filled " + meant +
         ": most likely a 32-bit index has wrapped around; compute offsets in std::int64_t";
}

// A block that has written a part of an array meant that part to be read, unless it was read
// before: then the array has not been given its first values at all.
std::string Checker::cure_of_unwritten_shared(std::uintptr_t first) {
  BlockWatch& watch = watch_of(*detail::current_block);
  const auto word_of = [](std::uintptr_t address) { return address & ~(kWord - 1); };
  std::set<std::uintptr_t> early;
  for (const EarlyRead& read : watch.unwritten) early.insert(word_of(read.address));
  const auto is_written = [&](std::uintptr_t address) {
    const Cell& cell = watch.shared.cell(address);
    return cell.owner == watch.identity && (cell.valid >> (address % kWord) & 1U) != 0;
  };
  for (const BlockWatch::SharedArray& array : watch.arrays) {
    if (first - array.begin >= array.size) continue;
    for (std::uintptr_t other = array.begin; other < array.begin + array.size; ++other) {
      if (!is_written(other) || early.contains(word_of(other))) continue;
      return "the block has written other elements, such as " + describe(other) +
             ": compare this index with the one that writes, also in a partial tile; if both are "
             "right, write this element as well";
    }
  }
  return "write it first; the contents of shared memory are undefined when a block begins";
}

/// The next element of the same memory that lies some 2^32 elements behind, and is written; "" if
/// there is none.
std::string Checker::filled_element_behind(std::uintptr_t address) const {
  detail::Memory& memory = detail::Memory::instance();
  const auto range = memory.find(reinterpret_cast<void*>(address));
  for (const NamedArray& argument : names_.arguments()) {
    const auto own = memory.find(reinterpret_cast<void*>(argument.base));
    if (!range || !own || own->base != range->base || address < argument.base) continue;
    const std::size_t turn = argument.element << 32;
    const std::size_t left = range->base + range->size - address;
    for (std::size_t turns = 1; turns * turn < left; ++turns) {
      const std::uintptr_t meant = address + turns * turn;
      if (!memory_.is_written(meant)) continue;
      const std::string times = turns == 1 ? "" : std::to_string(turns) + " * ";
      return describe(meant) + ", which lies " + times + "2^32 elements after it";
    }
  }
  return "";
}

}  // namespace simt::inspect
