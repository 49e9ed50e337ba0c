/// \file
/// What an address is to the learner: an element of an array with a name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "global_memory.hpp"
#include "simt/block.hpp"
#include "watch.hpp"

namespace simt::inspect {

class ArrayNames {
 public:
  explicit ArrayNames(const GlobalMemory& memory) : memory_(&memory) {}

  void add_shared(NamedArray array) { shared_[array.base] = std::move(array); }
  void add_argument(NamedArray array) { arguments_.push_back(std::move(array)); }

  /// What the arguments of the kernel at work point to, or of the one that is launched next.
  const std::vector<NamedArray>& arguments() const { return arguments_; }
  std::vector<NamedArray> take_arguments() { return std::exchange(arguments_, {}); }
  void set_arguments(std::vector<NamedArray> arguments) { arguments_ = std::move(arguments); }

  /// "tile[3][17]", "through a null pointer", "4 bytes past the end of its 256".
  std::string describe(std::uintptr_t address) const;
  /// The same of an element of the running block's shared memory, if one is there.
  std::optional<std::string> shared_element(std::uintptr_t address) const;
  std::string variable_at(std::uintptr_t address) const;  ///< of the program; "": there is none
  /// The element of an argument that lies 2^32 elements behind; "" if there is none.
  std::string element_behind_32_bits(std::uintptr_t address) const;
  /// The array in shared memory that begins at the address or last before it; null if none does.
  const NamedArray* shared_array_before(std::uintptr_t address) const;

  /// Whether the byte is padding in its element of the array.
  bool is_padding(std::uintptr_t address) const;
  bool is_shared_padding(std::uintptr_t address) const;

  static bool is_shared(std::uintptr_t address);  ///< memory of the block at work
  /// The block of its cluster whose shared memory it is; null if none but the block at work.
  static const detail::Block* other_of_cluster(std::uintptr_t address);

 private:
  std::string describe_unknown(std::uintptr_t address) const;

  const GlobalMemory* memory_;
  std::map<std::uintptr_t, NamedArray> shared_;
  std::vector<NamedArray> arguments_;
};

}  // namespace simt::inspect
