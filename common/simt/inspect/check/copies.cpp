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

void CopiesUnderWay::remove(std::uintptr_t to, unsigned thread) {
  const auto [first, last] = copies_.equal_range(to);
  const auto ended =
      std::find_if(first, last, [&](const auto& one) { return one.second.thread == thread; });
  if (ended != last) copies_.erase(ended);
}

const CopyUnderWay* CopiesUnderWay::find(std::uintptr_t address, std::size_t size) const {
  for (auto at = copies_.lower_bound(address - std::min(address, longest_));
       at != copies_.end() && at->first < address + size; ++at) {
    if (at->second.to + at->second.size > address) return &at->second;
  }
  return nullptr;
}

// Whoever uses memory that a copy is yet to write meets either what was there or what is to come,
// even the copy's own thread, which has not waited for it.
void Checker::used_under_way(const CopyUnderWay& copy, const Place& place, const Stamp& now) {
  const std::uintptr_t begun = copy.site;
  if (!Findings::instance().is_new(Kind::race, place.site, begun)) return;
  Findings::instance().is_new(Kind::race, begun, place.site);  // when the copy is done, once more
  Finding finding;
  finding.kind = Kind::race;
  finding.at = line_of_call(place.site);
  finding.other = source_line(begun);
  finding.other_is = "the copy";
  const bool own = copy.thread == now.thread;
  finding.message = who(detail::current_block) + ' ' + verb(place.kind) + ' ' +
                    describe(place.address) + ", and the copy to it that " +
                    (own ? "the same thread"
                         : thread_text(watch_of(*detail::current_block).order.stamp(copy.thread))) +
                    " started at " + finding.other.text() + " has not been waited for";
  finding.cure =
      "let the thread that copies wait for its copy, cp.async.wait_group behind "
      "cp.async.commit_group or __pipeline_wait_prior, and the threads meet behind that";
  report(std::move(finding));
}

void Checker::async_copy_begins(const void* to, std::size_t size, const void* site) {
  const Block& block = *detail::current_block;
  const std::uintptr_t begin = address_of(to);
  if (begin - address_of(block.shared_memory) >= detail::shared_space()) return;
  BlockWatch& watch = watch_of(block);
  watch.under_way.add({begin, size, block.running_thread(), address_of(site)});
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
  watch.under_way.remove(address_of(to), thread);
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
