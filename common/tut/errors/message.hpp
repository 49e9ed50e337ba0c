#pragma once

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tut/errors/source_location.hpp"

namespace tut {

/// The sizes of a matrix or a tensor, for a message: "64x48", "(8, 1, 5, 5)".
struct ShapePart {
  int rank = 2;  ///< 2 or 4
  long long sizes[4] = {};
};

/// A piece of a message: text, a number or a shape. Pieces are put together only when the message
/// is thrown: a check that passes allocates nothing, and adds little code where it is called.
class MessagePart {
 public:
  constexpr MessagePart(const char* text) : kind_(Kind::text), text_(text) {}
  constexpr MessagePart(std::string_view text) : kind_(Kind::text), text_(text) {}
  MessagePart(const std::string& text) : kind_(Kind::text), text_(text) {}
  template <std::integral T>
  constexpr MessagePart(T number) : shape_{1, {static_cast<long long>(number)}} {}
  constexpr MessagePart(double number) : kind_(Kind::real), real_(number) {}
  constexpr MessagePart(const ShapePart& shape) : shape_(shape) {}

  void append_to(std::string& message) const {
    char buffer[96];
    if (kind_ == Kind::text) {
      message += text_;
    } else if (kind_ == Kind::real) {
      // As few digits as distinguish a float from all others.
      int digits = 5;
      do {
        std::snprintf(buffer, sizeof(buffer), "%.*g", ++digits, real_);
      } while (digits < 9 && std::strtof(buffer, nullptr) != static_cast<float>(real_));
      message += buffer;
    } else {
      const char* const format = shape_.rank == 1   ? "%lld"
                                 : shape_.rank == 2 ? "%lldx%lld"
                                                    : "(%lld, %lld, %lld, %lld)";
      std::snprintf(buffer, sizeof(buffer), format, shape_.sizes[0], shape_.sizes[1],
                    shape_.sizes[2], shape_.sizes[3]);
      message += buffer;
    }
  }

 private:
  enum class Kind { text, real, shape };

  Kind kind_ = Kind::shape;
  std::string_view text_;
  double real_ = 0;
  ShapePart shape_;
};

using Message = std::initializer_list<MessagePart>;

/// The message in one piece.
[[gnu::cold, gnu::noinline]] inline std::string text_of(Message message) {
  std::string text;
  for (const MessagePart& part : message) part.append_to(text);
  return text;
}

/// The message and the place that it is about: "MESSAGE (FILE:LINE)".
[[gnu::cold, gnu::noinline]] inline std::string text_of(Message message,
                                                        const SourceLocation& where) {
  return text_of({text_of(message), " (", where.file_name(), ":", where.line(), ")"});
}

/// Throws std::invalid_argument with the message.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_invalid(Message message) {
  throw std::invalid_argument(text_of(message));
}
/// Throws std::invalid_argument with the message and the place that it is about.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_invalid(Message message,
                                                                 const SourceLocation& where) {
  throw std::invalid_argument(text_of(message, where));
}

}  // namespace tut
