#include "request.hpp"

#include <algorithm>

namespace simt::inspect {
namespace {

constexpr unsigned kWord = 4;  // bytes that a bank gives at once

/// Distinct sectors and distinct bytes of ascending addresses.
struct Footprint {
  std::uint64_t sectors = 0;
  std::uint64_t bytes = 0;
  unsigned runs = 0;                  ///< of neighbouring bytes
  std::uint64_t sectors_of_runs = 0;  ///< that each run's bytes would fill, packed and aligned
};

Footprint footprint(const std::uintptr_t* addresses, unsigned count, unsigned size) {
  Footprint result;
  std::uintptr_t sectors_end = 0;  // the first that has not been counted
  std::uintptr_t bytes_end = 0;
  std::uint64_t run = 0;  // bytes of the last one
  const auto end_run = [&] { result.sectors_of_runs += (run + kSector - 1) / kSector; };
  for (unsigned i = 0; i < count; ++i) {
    const std::uintptr_t begin = addresses[i];
    const std::uintptr_t end = begin + size;
    const std::uintptr_t first = std::max(begin / kSector, sectors_end);
    const std::uintptr_t last = (end - 1) / kSector + 1;
    if (last > first) {
      result.sectors += last - first;
      sectors_end = last;
    }
    if (begin > bytes_end || i == 0) {
      end_run();
      run = 0;
      ++result.runs;
    }
    if (end > bytes_end) {
      const std::uint64_t more = end - std::max(begin, bytes_end);
      result.bytes += more;
      run += more;
      bytes_end = end;
    }
  }
  end_run();
  return result;
}

/// The most lanes at one of ascending addresses.
unsigned most_equal(const std::uintptr_t* addresses, unsigned count) {
  unsigned most = 1;
  unsigned run = 1;
  for (unsigned i = 1; i < count; ++i) {
    run = addresses[i] == addresses[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

/// Sectors that the lanes would touch if each used the place in a row that it has in the warp.
std::uint64_t sectors_side_by_side(const Request& request) {
  std::uint64_t sectors = 0;
  unsigned next = 0;  // the first that has not been counted
  for (unsigned i = 0; i < request.count; ++i) {
    const unsigned first = std::max(request.lanes[i] * request.size / kSector, next);
    const unsigned end = ((request.lanes[i] + 1) * request.size - 1) / kSector + 1;
    if (end <= first) continue;
    sectors += end - first;
    next = end;
  }
  return sectors;
}

void count_global(const Request& request, Traffic traffic, Counts& counts) {
  std::uintptr_t sorted[kLanes];
  const std::uintptr_t* addresses = request.addresses;
  if (!std::is_sorted(addresses, addresses + request.count)) {
    std::copy_n(addresses, request.count, sorted);
    std::sort(sorted, sorted + request.count);
    addresses = sorted;
  }
  const Footprint touched = footprint(addresses, request.count, request.size);
  counts.bytes += touched.bytes;
  counts.sectors += touched.sectors;
  const std::uint64_t ideal = (touched.bytes + kSector - 1) / kSector;
  counts.ideal_sectors += ideal;
  // Two runs: lanes that are numbered through a tile come to the end of one of its rows.
  std::uint64_t coalesced = std::max(ideal, sectors_side_by_side(request));
  if (traffic == Traffic::global_load && touched.runs == 2)
    coalesced = std::max(coalesced, touched.sectors_of_runs);
  counts.coalesced_sectors += std::min(touched.sectors, coalesced);
  if (is_atomic(traffic)) {
    const unsigned most = most_equal(addresses, request.count);
    counts.repeats += most - 1;
    counts.worst = std::max<std::uint64_t>(counts.worst, most);
  } else {
    counts.worst = std::max(counts.worst, touched.sectors);
  }
}

/// Is every lane's partner, whose number differs in `bit`, absent or at the same address?
bool partners_agree(const Request& request, unsigned bit) {
  std::uintptr_t address[kLanes];
  std::uint32_t present = 0;
  for (unsigned i = 0; i < request.count; ++i) {
    address[request.lanes[i]] = request.addresses[i];
    present |= 1U << request.lanes[i];
  }
  for (unsigned i = 0; i < request.count; ++i) {
    const unsigned partner = request.lanes[i] ^ bit;
    if ((present >> partner & 1U) != 0 && address[partner] != request.addresses[i]) return false;
  }
  return true;
}

// A pass through the banks brings 128 bytes. So 8-byte accesses go half a warp at a time, and
// 16-byte accesses a quarter. If pairs of lanes (i and i^1, or i and i^2, the same throughout the
// warp) want the same, or one of them nothing, a load goes twice as many lanes at a time.
// Source: NVIDIA says so of 128 bytes (developer forum, "How to understand the bank conflict of
// shared_mem", 260900); the pairs are known from measurements only ("CUDA Shared Memory access
// mechanism with vectorized instructions", code.hitori.moe, 2023, and others that repeated them
// with Nsight Compute).
unsigned lanes_at_once(const Request& request, Traffic traffic) {
  if (request.size <= kWord) return kLanes;
  const unsigned lanes = kLanes * kWord / request.size;
  const bool pairs =
      traffic == Traffic::shared_load && (partners_agree(request, 1) || partners_agree(request, 2));
  return pairs ? 2 * lanes : lanes;
}

/// How often the busiest bank is needed. Lanes that read or write the same word share it; atomics
/// on it take turns.
class Banks {
 public:
  void add(std::uintptr_t word, bool shared) {
    const unsigned bank = word % kBanks;
    const unsigned used = used_[bank];
    for (unsigned i = 0; shared && i < used; ++i) {
      if (words_[bank][i] == word) return;
    }
    words_[bank][used] = word;
    busiest_ = std::max<unsigned>(busiest_, ++used_[bank]);
  }

  unsigned busiest() const { return busiest_; }

 private:
  std::uint8_t used_[kBanks] = {};
  std::uintptr_t words_[kBanks][kLanes];
  unsigned busiest_ = 0;
};

/// Whether most lanes are further than one access from the lane before.
bool is_scattered(const Request& request) {
  unsigned apart = 0;
  for (unsigned i = 1; i < request.count; ++i) {
    const std::uintptr_t before = request.addresses[i - 1], here = request.addresses[i];
    apart += std::max(before, here) - std::min(before, here) > request.size ? 1 : 0;
  }
  return 2 * apart > request.count - 1;
}

void count_shared(const Request& request, Traffic traffic, Counts& counts) {
  counts.scattered += is_scattered(request) ? 1 : 0;
  const unsigned at_once = lanes_at_once(request, traffic);
  for (unsigned i = 0; i < request.count;) {
    Banks banks;
    const unsigned phase = request.lanes[i] / at_once;
    for (; i < request.count && request.lanes[i] / at_once == phase; ++i) {
      const std::uintptr_t begin = request.addresses[i] / kWord;
      const std::uintptr_t end = (request.addresses[i] + request.size - 1) / kWord + 1;
      for (std::uintptr_t word = begin; word < end; ++word) banks.add(word, !is_atomic(traffic));
    }
    counts.wavefronts += banks.busiest();
    counts.conflicts += banks.busiest() - 1;
    counts.note_worst(banks.busiest(), request.addresses[0]);
  }
  counts.bytes += std::uint64_t{request.count} * request.size;
}

}  // namespace

const char* name_of(Traffic traffic) {
  static constexpr std::array<const char*, kTrafficKinds> names = {
      "global_load", "global_store", "global_atomic",
      "shared_load", "shared_store", "shared_atomic"};
  return names[static_cast<std::size_t>(traffic)];
}

void count_request(const Request& request, Traffic traffic, Counts& counts) {
  ++counts.requests;
  counts.lanes += request.count;
  if (is_shared(traffic)) {
    count_shared(request, traffic, counts);
  } else {
    count_global(request, traffic, counts);
  }
}

}  // namespace simt::inspect
