#include "learn/core/text.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace tut::learn {
namespace {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
        continue;
      }
      const int replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

/// The only name for which the predicate holds.
template <class Predicate>
std::optional<std::string> only_name(std::span<const std::string> names, Predicate holds) {
  const auto first = std::ranges::find_if(names, holds);
  if (first == names.end()) return std::nullopt;
  if (std::find_if(std::next(first), names.end(), holds) != names.end()) return std::nullopt;
  return *first;
}

}  // namespace

std::string Style::paint(std::string_view code, std::string_view text) const {
  return enabled_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

bool wants_colour(bool is_terminal, const char* no_color, const char* term) {
  if (!is_terminal || (no_color != nullptr && *no_color != '\0')) return false;
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

Style style_for(std::FILE* stream) {
  const bool is_terminal = isatty(fileno(stream)) != 0;
  return Style(wants_colour(is_terminal, std::getenv("NO_COLOR"), std::getenv("TERM")));
}

std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names) {
  if (word.empty()) return std::nullopt;
  const auto starts = [&](const std::string& name) { return name.starts_with(word); };
  if (auto name = only_name(names, starts)) return name;
  const auto contains = [&](const std::string& name) {
    return name.find(word) != std::string::npos;
  };
  if (auto name = only_name(names, contains)) return name;
  constexpr std::size_t kTelling = 4;  // a part of a name with this many letters is no accident
  const auto shorter = [](const std::string& a, const std::string& b) {
    return a.size() < b.size();
  };
  std::vector<std::string> parts;
  std::ranges::copy_if(names, std::back_inserter(parts), contains);
  if (word.size() >= kTelling && !parts.empty()) return *std::ranges::min_element(parts, shorter);

  std::optional<std::string> best;
  int best_distance = std::max(1, static_cast<int>(word.size() + 1) / 3) + 1;
  for (const std::string& name : names) {
    const int distance = edit_distance(word, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int said = columns == nullptr ? 0 : std::atoi(columns);
  return said > 0 ? said : 100;
}

int columns_of(std::string_view text) {
  int columns = 0;
  bool in_escape = false;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;  // a character of UTF-8
    if (c == '\x1b') {
      in_escape = true;
    } else if (in_escape) {
      in_escape = c != 'm';
    } else if (!continues) {
      ++columns;
    }
  }
  return columns;
}

namespace {

/// The longest text that is kept on one line.
constexpr std::size_t longest_unit = 32;

bool is_operator(std::string_view word) {
  static constexpr std::array<std::string_view, 24> operators = {
      "*", "+", "-",  "/",  "%",  "=",  "+=", "-=", "*=", "/=", "<",  ">",
      "?", ":", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "|=", "&="};
  return std::ranges::find(operators, word) != operators.end();
}

/// Whether a space belongs to what is written in brackets behind a word, "B(36, 4)", stands before
/// a place in numbers, "block (0,0,0)", beside an operator, "35x39 * 39x37", "sum += x", or in a
/// list of numbers: "strides 17, 66, 67". No line is broken there.
bool binds(std::string_view unit, std::string_view rest) {
  if (unit.size() > longest_unit || rest.empty()) return false;
  const std::size_t open = unit.rfind('(');
  const bool in_brackets =
      open != std::string_view::npos && open > 0 && unit.find(')', open) == std::string_view::npos;
  if (in_brackets && rest.find(')') < longest_unit) return true;
  const bool is_place = rest.size() > 1 && rest[0] == '(' && is_digit(rest[1]);
  if (is_place && rest.find(')') < rest.find(' ')) return true;
  const std::string_view last = unit.substr(unit.rfind(' ') + 1);
  if (is_operator(last) || is_operator(rest.substr(0, rest.find(' ')))) return true;
  return unit.size() > 1 && unit.back() == ',' && is_digit(unit[unit.size() - 2]) &&
         is_digit(rest[0]);
}

/// The first word of a text, with those that may not be broken off it.
std::string_view first_unit(std::string_view text) {
  std::size_t end = std::min(text.find(' '), text.size());
  while (end < text.size() && binds(text.substr(0, end), text.substr(end + 1))) {
    end = std::min(text.find(' ', end + 1), text.size());
  }
  return text.substr(0, end);
}

/// One line, broken at spaces; what goes on stands `hang` columns further to the right.
std::string wrap_line(const std::string& line, int width, int indent, int hang) {
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  std::string margin(static_cast<std::size_t>(indent) + blanks, ' ');
  std::string_view rest = std::string_view(line).substr(blanks);
  if (rest.empty()) return "\n";
  if (static_cast<int>(margin.size()) + columns_of(rest) <= width) {
    return margin + std::string(rest) + "\n";
  }
  std::string result, words;
  while (!rest.empty()) {
    const std::string_view word = first_unit(rest);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (word.empty()) continue;
    const int columns = static_cast<int>(margin.size()) + columns_of(words) + 1 + columns_of(word);
    if (!words.empty() && columns > width) {
      result += margin + words + "\n";
      words.clear();
      if (hang > 0) margin.append(static_cast<std::size_t>(std::exchange(hang, 0)), ' ');
    }
    words.append(words.empty() ? "" : " ").append(word);
  }
  return result + margin + words + "\n";
}

}  // namespace

std::string wrap(std::string_view text, int width, int indent, int hang) {
  std::string result;
  for (const std::string& line : split_lines(text)) result += wrap_line(line, width, indent, hang);
  return result;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace tut::learn
