// Asynchronous copies to shared memory. Check mode does them where their thread waits, and there
// they are writes like others. A GPU may do them as soon as they have begun: what others read
// before has to be ordered before the beginning.
#include <algorithm>
#include <cstring>

#include "checker.hpp"
#include "shared_use.hpp"
#include "sites.hpp"

namespace simt::inspect {

using detail::Block;

namespace {

constexpr unsigned kPiece = 16;  // bytes

}  // namespace

void Checker::async_copy_begins(const void* to, std::size_t size, const void* site) {
  const Block& block = *detail::current_block;
  const std::uintptr_t begin = address_of(to);
  if (begin - address_of(block.shared_memory) >= detail::shared_space()) return;
  BlockWatch& watch = watch_of(block);
  watch.under_way.push_back({begin, size, block.running_thread(), address_of(site)});
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
  const unsigned thread = block.running_thread();
  const auto ended = std::find_if(
      watch.under_way.begin(), watch.under_way.end(),
      [&](const CopyUnderWay& one) { return one.to == address_of(to) && one.thread == thread; });
  if (ended != watch.under_way.end()) watch.under_way.erase(ended);
  if (watch.begun.empty()) return;
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

// Reads of shared memory by copy engines and tensor cores. They may happen until the thread waits
// that started them: nobody may write there meanwhile, however that is ordered with what the thread
// does.

void Checker::async_read_begins(std::uintptr_t address, LastWrite* writes) {
  static_assert(sizeof(LastWrite) == sizeof(Stamp));
  BlockWatch& watch = watch_of(*detail::current_block);
  for (unsigned i = 0; i < kPiece / kWord; ++i) {
    const Cell& cell = watch.shared.cell(address + i * kWord);
    const Stamp last = cell.owner == watch.identity && cell.write_mask != 0 ? cell.write : Stamp{};
    std::memcpy(&writes[i], &last, sizeof(last));
  }
}

void Checker::async_read_ends(std::uintptr_t address, const CallMark& call, const LastWrite* writes,
                              bool alone) {
  const std::uintptr_t site = address_of(call.site);
  const Block& block = *detail::current_block;
  BlockWatch& watch = watch_of(block);
  const Stamp now = stamp(block, site);
  for (unsigned i = 0; i < kPiece / kWord; ++i) {
    const std::uintptr_t word = address + i * kWord;
    const Cell& cell = watch.shared.cell(word);
    if (cell.owner != watch.identity || cell.write_mask == 0) continue;
    if (std::memcmp(&writes[i], &cell.write, sizeof(Stamp)) == 0) continue;
    const Place place{word, kWord, Access::read, site, Strength::plain};
    reads_on_ = &call;
    written_by_ = watch.copy_to(cell);
    conflict(cell.write, Strength::plain, true, place, now);
    reads_on_ = nullptr;
    written_by_ = nullptr;
    return;
  }
  if (!alone) return;
  // Whoever writes later has to be ordered behind this moment.
  access(address, kPiece, Access::read, site);
}

}  // namespace simt::inspect
