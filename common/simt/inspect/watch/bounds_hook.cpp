// What code calls that was compiled with -fsanitize=bounds-strict, as `cucc --check` does, when a
// subscript is past the extent that the array's type has. This takes the place of libubsan.
#include <cstdint>
#include <string>
#include <string_view>

#include "watch.hpp"

namespace {

/// As the compiler lays them out.
struct TypeDescriptor {
  std::uint16_t kind;
  std::uint16_t info;  ///< of an integer: twice the logarithm of its bits, and 1 if it is signed
  char name[1];        ///< `'float [16]'`, with the quotes
};
struct OutOfBoundsData {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

std::string value_text(const TypeDescriptor& type, std::uintptr_t value) {
  const unsigned bits = 1U << (type.info >> 1);
  if (bits > 64) return "that large";
  if ((type.info & 1) == 0) return std::to_string(value);
  const unsigned unused = 64 - bits;
  return std::to_string(static_cast<std::int64_t>(value << unused) >> unused);
}

std::string type_text(std::string_view name) {
  if (name.size() >= 2 && name.front() == '\'') name = name.substr(1, name.size() - 2);
  return std::string(name);
}

}  // namespace

extern "C" void __ubsan_handle_out_of_bounds(const OutOfBoundsData* data, std::uintptr_t index) {
  using simt::inspect::watch_subscript;
  if (watch_subscript == nullptr) return;
  watch_subscript({data->file, static_cast<int>(data->line), static_cast<int>(data->column),
                   value_text(*data->index, index), type_text(data->array->name)},
                  reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}
