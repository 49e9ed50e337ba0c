#include "tut/trial/page_end.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <vector>

#include "simt/runtime/interface.hpp"

namespace tut {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void set_open(std::byte* begin, std::size_t bytes, bool open) {
  mprotect(begin, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

/// Pages that are watched, at equal distances: where the first begins, how many bytes behind its
/// begin one was used first, and which.
struct WatchedPages {
  std::atomic<std::byte*> begin = nullptr;
  std::atomic<std::size_t> distance = 0, count = 0, used_at = 0, used_page = 0;

  /// Whether it is about one of them that an address was used which is closed.
  bool note(std::byte* address) {
    std::byte* const first = begin;
    if (first == nullptr || address < first) return false;
    const auto offset = static_cast<std::size_t>(address - first);
    const std::size_t page = offset / distance, behind = offset % distance;
    if (page >= count || behind >= page_size()) return false;
    if (used_at == 0) {
      used_page = page;
      used_at = behind + 1;
    }
    set_open(address - behind, page_size(), true);
    return true;
  }
};
constexpr int kMostWatched = 16;
std::array<WatchedPages, kMostWatched> watched_pages;
std::atomic<int> watched_count = 0;
struct sigaction action_before;
struct sigaction bus_action_before;

bool is_in(const std::byte* address, const std::byte* begin, std::size_t bytes) {
  return begin != nullptr && address >= begin && address < begin + bytes;
}

/// The matrix that is watched, and its inputs: which part is open, and what was counted.
struct Watch {
  /// So many uses are enough to know of; from then on nothing is closed.
  static constexpr int kMostUses = 20000;

  std::byte *output = nullptr, *inputs = nullptr;
  std::size_t row_bytes = 0, rows = 0, input_bytes = 0;
  std::vector<int> writes_of_rows;
  std::int64_t writes = 0;
  int uses = 0;
  std::size_t open_row = 0;  // `rows`: none
  bool inputs_are_open = false, written_after_inputs = false, was_shared = false;
  pthread_t owner{};

  void open_all() const {
    set_open(output, row_bytes * rows, true);
    set_open(inputs, input_bytes, true);
  }
  void close_row() {
    if (open_row < rows) set_open(output + open_row * row_bytes, row_bytes, false);
    open_row = rows;
  }
  void close_inputs() {
    if (inputs_are_open) set_open(inputs, input_bytes, false);
    inputs_are_open = false;
  }
  void use_inputs() {
    close_row();
    set_open(inputs, input_bytes, true);
    inputs_are_open = true;
    written_after_inputs = false;
  }
  /// A row opens for reading first. Who writes comes again.
  void use_row(std::size_t row) {
    std::byte* const begin = output + row * row_bytes;
    if (row != open_row) {
      close_row();
      close_inputs();
      mprotect(begin, row_bytes, PROT_READ);
      open_row = row;
      return;
    }
    set_open(begin, row_bytes, true);
    ++writes_of_rows[row];
    if (!written_after_inputs) ++writes;
    written_after_inputs = true;
  }
  /// Whether it is about this memory that an address was used which is closed.
  bool note(const std::byte* address) {
    const bool of_output = is_in(address, output, row_bytes * rows);
    if (!of_output && !is_in(address, inputs, input_bytes)) return false;
    if (pthread_equal(pthread_self(), owner) == 0) was_shared = true;
    if (++uses > kMostUses) {
      open_all();
    } else if (of_output) {
      use_row(static_cast<std::size_t>(address - output) / row_bytes);
    } else {
      use_inputs();
    }
    return true;
  }
};
Watch watch_state;
std::atomic<bool> is_watching = false;

/// Says at which line memory was used that is nobody's, where check mode can find it. The program
/// ends of that, so what else a signal's handler may not do is no matter.
void tell_line(const siginfo_t& info, const void* context) {
#ifdef __x86_64__
  if (simt_line_of_instruction == nullptr) return;
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const char* const line =
      simt_line_of_instruction(reinterpret_cast<const void*>(registers[REG_RIP]), false);
  constexpr greg_t kWrites = 2;
  if (*line == '\0') return;
  std::fflush(stdout);  // what has been said stands before it
  const char* const verb = info.si_code == SI_KERNEL             ? "reads or writes"  // not told
                           : (registers[REG_ERR] & kWrites) != 0 ? "writes"
                                                                 : "reads";
  std::fprintf(stderr,
               "%s: error: out-of-bounds: host code %s memory that is none of its own: check "
               "the indices of this line\n",
               line, verb);
#endif
}

/// Opens the page that was used, and lets the instruction try again. What belongs to none of them
/// is for whoever handled it before.
void page_used(int signal, siginfo_t* info, void* context) {
  auto* const address = static_cast<std::byte*>(info->si_addr);
  if (is_watching && watch_state.note(address)) return;
  for (WatchedPages& pages : watched_pages) {
    if (pages.note(address)) return;
  }
  if (info->si_code > 0) tell_line(*info, context);
  sigaction(signal, signal == SIGBUS ? &bus_action_before : &action_before, nullptr);
}

void handle_faults() {
  if (watched_count++ > 0) return;
  struct sigaction action {};
  action.sa_sigaction = page_used;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &action_before);
  sigaction(SIGBUS, &action, &bus_action_before);
}

void handle_faults_no_more() {
  if (--watched_count > 0) return;
  sigaction(SIGSEGV, &action_before, nullptr);
  sigaction(SIGBUS, &bus_action_before, nullptr);
}

int take_slot(std::byte* begin) {
  for (int i = 0; i < kMostWatched; ++i) {
    WatchedPages& pages = watched_pages[static_cast<std::size_t>(i)];
    std::byte* unused = nullptr;
    if (pages.begin.compare_exchange_strong(unused, begin)) return i;
  }
  throw std::length_error("more than " + std::to_string(kMostWatched) +
                          " pieces of memory are watched past their ends");
}

std::byte* map_pages(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

}  // namespace

PageEndMemory::PageEndMemory(std::size_t bytes, std::size_t pieces)
    : bytes_(bytes), distance_(whole_pages(bytes) + page_size()), pieces_(pieces) {
  end_ = map_pages(distance_ * pieces) + distance_ - page_size();
  slot_ = take_slot(end_);
  WatchedPages& pages = watched_pages[static_cast<std::size_t>(slot_)];
  pages.distance = distance_;
  pages.count = pieces;
  handle_faults();
  for (std::size_t i = 0; i < pieces; ++i) {
    mprotect(end_ + i * distance_, page_size(), i + 1 < pieces ? PROT_READ : PROT_NONE);
  }
}

PageEndMemory::~PageEndMemory() {
  handle_faults_no_more();
  WatchedPages& pages = watched_pages[static_cast<std::size_t>(slot_)];
  pages.used_at = 0;
  pages.begin = nullptr;
  munmap(end_ + page_size() - distance_, distance_ * pieces_);
}

std::size_t PageEndMemory::passed_by() const noexcept {
  return watched_pages[static_cast<std::size_t>(slot_)].used_at;
}

std::size_t PageEndMemory::passed_piece() const noexcept {
  return watched_pages[static_cast<std::size_t>(slot_)].used_page;
}

WatchedOutput::WatchedOutput(int rows, int cols) : rows_(rows), cols_(cols) {
  constexpr std::size_t kInputs = std::size_t{4} << 20;
  Watch& watch = watch_state;
  if (watch.output != nullptr) throw std::logic_error("another output is watched");
  watch = {};
  watch.rows = static_cast<std::size_t>(rows);
  watch.row_bytes = whole_pages(static_cast<std::size_t>(cols) * sizeof(float));
  watch.input_bytes = kInputs;
  watch.writes_of_rows.resize(watch.rows);
  watch.inputs = map_pages(watch.input_bytes);
  watch.output = map_pages(watch.row_bytes * watch.rows);
  stride_ = static_cast<std::int64_t>(watch.row_bytes / sizeof(float));
  data_ = reinterpret_cast<float*>(watch.output);
  handle_faults();
}

WatchedOutput::~WatchedOutput() {
  end();
  handle_faults_no_more();
  munmap(watch_state.output, watch_state.row_bytes * watch_state.rows);
  munmap(watch_state.inputs, watch_state.input_bytes);
  watch_state.output = watch_state.inputs = nullptr;
}

const float* WatchedOutput::add_input(std::size_t floats) {
  const std::size_t bytes = (floats * sizeof(float) + 63) / 64 * 64;
  if (used_of_inputs_ + bytes > watch_state.input_bytes) throw std::bad_alloc();
  auto* const input = reinterpret_cast<float*>(watch_state.inputs + used_of_inputs_);
  used_of_inputs_ += bytes;
  std::fill_n(input, floats, 1.0f);
  return input;
}

void WatchedOutput::begin() {
  Watch& watch = watch_state;
  watch.owner = pthread_self();
  watch.open_row = watch.rows;
  set_open(watch.output, watch.row_bytes * watch.rows, false);
  set_open(watch.inputs, watch.input_bytes, false);
  is_watching = true;
}

void WatchedOutput::end() {
  is_watching = false;
  watch_state.open_all();
}

int WatchedOutput::most_writes_of_a_row() const noexcept {
  return *std::ranges::max_element(watch_state.writes_of_rows);
}

std::int64_t WatchedOutput::writes() const noexcept { return watch_state.writes; }

bool WatchedOutput::was_shared() const noexcept { return watch_state.was_shared; }

}  // namespace tut
