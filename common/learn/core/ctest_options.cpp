#include "learn/core/ctest_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

struct Options {
  std::set<std::string> all;
  std::set<std::string> with_value;
};

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
}

/// Adds the options that stand left of the explanation, e.g. "  -j <jobs>, --parallel <jobs> =
/// ...".
void add_options(std::string_view line, Options& options) {
  line = line.substr(0, line.find("= "));
  char before = ' ';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts = line[i] == '-' && (before == ' ' || before == ',');
    before = line[i];
    if (!starts) continue;
    std::size_t end = i;
    while (end < line.size() && is_part_of_name(line[end])) ++end;
    const std::string name(line.substr(i, end - i));
    options.all.insert(name);
    const std::string_view rest = line.substr(end);
    if (rest.starts_with(" <") || rest.starts_with(" [")) options.with_value.insert(name);
    i = end - 1;
    before = line[i];
  }
}

Options options_in(std::string_view help) {
  Options options;
  for (const std::string& line : split_lines(help)) {
    if (trim(line).starts_with('-')) add_options(line, options);
  }
  return options;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_known(const Options& options, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  if (options.all.contains(name)) return true;
  // -j4 and -Dname=value have their values attached.
  return argument.starts_with("-D") ||
         (argument.starts_with("-j") && is_number(std::string_view(argument).substr(2)));
}

}  // namespace

std::optional<std::string> ctest_mistake(std::string_view help,
                                         std::span<const std::string> arguments) {
  const Options options = options_in(help);
  if (options.all.empty()) return std::nullopt;
  std::string before;
  for (const std::string& argument : arguments) {
    const bool is_value = options.with_value.contains(before);
    const bool after_option = before.starts_with('-');
    before = argument;
    if (is_value) {
      before.clear();
    } else if (!argument.starts_with('-')) {
      if (!after_option) {
        return fmt::format(
            "ctest takes no argument '{0}'; '-R {0}' runs the tests whose names contain it",
            argument);
      }
    } else if (!is_known(options, argument)) {
      const std::vector<std::string> names(options.all.begin(), options.all.end());
      const auto near = nearest_name(argument, names);
      return fmt::format("ctest has no option '{}'{}", argument,
                         near ? fmt::format("; did you mean {}?", *near) : "");
    }
  }
  return std::nullopt;
}

}  // namespace tut::learn
