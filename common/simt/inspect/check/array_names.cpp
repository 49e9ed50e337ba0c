// What an address is to the learner: an element of an array with a name.
#include "array_names.hpp"

#include <algorithm>
#include <iterator>

#include "checker.hpp"
#include "cluster.hpp"
#include "device_limits.hpp"
#include "memory.hpp"
#include "shared_use.hpp"

namespace simt::inspect {
namespace {

/// `[3][17]`: the place of a byte in an array.
std::string subscripts(const NamedArray& array, std::size_t offset) {
  std::size_t index = offset / array.element;
  std::string text;
  for (std::size_t i = array.dims.size(); i-- > 1;) {
    text = "[" + std::to_string(index % array.dims[i]) + "]" + text;
    index /= array.dims[i];
  }
  return "[" + std::to_string(index) + "]" + text;
}

std::string bytes(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

/// How far something lies behind the end of what it misses.
std::string past(std::size_t count) { return count == 0 ? "just past" : bytes(count) + " past"; }

/// Addresses so near to an allocation that they are taken for its own, gone astray; behind an array
/// that has a name, those further away, and those within its own size.
constexpr std::size_t kNear = 4096;
constexpr std::size_t kNearArray = 64 * 1024;

}  // namespace

const NamedArray* ArrayNames::shared_array_before(std::uintptr_t address) const {
  const auto after = shared_.upper_bound(address);
  return after == shared_.begin() ? nullptr : &std::prev(after)->second;
}

bool ArrayNames::is_shared_padding(std::uintptr_t address) const {
  const NamedArray* array = shared_array_before(address);
  return array != nullptr && address - array->base < array->size && array->is_padding(address);
}

bool ArrayNames::is_padding(std::uintptr_t address) const {
  const auto range = detail::Memory::instance().find(reinterpret_cast<void*>(address));
  return range && std::any_of(arguments_.begin(), arguments_.end(), [&](const NamedArray& one) {
           return one.base >= range->base && one.base <= address && one.is_padding(address);
         });
}

bool ArrayNames::is_shared(std::uintptr_t address) {
  const detail::Block* block = detail::current_block;
  return block != nullptr &&
         address - reinterpret_cast<std::uintptr_t>(block->shared_memory) < detail::shared_space();
}

std::string ArrayNames::element_behind_32_bits(std::uintptr_t address) const {
  detail::Memory& memory = detail::Memory::instance();
  for (const NamedArray& argument : arguments_) {
    const std::uintptr_t meant = address + (std::uintptr_t{1} << 32) * argument.element;
    const auto own = memory.find(reinterpret_cast<void*>(argument.base));
    const auto range = memory.find(reinterpret_cast<void*>(meant));
    if (own && range && own->base == range->base && meant >= argument.base) {
      return argument.name + subscripts(argument, meant - argument.base);
    }
  }
  return "";
}

std::string ArrayNames::variable_at(std::uintptr_t address) const {
  const auto range = detail::Memory::instance().find(reinterpret_cast<void*>(address));
  return range && range->name != nullptr ? range->name : "";
}

const detail::Block* ArrayNames::other_of_cluster(std::uintptr_t address) {
  if (detail::current_block == nullptr) return nullptr;
  const detail::Block& owner = detail::owner_of(reinterpret_cast<const void*>(address));
  return &owner == detail::current_block ? nullptr : &owner;
}

std::optional<std::string> ArrayNames::shared_element(std::uintptr_t address) const {
  const NamedArray* const array = shared_array_before(address);
  if (array == nullptr) return {};
  const std::size_t offset = address - array->base;
  if (array->size != 0 && offset >= array->size) return {};
  return array->name + subscripts(*array, offset);
}

std::string ArrayNames::describe(std::uintptr_t address) const {
  if (address < kFirstPage) return "through a null pointer";
  if (const detail::Block* const other = other_of_cluster(address)) {
    // Named by what lies there in the running block: both have the same kernel's arrays.
    const std::uintptr_t own =
        address - reinterpret_cast<std::uintptr_t>(other->shared_memory) +
        reinterpret_cast<std::uintptr_t>(detail::current_block->shared_memory);
    return describe(own) + " of block " + block_text(*other);
  }
  if (is_shared(address)) {
    const NamedArray* array = shared_array_before(address);
    if (array == nullptr) {
      const detail::Block& block = *detail::current_block;
      const std::uintptr_t end =
          reinterpret_cast<std::uintptr_t>(block.shared_memory) + block.dynamic_size;
      if (block.dynamic_size == 0 || address < end) return "shared memory";
      return "shared memory " + past(address - end) + " the end of the " +
             bytes(block.dynamic_size) + " that its launch asks for";
    }
    if (const auto element = shared_element(address)) return *element;
    return past(address - array->base - array->size) + " the end of " + array->name +
           " in shared memory";
  }
  const NamedArray* nearest = nullptr;
  for (const NamedArray& argument : arguments_) {
    if (argument.base <= address && (nearest == nullptr || argument.base > nearest->base)) {
      nearest = &argument;
    }
  }
  const auto range = memory_->usable_at(address);
  if (nearest != nullptr) {
    const auto own = memory_->usable_at(nearest->base);
    const std::size_t offset = address - nearest->base;
    if (own && range && own->base == range->base) {
      return nearest->name + subscripts(*nearest, offset);
    }
    if (own && !range && address < own->base + own->size + std::max(own->size, kNearArray)) {
      return nearest->name + subscripts(*nearest, offset) + ", " +
             past(address - own->base - own->size) + " the end of its " +
             bytes(own->base + own->size - nearest->base);
    }
  }
  for (const NamedArray& argument : arguments_) {
    const bool near = argument.base > address && argument.base - address <= kNear;
    if (near && (!range || (argument.base - range->base < range->size))) {
      return bytes(argument.base - address) + " before the beginning of " + argument.name;
    }
  }
  if (range && range->name != nullptr) {
    // A word or less is most likely one number.
    if (address == range->base && range->size <= sizeof(double)) return range->name;
    return std::string(range->name) + " at byte " + std::to_string(address - range->base);
  }
  if (range) {
    return "byte " + std::to_string(address - range->base) + " of an allocation of " +
           bytes(range->size);
  }
  return memory_->was_freed(address) ? "device memory that was freed" : describe_unknown(address);
}

/// Describes memory that belongs to no allocation and has no name.
std::string ArrayNames::describe_unknown(std::uintptr_t address) const {
  for (const detail::MemoryRange& range : detail::Memory::instance().ranges()) {
    const std::uintptr_t end = range.base + range.size;
    if (address < end || address - end >= kNear) continue;
    return past(address - end) + " the end of an allocation of " + bytes(range.size);
  }
  return "device memory that was never allocated";
}

}  // namespace simt::inspect
