#include "learn/cli_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tut::learn {
namespace {

/// Whether a command's words are all another program's, its help and its flags, too.
bool has_own_parser(std::string_view name) {
  return name == "cucc" || name == "author" || name == "grade" || name == "similar" ||
         name == "bundle";
}

bool is_help(std::string_view word) { return word == "-h" || word == "--help"; }

/// Whether a flag before "--" belongs to the command `name`: its own, or one of Google Benchmark's.
bool knows_flag(std::string_view name, std::string_view flag) {
  if (is_help(flag)) return true;
  if (name == "bench") {
    constexpr std::string_view own[] = {"--json",  "--read",  "--counts",
                                        "--times", "--guard", "--gpu"};
    return flag.starts_with("--benchmark_") || flag.starts_with("--json=") ||
           flag.starts_with("--read=") || flag.starts_with("--gpu=") ||
           std::ranges::find(own, flag) != std::end(own);
  }
  return name == "check" &&
         (flag == "--all" || flag == "--part" || flag == "--full" || flag == "--json");
}

/// Takes Google Benchmark's flags out of those of `bench`: what begins like them, and all that
/// follows a "--".
std::vector<std::string> take_benchmark_flags(std::vector<std::string>& arguments) {
  std::vector<std::string> taken, left;
  bool all = false;
  for (const std::string& argument : arguments) {
    if (!all && argument == "--") {
      all = true;
    } else {
      (all || argument.starts_with("--benchmark_") ? taken : left).push_back(argument);
    }
  }
  arguments = left;
  return taken;
}

}  // namespace

std::size_t command_index(const std::vector<std::string>& arguments) {
  std::size_t index = 0;
  while (index < arguments.size() && arguments[index].starts_with("--backend")) {
    index += arguments[index].find('=') == std::string::npos ? 2 : 1;
  }
  return std::min(index, arguments.size());
}

std::string misplaced_flag(const std::vector<std::string>& arguments, std::size_t command) {
  if (command + 1 >= arguments.size()) return "";
  const std::string& name = arguments[command];
  const std::string& what = arguments[command + 1];
  for (std::size_t i = command + 1; !has_own_parser(name) && i < arguments.size(); ++i) {
    if (arguments[i] == "--") break;
    if (arguments[i].starts_with("--backend")) return "--backend comes before the command";
  }
  if (name != "run" && name != "bench" && name != "count" &&
      !(name == "check" && what.ends_with(".cu"))) {
    return "";
  }
  for (std::size_t i = command + 2; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& word = arguments[i];
    const std::size_t letter = word.find_first_not_of('-');
    const bool is_flag = word.starts_with('-') && letter != std::string::npos &&
                         std::isalpha(static_cast<unsigned char>(word[letter])) != 0;
    if (!is_flag || knows_flag(name, word)) continue;
    return fmt::format(
        "{} does not know {}; flags for the program come after --, as in './learn {} {} -- {}'",
        name, word, name, what, word);
  }
  return "";
}

std::vector<std::string> take_program_arguments(std::vector<std::string>& arguments,
                                                std::size_t command) {
  if (command >= arguments.size()) return {};
  const std::string& name = arguments[command];
  if (name == "bench") return take_benchmark_flags(arguments);
  if (name == "check" || name == "debug") {
    const auto dashes = std::ranges::find(arguments, "--");
    if (dashes == arguments.end()) return {};
    std::vector<std::string> taken(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    return taken;
  }
  const bool names_first = name == "run" || name == "count";
  const std::size_t start = command + (names_first ? 2 : 1);
  const bool passes_on = names_first || has_own_parser(name) || name == "test";
  if (!passes_on || start >= arguments.size()) return {};
  if (!has_own_parser(name) && is_help(arguments[command + 1])) return {};
  if (names_first && is_help(arguments[start])) return {};
  const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(start);
  std::vector<std::string> taken(begin, arguments.end());
  arguments.erase(begin, arguments.end());
  // The first one only, and of a program's own words none but in front.
  const auto dashes = std::ranges::find(taken, "--");
  const bool separates = names_first || dashes == taken.begin();
  if (dashes != taken.end() && separates && (name == "cucc" || !has_own_parser(name))) {
    taken.erase(dashes);
  }
  return taken;
}

}  // namespace tut::learn
