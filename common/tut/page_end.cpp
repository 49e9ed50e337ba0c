#include "tut/page_end.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <new>
#include <stdexcept>

namespace tut {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

/// The pages that are watched: where each begins, and how many bytes behind that it was used first.
struct WatchedPage {
  std::atomic<std::byte*> begin = nullptr;
  std::atomic<std::size_t> used_at = 0;
};
constexpr int kMostPages = 16;
std::array<WatchedPage, kMostPages> watched_pages;
std::atomic<int> watched_count = 0;
struct sigaction action_before;

/// Opens the page that was used, and lets the instruction try again. What belongs to none of them
/// is for whoever handled it before.
void page_used(int /*signal*/, siginfo_t* info, void* /*context*/) {
  auto* const address = static_cast<std::byte*>(info->si_addr);
  for (WatchedPage& page : watched_pages) {
    std::byte* const begin = page.begin;
    if (begin == nullptr || address < begin || address >= begin + page_size()) continue;
    page.used_at = static_cast<std::size_t>(address - begin) + 1;
    mprotect(begin, page_size(), PROT_READ | PROT_WRITE);
    return;
  }
  sigaction(SIGSEGV, &action_before, nullptr);
}

void handle_faults() {
  if (watched_count++ > 0) return;
  struct sigaction action {};
  action.sa_sigaction = page_used;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &action_before);
}

void handle_faults_no_more() {
  if (--watched_count == 0) sigaction(SIGSEGV, &action_before, nullptr);
}

int take_slot(std::byte* begin) {
  for (int i = 0; i < kMostPages; ++i) {
    WatchedPage& page = watched_pages[static_cast<std::size_t>(i)];
    std::byte* unused = nullptr;
    if (page.begin.compare_exchange_strong(unused, begin)) return i;
  }
  throw std::length_error("more than " + std::to_string(kMostPages) +
                          " pieces of memory are watched past their ends");
}

}  // namespace

PageEndMemory::PageEndMemory(std::size_t bytes)
    : bytes_(bytes), mapped_((bytes + page_size() - 1) / page_size() * page_size() + page_size()) {
  void* const memory =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  end_ = static_cast<std::byte*>(memory) + mapped_ - page_size();
  mprotect(end_, page_size(), PROT_NONE);
  slot_ = take_slot(end_);
  handle_faults();
}

PageEndMemory::~PageEndMemory() {
  handle_faults_no_more();
  WatchedPage& page = watched_pages[static_cast<std::size_t>(slot_)];
  page.used_at = 0;
  page.begin = nullptr;
  munmap(end_ + page_size() - mapped_, mapped_);
}

std::size_t PageEndMemory::passed_by() const noexcept {
  return watched_pages[static_cast<std::size_t>(slot_)].used_at;
}

}  // namespace tut
