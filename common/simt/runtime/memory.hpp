/// @file
/// All memory that the runtime API knows: its address, its kind, and whether it is still allocated.
#ifndef SIMT_RUNTIME_MEMORY_HPP
#define SIMT_RUNTIME_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "driver_types.h"

namespace simt::detail {

enum class MemoryKind {
  device,
  managed,
  pinned,      ///< cudaMallocHost, cudaHostAlloc
  registered,  ///< cudaHostRegister
  symbol,      ///< a __device__ or __constant__ variable
  managed_symbol
};

/// The flags of a symbol that is `__constant__`.
inline constexpr unsigned kConstantSymbol = 1;

/// One allocation, registered range or variable.
struct MemoryRange {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  unsigned flags = 0;
  const char* name = nullptr;  ///< of a symbol
  bool sparse = false;         ///< only what is touched exists, and counts as no memory
  bool zeros = false;          ///< it may be read before it is written
};

/// Allocations lie in one reserved range of addresses, each in pages of its own: its end at the end
/// of a page (but for alignment) and an inaccessible page behind it. Freed pages become
/// inaccessible, and their addresses are used again as late as possible; so a kernel that goes past
/// the end of an allocation, or uses one that was freed, meets a fault.
class Memory {
 public:
  static Memory& instance();

  /// Address of new memory, 256-byte aligned, or null if there is not enough.
  void* allocate(std::size_t size, MemoryKind kind, unsigned flags, int device);

  /// The same for memory of a device that may be larger than the machine's: only what is touched
  /// exists, and starts as zeros.
  void* allocate_sparse(std::size_t size, bool zeros, int device);

  /// False unless `pointer` is the start of a live allocation of a kind that `free` may take.
  bool free(void* pointer, bool host);

  /// Frees all that was allocated for one device, pinned memory too.
  void free_device(int device);

  bool add(const MemoryRange& range);
  bool remove(const void* base, MemoryKind kind);

  /// The live range that holds an address.
  std::optional<MemoryRange> find(const void* address);

  /// All live ranges, by address.
  std::vector<MemoryRange> ranges();

  /// The addresses that allocations have.
  std::uintptr_t begin() const { return begin_; }
  std::uintptr_t end() const { return end_; }

  /// True for addresses that only this class gives out: outside a live range they are dead.
  bool is_reserved(const void* address) const;

  std::size_t total() const { return total_; }
  std::size_t available();

  /// Says what is wrong with an address that faulted.
  const char* describe(const void* address);

 private:
  Memory();
  MemoryRange reserve(std::size_t size, MemoryKind kind, unsigned flags, int device);
  MemoryRange reserve_sparse(std::size_t size, bool zeros, int device);
  bool open_pages(std::size_t pages, std::size_t alignment, std::uintptr_t& start);
  void* told(const MemoryRange& range);
  std::uintptr_t find_space(std::size_t pages_size, std::size_t alignment);
  void release(std::map<std::uintptr_t, MemoryRange>::iterator range);

  std::mutex mutex_;
  std::map<std::uintptr_t, MemoryRange> ranges_;  ///< by base
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
  std::uintptr_t cursor_ = 0;  ///< the first address never used, until all have been
  std::size_t total_ = 0;
  std::size_t used_ = 0;
  bool poison_ = true;
};

/// What is wrong with an address, for a message.
const char* describe_address(const void* address);

}  // namespace simt::detail

#endif
