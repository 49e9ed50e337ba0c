#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "learn/classroom/submissions.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

/// Bytes of the character that a text begins with, if that is printable UTF-8; else 0.
std::size_t printable_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return 0;
  unsigned code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0U) != 0x80) return 0;
    code = (code << 6) | (at(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool no_character =
      code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) || (code >= 0x80 && code < 0xA0) ||
      (code >= 0x200E && code <= 0x200F) ||  // these turn the line round
      (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return overlong || no_character ? 0 : length;
}

std::size_t first_bad_byte(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      ++i;
      continue;
    }
    // What turns a line round is text, if no name: it is judged as what it is not to be shown as.
    const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
    if (length == 0 || c > 0xF4 || i + length > text.size()) return i;
    for (std::size_t j = 1; j < length; ++j) {
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0U) != 0x80) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = printable_length(bytes);
    if (length == 0) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  for (const std::string& line : split_lines(text)) {
    std::string blanks;
    for (const char c : line) blanks += c == '\t' ? ' ' : c;
    result += printable(blanks) + "\n";
  }
  return result;
}

void judge_text(HandedIn& file, const IntakeLimits& limits) {
  if (file.text.empty()) {
    file.problem = "it is empty";
  } else if (file.text.size() > limits.file_bytes) {
    file.problem = fmt::format("it has more than {} bytes", limits.file_bytes);
  } else if (const std::size_t nul = file.text.find('\0'); nul != std::string::npos) {
    file.problem = fmt::format("it has a NUL at byte {}; expected text in UTF-8", nul);
  } else if (const std::size_t bad = first_bad_byte(file.text); bad != std::string::npos) {
    file.problem = fmt::format("byte {} is no UTF-8; expected text in UTF-8", bad);
  }
  if (!file.problem.empty()) file.text.clear();
}

}  // namespace tut::learn
