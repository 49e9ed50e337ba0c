#include "shadow.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simt::inspect {
namespace {

void* reserve(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(
        stderr,
        "simt: check mode needs %zu GiB of address space, which the system does not grant; "
        "see ulimit -v\n",
        size >> 30);
    std::_Exit(1);
  }
  return memory;
}

/// Sets bytes to ones, or to zeros: pages that are whole then go back to the system.
void fill(std::uint8_t* begin, std::size_t size, bool ones) {
  constexpr std::size_t kPage = 4096;
  const std::size_t head = (kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage) % kPage;
  if (ones || size < head + kPage) {
    std::memset(begin, ones ? 0xFF : 0, size);
    return;
  }
  const std::size_t pages = (size - head) / kPage * kPage;
  std::memset(begin, 0, head);
  if (madvise(begin + head, pages, MADV_DONTNEED) != 0) std::memset(begin + head, 0, pages);
  std::memset(begin + head + pages, 0, size - head - pages);
}

}  // namespace

Shadow::~Shadow() {
  if (cells_ != nullptr) munmap(cells_, size_ / kWord * sizeof(Cell));
}

void Shadow::cover(std::uintptr_t begin, std::size_t size) {
  begin_ = begin;
  size_ = size;
  cells_ = static_cast<Cell*>(reserve(size / kWord * sizeof(Cell)));
}

void WrittenBits::cover(std::uintptr_t begin, std::size_t size) {
  begin_ = begin;
  bits_ = static_cast<std::uint8_t*>(reserve(size / 8 + sizeof(std::uint32_t)));
}

void WrittenBits::set(std::uintptr_t address, std::size_t size, bool written) {
  std::size_t bit = address - begin_;
  const auto change = [&](std::size_t count) {
    for (; count > 0; --count, ++bit, --size) {
      const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
      bits_[bit / 8] =
          static_cast<std::uint8_t>(written ? bits_[bit / 8] | mask : bits_[bit / 8] & ~mask);
    }
  };
  const std::size_t head = (8 - bit % 8) % 8;
  change(head < size ? head : size);
  fill(bits_ + bit / 8, size / 8, written);
  bit += size / 8 * 8;
  size %= 8;
  change(size);
}

}  // namespace simt::inspect
