#include "simt/async_copy.hpp"

#include "group_queue.hpp"
#include "observer.hpp"

namespace simt::detail {

namespace {

void push(const AsyncCopy& copy, const void* site) {
  if (Observer* watching = observer()) watching->async_copy_begins(copy.to, copy.size, site);
  own_queue<AsyncCopy>().push(copy);
}

bool tell_end(const AsyncCopy& copy) {
  if (Observer* watching = observer()) watching->async_copy_ends(copy.to);
  return true;
}

}  // namespace

std::uint64_t async_bytes_under_way() {
  std::uint64_t bytes = 0;
  own_queue<AsyncCopy>().visit([&](const AsyncCopy& copy) { bytes += copy.size; });
  return bytes;
}

void push_async(const AsyncCopy& copy) { push(copy, __builtin_return_address(0)); }

void push_async_as_aligned(const AsyncCopy& copy) {
  constexpr unsigned kWord = 4;
  const void* const site = __builtin_return_address(0);
  if (observer() == nullptr || !observer()->asks_for_alignment()) return push(copy, site);
  for (unsigned done = 0; done < copy.size; done += kWord) {
    push({static_cast<std::byte*>(copy.to) + done, static_cast<const std::byte*>(copy.from) + done,
          kWord, kWord},
         site);
  }
}

bool pop_async(AsyncCopy& copy, unsigned pending) {
  return own_queue<AsyncCopy>().pop(copy, pending) && tell_end(copy);
}

bool pop_any_async(AsyncCopy& copy) {
  return own_queue<AsyncCopy>().pop_any(copy) && tell_end(copy);
}

void close_async() { own_queue<AsyncCopy>().close(); }

}  // namespace simt::detail
