#include "learn/core/todos.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

bool is_todo(std::string_view line) { return trim(line).starts_with("// TODO:"); }

/// The first line of code after line `at`, without blanks at its ends; "" at the end of the file.
std::string code_after(const std::vector<std::string>& lines, std::size_t at) {
  for (std::size_t i = at + 1; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    if (is_todo(line) || (!line.empty() && !line.starts_with("//"))) return std::string(line);
  }
  return "";
}

/// Does an empty line stand behind the comment that begins at line `at`?
bool has_empty_line_behind(const std::vector<std::string>& lines, std::size_t at) {
  std::size_t i = at + 1;
  while (i < lines.size() && trim(lines[i]).starts_with("//") && !is_todo(lines[i])) ++i;
  return i < lines.size() && trim(lines[i]).empty();
}

bool contains(const std::vector<std::string>& lines, std::string_view trimmed) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return trim(line) == trimmed; });
}

/// Whether a line of code that stood right above a TODO of the stub is gone: the TODO may ask to
/// change it.
bool has_changed_above(const std::vector<std::string>& lines, const std::vector<std::string>& stub,
                       std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    const std::string_view above = trim(stub[i]);
    if (above.empty() || above.starts_with("//")) return false;
    if (!contains(lines, above)) return true;
  }
  return false;
}

}  // namespace

std::vector<int> empty_todos(std::string_view text, std::string_view stub) {
  const std::vector<std::string> lines = split_lines(text), given = split_lines(stub);
  std::vector<int> empty;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_todo(lines[i])) continue;
    const auto same = [&](const std::string& line) { return trim(line) == trim(lines[i]); };
    const auto in_stub = std::ranges::find_if(given, same);
    if (in_stub == given.end()) continue;
    const auto place = static_cast<std::size_t>(in_stub - given.begin());
    const std::string next = code_after(given, place);
    // The code that follows may have been written for the next TODO.
    const bool is_of_next =
        is_todo(next) && !contains(lines, next) && has_empty_line_behind(lines, i);
    if ((code_after(lines, i) == next || is_of_next) && !has_changed_above(lines, given, place)) {
      empty.push_back(static_cast<int>(i) + 1);
    }
  }
  return empty;
}

int count_todos(std::string_view stub) {
  return static_cast<int>(std::ranges::count_if(split_lines(stub), is_todo));
}

}  // namespace tut::learn
