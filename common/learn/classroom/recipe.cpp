#include "learn/classroom/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "learn/core/error.hpp"
#include "learn/core/process.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

std::string word_after(const std::vector<std::string>& words, std::string_view flag) {
  const auto at = std::ranges::find(words, flag);
  return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
}

/// ": && g++ ... && :" without its frame.
std::vector<std::string> without_frame(std::vector<std::string> words) {
  if (words.size() > 2 && words[0] == ":" && words[1] == "&&") {
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() > 2 && words.back() == ":" && words[words.size() - 2] == "&&") {
    words.resize(words.size() - 2);
  }
  return words;
}

bool is_built_file(std::string_view word) {
  return !word.starts_with('-') && !word.starts_with('/') &&
         (word.ends_with(".o") || word.ends_with(".a"));
}

std::optional<ProgramRecipe> recipe_of(const BuildTree& tree, const std::string& target,
                                       const fs::path& source) {
  if (!tree.has_target(target)) return std::nullopt;
  const Outcome outcome =
      run_captured({{tree.ninja(), "-C", tree.folder().string(), "-t", "commands", target}, {}, {}},
                   {.bytes = std::size_t{64} << 20});
  if (!outcome.ok()) {
    throw UsageError(fmt::format("the build does not say how {} is made: {}", target,
                                 outcome.output.substr(0, outcome.output.find('\n'))));
  }
  return parse_recipe(outcome.output, source.string());
}

}  // namespace

std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < command.size() &&
                         (quote == '\0' || command[i + 1] == '"' || command[i + 1] == '\\' ||
                          command[i + 1] == '$' || command[i + 1] == '`');
    if (escapes) {
      word += command[++i];
      inside = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

ProgramRecipe parse_recipe(std::string_view commands, const std::string& source) {
  ProgramRecipe recipe;
  for (const std::string& line : split_lines(commands)) {
    if (trim(line).empty()) continue;
    std::vector<std::string> words = without_frame(shell_words(line));
    if (word_after(words, "-c") == source) {
      recipe.compile = words;
    } else {
      recipe.link = std::move(words);  // the last one is what the target asks for
    }
  }
  recipe.object = word_after(recipe.compile, "-o");
  recipe.program = word_after(recipe.link, "-o");
  if (recipe.object.empty() || recipe.program.empty() ||
      std::ranges::find(recipe.link, recipe.object) == recipe.link.end()) {
    throw UsageError(fmt::format(
        "the build does not say how {} becomes a test program; expected a Ninja build", source));
  }
  for (const std::string& word : recipe.link) {
    if (is_built_file(word) && word != recipe.object) recipe.inputs.push_back(word);
  }
  for (const char* mode : {"--check", "--count"}) {
    recipe.watched =
        recipe.watched || std::ranges::find(recipe.compile, mode) != recipe.compile.end();
  }
  return recipe;
}

ExerciseRecipe read_recipe(const BuildTree& tree, const fs::path& root, const Exercise& exercise) {
  const fs::path source = root / exercise.file;
  tree.expect_target(exercise.target());  // an instructor's own exercise may have come since
  ExerciseRecipe recipe{&exercise, recipe_of(tree, exercise.target(), source),
                        recipe_of(tree, exercise.target() + "_checked", source),
                        recipe_of(tree, exercise.target() + "_counted", source)};
  if (!recipe.plain) {
    throw UsageError(fmt::format("{} has no program to grade it by here (no target {})",
                                 exercise.name, exercise.target()));
  }
  return recipe;
}

std::vector<std::string> redirected(std::vector<std::string> command,
                                    const std::vector<std::pair<std::string, std::string>>& words) {
  for (std::string& word : command) {
    for (const auto& [from, to] : words) {
      if (word == from) {
        word = to;
        break;
      }
    }
  }
  return command;
}

}  // namespace tut::learn
