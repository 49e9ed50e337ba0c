// What code calls that was compiled as `cucc --check` does, with -fsanitize=bounds-strict,
// signed-integer-overflow and shift-exponent, when a subscript is past the extent that the array's
// type has, or the result of an operation on integers is undefined. This takes the place of
// libubsan.
#include <cstdint>
#include <functional>
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
struct Location {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};
struct OutOfBoundsData {
  Location at;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};
struct OverflowData {
  Location at;
  const TypeDescriptor* type;
};
struct ShiftData {
  Location at;
  const TypeDescriptor* shifted;
  const TypeDescriptor* count;
};

int bits_of(const TypeDescriptor& type) { return 1 << (type.info >> 1); }

std::string value_text(const TypeDescriptor& type, std::uintptr_t value) {
  const int bits = bits_of(type);
  if (bits > 64) return "that large";
  if ((type.info & 1) == 0) return std::to_string(value);
  const int unused = 64 - bits;
  return std::to_string(static_cast<std::int64_t>(value << unused) >> unused);
}

/// As an operand: a negative one to the right of an operator stands in parentheses.
std::string right_text(const TypeDescriptor& type, std::uintptr_t value) {
  const std::string text = value_text(type, value);
  return text.front() == '-' ? "(" + text + ")" : text;
}

std::string_view type_text(std::string_view name) {
  if (name.size() >= 2 && name.front() == '\'') name = name.substr(1, name.size() - 2);
  return name;
}

template <class Expression>
void overflow(const OverflowData& data, const Expression& expression, void* caller) {
  simt::inspect::watch_overflow(
      {std::cref(expression), type_text(data.type->name), bits_of(*data.type)},
      reinterpret_cast<std::uintptr_t>(caller));
}

void overflow(const OverflowData& data, const char* sign, std::uintptr_t left, std::uintptr_t right,
              void* caller) {
  const auto expression = [&] {
    return value_text(*data.type, left) + sign + right_text(*data.type, right);
  };
  overflow(data, expression, caller);
}

}  // namespace

extern "C" {

void __ubsan_handle_out_of_bounds(const OutOfBoundsData* data, std::uintptr_t index) {
  simt::inspect::watch_subscript(
      {data->at.file, static_cast<int>(data->at.line), static_cast<int>(data->at.column),
       value_text(*data->index, index), std::string(type_text(data->array->name))},
      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

void __ubsan_handle_add_overflow(const OverflowData* data, std::uintptr_t left,
                                 std::uintptr_t right) {
  overflow(*data, " + ", left, right, __builtin_return_address(0));
}

void __ubsan_handle_sub_overflow(const OverflowData* data, std::uintptr_t left,
                                 std::uintptr_t right) {
  overflow(*data, " - ", left, right, __builtin_return_address(0));
}

void __ubsan_handle_mul_overflow(const OverflowData* data, std::uintptr_t left,
                                 std::uintptr_t right) {
  overflow(*data, " * ", left, right, __builtin_return_address(0));
}

void __ubsan_handle_divrem_overflow(const OverflowData* data, std::uintptr_t left,
                                    std::uintptr_t right) {
  overflow(*data, " / ", left, right, __builtin_return_address(0));
}

void __ubsan_handle_negate_overflow(const OverflowData* data, std::uintptr_t value) {
  const auto expression = [&] { return "-" + right_text(*data->type, value); };
  overflow(*data, expression, __builtin_return_address(0));
}

void __ubsan_handle_shift_out_of_bounds(const ShiftData* data, std::uintptr_t,
                                        std::uintptr_t count) {
  simt::inspect::watch_shift(value_text(*data->count, count), bits_of(*data->shifted),
                             reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

}  // extern "C"
