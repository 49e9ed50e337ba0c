#include "learn/core/failure_words.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace tut::learn {
namespace {

constexpr std::string_view no_throw = " ) did NOT throw at all!",
                           first_logged = "  logged: ", next_logged = "          ", is = " := ";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Writes `value` for each variable `name` of a text. What follows ".", ">" or ":" is a member, or
/// of a scope. Returns whether there was one.
bool replace_variable(std::string& text, const std::string& name, const std::string& value) {
  bool found = false;
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const std::size_t end = at + name.size();
    const char after = end == text.size() ? ' ' : text[end];
    const bool is_variable = !is_word(before) && !is_word(after) && before != '.' &&
                             before != '>' && before != ':' && after != '.' && after != '(';
    if (is_variable) text.replace(at, name.size(), value);
    found = found || is_variable;
    at += is_variable ? value.size() : name.size();
  }
  return found;
}

/// What doctest has logged in a line; "" if it is another line. `is_first`: of its failure.
std::string logged_in(const std::string& line, bool is_first) {
  const std::string_view prefix = is_first ? first_logged : next_logged;
  return line.starts_with(prefix) ? line.substr(prefix.size()) : "";
}

}  // namespace

void put_values_into_calls(std::vector<std::string>& lines) {
  constexpr std::string_view check = ": CHECK_THROWS_AS( ";
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    changed.push_back(std::move(lines[i]));
    const std::size_t start = changed.back().find(check);
    if (start == std::string::npos || !changed.back().ends_with(no_throw)) continue;
    std::string call = changed.back().substr(start);
    std::vector<std::string> others;
    bool is_first = true;
    for (; i + 1 < lines.size(); ++i, is_first = false) {
      const std::string logged = logged_in(lines[i + 1], is_first);
      if (logged.empty()) break;
      const std::size_t at = logged.find(is);
      if (at == std::string::npos) {
        others.push_back("  with " + logged);
      } else if (!replace_variable(call, logged.substr(0, at), logged.substr(at + is.size()))) {
        others.push_back(logged_plainly(std::string(first_logged) + logged));
      }
    }
    changed.back().replace(start, std::string::npos, call);
    std::ranges::move(others, std::back_inserter(changed));
  }
  lines = std::move(changed);
}

std::string said_plainly(const std::string& failure) {
  constexpr std::string_view check = "CHECK_THROWS_AS( ";
  if (!failure.starts_with(check) || !failure.ends_with(no_throw)) return failure;
  const std::string words =
      failure.substr(check.size(), failure.size() - check.size() - no_throw.size());
  const std::size_t comma = words.rfind(", ");
  if (comma == std::string::npos) return failure;
  return words.substr(0, comma) + " must throw " + words.substr(comma + 2) + ", and threw nothing";
}

std::string logged_plainly(std::string line) {
  const std::size_t at = line.find(is);
  const bool is_logged = line.starts_with(first_logged) || line.starts_with(next_logged);
  if (at == std::string::npos || !is_logged) return line;
  return "  with " + line.substr(first_logged.size(), at - first_logged.size()) + " = " +
         line.substr(at + is.size());
}

void remove_places_of_course(std::string& line) {
  constexpr std::string_view folder = "common/tut/";
  for (std::size_t at = 0; (at = line.find(folder, at)) != std::string::npos;) {
    const std::size_t open = line.rfind(" (", at), close = line.find(')', at);
    const bool path =
        open != std::string::npos && close != std::string::npos && line.find(' ', open + 1) > close;
    if (!path) {
      at += folder.size();
      continue;
    }
    line.erase(open, close + 1 - open);
    at = open;
  }
}

}  // namespace tut::learn
