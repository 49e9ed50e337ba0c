// Asynchronous copies to shared memory. Check mode does them where their thread waits, and there
// they are writes like others. A GPU may do them as soon as they have begun: what others read
// before has to be ordered before the beginning.
#include <algorithm>

#include "checker.hpp"
#include "shared_use.hpp"
#include "sites.hpp"

namespace simt::inspect {

using detail::Block;

void Checker::async_copy_begins(const void* to, std::size_t size, const void* site) {
  const Block& block = *detail::current_block;
  const std::uintptr_t begin = address_of(to);
  if (begin - address_of(block.shared_memory) >= detail::shared_space()) return;
  BlockWatch& watch = watch_of(block);
  const Stamp now = stamp(block, address_of(site));
  for (std::uintptr_t word = begin & ~(kWord - 1); word < begin + size; word += kWord) {
    const Cell& cell = watch.shared.cell(word);
    if (cell.owner != watch.identity) continue;  // nobody has used it yet
    for (int i = 0; i < 2; ++i) {
      const Stamp& reader = cell.reads[i];
      if (cell.read_masks[i] == 0 || ordered(reader, now)) continue;
      const std::uintptr_t other = unpack(reader.site);
      const Place place{word, kWord, Access::write, address_of(site), Strength::plain};
      watch.begun.push_back({to, block.running_thread(), reader, place.site, other,
                             race_between(reader, Strength::plain, false, place, now)});
    }
  }
}

// Where nothing has come between the read and the end of the copy, either, the write that is about
// to be done is found to race.
void Checker::async_copy_ends(const void* to) {
  const Block& block = *detail::current_block;
  BlockWatch& watch = watch_of(block);
  if (watch.begun.empty()) return;
  const unsigned thread = block.running_thread();
  const Stamp now = watch.order.stamp(thread);
  const auto is_done = [&](const BegunCopy& one) { return one.to == to && one.thread == thread; };
  for (const BegunCopy& one : watch.begun) {
    if (!is_done(one) || !ordered(one.reader, now)) continue;
    if (!Findings::instance().is_new(Kind::race, one.site, one.other)) continue;
    hold(one.race, one.site, one.other);
  }
  watch.begun.erase(std::remove_if(watch.begun.begin(), watch.begun.end(), is_done),
                    watch.begun.end());
}

}  // namespace simt::inspect
