// The cures of races, chosen with all races of a launch in view.
#include "races.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace simt::inspect {
namespace {

bool is_of_block(Parties parties) { return parties >= Parties::block; }

bool same_thread(const Stamp& a, const Stamp& b) {
  return a.block == b.block && a.thread == b.thread;
}

/// Both threads write the element as if it were their own, which no barrier mends. In shared memory
/// the parts of a kernel use the same elements in turn.
bool is_disputed(const Race& race) {
  return race.both_write && race.parties != Parties::launches &&
         (!race.in_shared || race.finding.at == race.finding.other);
}

bool is_of_one_line(const Race& race) {
  return is_disputed(race) && race.finding.at == race.finding.other;
}

/// Keeps one race for each pair of lines, with what is known of all of them.
std::vector<Race> merged(std::vector<Race> races) {
  std::map<std::pair<std::string, std::string>, std::size_t> first;
  std::vector<Race> kept;
  for (Race& race : races) {
    const auto [known, added] =
        first.try_emplace({race.finding.at.text(), race.finding.other.text()}, kept.size());
    if (added) {
      kept.push_back(std::move(race));
      continue;
    }
    Race& same = kept[known->second];
    if (race.parties == Parties::block && same.parties == Parties::warp) {
      same.parties = Parties::block;
    }
    same.both_write = same.both_write || race.both_write;
  }
  return kept;
}

void find_disputes(std::vector<Race>& races) {
  for (Race& race : races) {
    race.both_write =
        race.both_write || std::any_of(races.begin(), races.end(), [&](const Race& other) {
          return other.both_write && other.is_between(race.word, race.threads[0], race.threads[1]);
        });
  }
}

/// A barrier of the warp is not enough if other races of the same stretch need the block's.
void widen(std::vector<Race>& races) {
  for (Race& race : races) {
    const bool wider = std::any_of(races.begin(), races.end(), [&](const Race& other) {
      return other.parties == Parties::block && other.stretch == race.stretch;
    });
    if (race.parties == Parties::warp && wider) race.parties = Parties::block;
  }
}

/// Says what is missing between the two accesses.
std::string missing_order(const Race& race) {
  if (race.parties == Parties::launches) {
    return " of kernel " + race.before_kernel + "; nothing orders the two launches";
  }
  std::string text = " at " + race.finding.other.text();
  if (race.parties == Parties::blocks && !race.brought) {
    return text + "; nothing orders the two blocks";
  }
  if (race.reads_on != nullptr) return text + " before " + race.reads_on + " has been waited for";
  if (race.brought) return text + ", a copy that the thread has not waited for";
  if (race.refilled) return text + ", and the copy does not wait for that";
  if (is_disputed(race)) return text + "; nothing orders the two threads";
  if (race.passed.known()) {
    return text + " with no barrier since then: both passed the one at " + race.passed.text() +
           " earlier, and this access belongs to the next iteration or call";
  }
  text += " with no barrier between";
  return race.between_rounds ? text + ", most likely from one iteration of a loop to the next"
                             : text;
}

std::string barrier_for(const Race& race) {
  if (race.reads_on != nullptr) {
    return std::string("wait for ") + race.reads_on + " by " + race.read_until +
           ", and let others write there only after that: by a barrier, or by an arrival that they "
           "wait for";
  }
  if (race.brought) {
    return "wait at the mbarrier that the copy completes, by the parity of its phase, before what "
           "it "
           "brings is used: no other barrier tells that a copy is done";
  }
  if (race.refilled) {
    return "let the copy begin only when all who use what is there have arrived at an mbarrier "
           "that "
           "its thread waits for, or have met it at a barrier";
  }
  if (race.waited_by != nullptr) {
    return std::string(race.waited_by) +
           " waits only for the copies of its own thread: put __syncthreads() after it, before "
           "other threads read what was copied";
  }
  if (race.of_phases) {
    return "let one of the two threads arrive behind its access, and the other one wait for that "
           "phase before its own, at the same mbarrier or named barrier; or put __syncthreads() "
           "between the two";
  }
  const bool same_line = race.finding.at == race.finding.other && !race.between_rounds;
  std::string cure =
      race.parties == Parties::warp ? "put __syncwarp() or __syncthreads()" : "put __syncthreads()";
  cure += race.passed.known()
              ? " after " + race.finding.other.text() + " or before " + race.finding.at.text()
              : " between the two";
  if (race.between_rounds) cure += ", at the end of the loop";
  if (same_line && race.in_shared && !race.passed.known()) {
    cure +=
        ": at the end of the loop if the two accesses are in different iterations; if they are in "
        "the same iteration, read into a variable first and write after the barrier";
  }
  if (!race.in_shared)
    cure += "; or, if neither needs the other's value, give each thread its own elements";
  if (race.parties == Parties::block_of_one_warp) {
    cure += ", or __syncwarp() as long as a block is one warp";
  }
  return cure;
}

std::string cure_of(const Race& race) {
  if (race.parties == Parties::launches && !race.variable.empty()) {
    // The caller chooses the streams of the calls.
    return race.variable +
           " is one variable that all calls share: keep its value in memory that the caller "
           "provides, or do without it";
  }
  if (race.parties == Parties::launches) {
    return "use one stream, or make one stream wait for the other with cudaEventRecord and "
           "cudaStreamWaitEvent";
  }
  if (race.ticket.known()) {
    return "no __threadfence() stands between what a block writes and the atomic at " +
           race.ticket.text() +
           ": put one there, so that the block that comes last sees what the others wrote. "
           "(__syncthreads() orders its own block only, and volatile orders nothing.)";
  }
  if (race.of_long_launch && race.parties == Parties::blocks && !race.of_block_atomic) {
    return std::string(kCountIn64Bits) +
           "; in 32 bits the counts wrap around, and several threads use one element";
  }
  if (is_disputed(race)) {
    const bool same_line = race.finding.at == race.finding.other;
    return "let only one thread write each element: " + race.writers + " both write " +
           race.element + "; check the index" +
           (same_line ? ", or use an atomic if both are meant to add to it" : "");
  }
  if (is_of_block(race.parties) || race.brought) return barrier_for(race);
  if (race.unfenced.known()) {
    return "there is no __threadfence() between " + race.finding.other.text() +
           " and the atomic at " + race.unfenced.text() +
           ": put one there, so that a thread that sees the atomic's result also sees what was "
           "written before it";
  }
  if (race.block_fence.known()) {
    return "the fence before the atomic at " + race.block_fence.text() +
           " orders only what its own block sees, as __threadfence_block() does: use "
           "__threadfence(), which also orders what other blocks see";
  }
  if (race.early_fence.known()) {
    return "the __threadfence() before the atomic at " + race.early_fence.text() +
           " comes before the write at " + race.finding.other.text() +
           ", and a fence orders only what comes before it: move it between that write and the "
           "atomic";
  }
  if (race.counted.known()) {
    return "the read came first: its block did not wait for this write. If only the last "
           "block to arrive is meant to read, check what the result of the atomic at " +
           race.counted.text() + " is compared with";
  }
  if (race.of_cluster) return std::string(kClusterBarrier);
  return race.of_block_atomic
             ? "an atomic whose name ends in _block is atomic within one block only; use the one "
               "without _block"
             : "give each block elements of its own; or let each block signal by an atomic, after "
               "a __threadfence(), that it has written; or use two launches";
}

/// Races that one barrier mends, which may stand anywhere between two lines; or one index.
struct Group {
  std::string what;
  std::uintptr_t stretch;
  bool by_barrier;
  int after;
  int before;

  /// Is the race mended as well? Then the group's barrier has to stand between its lines, too.
  bool takes(const Race& race, const std::string& mended_by) {
    if (what != mended_by || stretch != race.stretch) return false;
    if (!by_barrier) return true;
    const int low = std::max(after, race.earlier_line);
    const int high = std::min(before, race.later_line);
    if (low >= high) return false;
    after = low;
    before = high;
    return true;
  }
};

}  // namespace

bool Race::is_between(std::uintptr_t other_word, const Stamp& one, const Stamp& other) const {
  return word == other_word && ((same_thread(threads[0], one) && same_thread(threads[1], other)) ||
                                (same_thread(threads[0], other) && same_thread(threads[1], one)));
}

void HeldRaces::add(Race race, std::uintptr_t site, std::uintptr_t other) {
  race_at_[{site, other}] = races_.size();
  races_.push_back(std::move(race));
}

Race* HeldRaces::find(std::uintptr_t site, std::uintptr_t other) {
  const auto found = race_at_.find({site, other});
  return found == race_at_.end() ? nullptr : &races_[found->second];
}

void HeldRaces::both_write(std::uintptr_t word, const Stamp& before, const Stamp& now) {
  for (Race& race : races_) {
    if (race.is_between(word, before, now)) race.both_write = true;
  }
}

void HeldRaces::drop_between_blocks() {
  std::erase_if(races_, [](const Race& race) { return race.parties == Parties::blocks; });
}

std::vector<Race> HeldRaces::take() {
  race_at_.clear();
  held_for_ = 0;
  return std::exchange(races_, {});
}

std::vector<Finding> findings_of(std::vector<Race> races) {
  find_disputes(races);
  races = merged(std::move(races));
  widen(races);
  std::stable_sort(races.begin(), races.end(), [](const Race& a, const Race& b) {
    // A race of writes by one line comes first: others read these values too early in any case.
    return std::make_tuple(!is_of_one_line(a), a.between_rounds, a.later_line, -a.earlier_line) <
           std::make_tuple(!is_of_one_line(b), b.between_rounds, b.later_line, -b.earlier_line);
  });
  std::vector<Group> groups;
  std::vector<Finding> findings;
  for (Race& race : races) {
    std::string cure = cure_of(race);
    const bool disputed = is_disputed(race);
    const bool by_barrier = !disputed && is_of_block(race.parties) && !race.between_rounds &&
                            !race.passed.known() && race.waited_by == nullptr;
    const std::string what = disputed ? race.element.substr(0, race.element.find('[')) : cure;
    const bool said = std::any_of(groups.begin(), groups.end(),
                                  [&](Group& group) { return group.takes(race, what); });
    if (!said) {
      groups.push_back({what, race.stretch, by_barrier, race.earlier_line, race.later_line});
      race.finding.cure = std::move(cure);
    }
    race.finding.message += missing_order(race) + " [" + race.launch + "]";
    findings.push_back(std::move(race.finding));
  }
  return findings;
}

}  // namespace simt::inspect
