#include "simt/block_run.hpp"

#include <memory>
#include <new>
#include <vector>

namespace simt {
namespace {

constexpr std::size_t kAlignment = 64;

struct AlignedDelete {
  void operator()(std::byte* bytes) const {
    ::operator delete[](bytes, std::align_val_t{kAlignment});
  }
};

struct Slot {
  std::unique_ptr<std::byte[], AlignedDelete> bytes;
  std::size_t size = 0;
};

}  // namespace

void* BlockRun::storage(unsigned slot, std::size_t bytes) {
  static thread_local std::vector<Slot> slots;
  if (slots.size() <= slot) slots.resize(slot + 1);
  Slot& found = slots[slot];
  if (found.size < bytes) {
    found.bytes.reset(
        static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kAlignment})));
    found.size = bytes;
  }
  return found.bytes.get();
}

}  // namespace simt
