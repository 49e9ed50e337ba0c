#include "learn/core/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

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

std::string wrap(std::string_view text, int width, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string result;
  for (const std::string& paragraph : split_lines(text)) {
    std::string line;
    std::string_view rest = paragraph;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (word.empty()) continue;
      const bool fits = line.size() + 1 + word.size() + margin.size() <= std::size_t(width);
      if (!line.empty() && !fits) {
        result += margin + line + "\n";
        line.clear();
      }
      line += line.empty() ? std::string(word) : " " + std::string(word);
    }
    result += line.empty() ? "\n" : margin + line + "\n";
  }
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
