// Asynchronous copies to shared memory. Check mode does them where their thread waits, and there
// they are writes like others. A GPU may do them as soon as they have begun: what others read
// before has to be ordered before the beginning.
#include <algorithm>
#include <cstring>

#include "checker.hpp"
#include "cluster.hpp"
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
void Checker::used_under_way(const BlockWatch& owner, const CopyUnderWay& copy, const Place& place,
                             const Stamp& now) {
  const std::uintptr_t begun = copy.site;
  if (!Findings::instance().is_new(Kind::race, place.site, begun)) return;
  Findings::instance().is_new(Kind::race, begun, place.site);  // when the copy is done, once more
  Finding finding;
  finding.kind = Kind::race;
  finding.at = line_of_call(place.site);
  finding.other = source_line(begun);
  finding.other_is = "the copy";
  const Stamp copies = owner.order.stamp(copy.thread);
  const bool own = copies.block == now.block && copies.thread == now.thread;
  finding.message = who(detail::current_block) + ' ' + verb(place.kind) + ' ' +
                    describe(place.address) + ", and the copy to it that " +
                    (own ? "the same thread" : thread_text(copies)) + " started at " +
                    finding.other.text() + " has not been waited for";
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

// A copy from shared memory to shared memory, perhaps another block's, may read its source until
// the phase of its mbarrier completes. Who writes there has to know of that, and so has the block
// before it ends: by that barrier, or from those who have waited for it.

void Checker::copy_sent(const void* from, std::size_t size, const void* barrier,
                        const CallMark& call) {
  const Block& block = *detail::current_block;
  const Stamp now = stamp(block, address_of(call.site));
  const std::uintptr_t begin = address_of(from);
  const ReleaseLog& log = log_of(address_of(barrier));
  std::vector<BlockWatch::SentCopy>& sent = watch_of(detail::owner_of(from)).sent;
  // Who knows of this one knows of those that its thread knows of.
  std::erase_if(sent, [&](const BlockWatch::SentCopy& one) {
    return begin <= one.from && one.from + one.size <= begin + size &&
           watch_of(block).order.knows(now.thread, one.told);
  });
  sent.push_back({begin, size, now, call, {&log, log.size()}});
}

void Checker::compare_sent(const BlockWatch& watch, const Place& place, const Stamp& now) {
  for (const BlockWatch::SentCopy& copy : watch.sent) {
    const bool overlaps =
        place.address < copy.from + copy.size && copy.from < place.address + place.size;
    if (!overlaps || watch_of(*detail::current_block).order.knows(now.thread, copy.told)) continue;
    if (!Findings::instance().is_new(Kind::race, place.site, address_of(copy.call.site))) continue;
    Finding finding;
    finding.kind = Kind::race;
    finding.at = line_of_call(place.site);
    finding.other = line_of_call(address_of(copy.call.site), calls_[copy.call.calls]);
    finding.message = thread_text(now) + ' ' + verb(place.kind) + ' ' + describe(place.address) +
                      ", which the copy that " + thread_text(copy.by) + " started at " +
                      finding.other.text() + " may still read: the thread does not know of its end";
    finding.cure =
        "write there only behind a wait for the mbarrier that the copy completes; the block that "
        "waits for it has to let this one know, by an arrival at an mbarrier or by a barrier of "
        "the cluster";
    report(finding);
  }
}

void Checker::tell_late_copies(const Block& block) {
  const BlockWatch& watch = watch_of(block);
  for (const BlockWatch::SentCopy& copy : watch.sent) {
    const bool has_met = copy.phase != 0 && copy.phase <= watch.cluster_waited;
    if (has_met || watch.order.any_knows(copy.told)) continue;
    const std::uintptr_t site = address_of(copy.call.site);
    if (!Findings::instance().is_new(Kind::use_after_free, site, 0)) continue;
    Finding finding = finding_at(
        Kind::use_after_free, copy.call.site,
        "block " + block_text(block) +
            " has ended, and does not know of the end of the copy that " + thread_text(copy.by) +
            " started here: the block's shared memory may end before all is read",
        "let the block that waits for the mbarrier of the copy meet this one after that, before it "
        "ends: cluster.sync(), or barrier.cluster.arrive and .wait");
    finding.at = line_of_call(site, calls_[copy.call.calls]);
    report(std::move(finding));
  }
}

}  // namespace simt::inspect
