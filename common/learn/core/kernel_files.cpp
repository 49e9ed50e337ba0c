#include "learn/core/kernel_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "learn/core/cpp_source.hpp"
#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace fs = std::filesystem;
namespace {

/// The word in front of the parenthesis at `open`.
std::string_view word_before(std::string_view text, std::size_t open) {
  std::size_t end = open;
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

std::size_t behind_parentheses(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return i + 1;
  }
  return text.size();
}

}  // namespace

std::vector<std::string> kernel_names(std::string_view source) {
  constexpr std::string_view mark = "__global__";
  const std::string text = without_comments(source).shape;
  std::vector<std::string> names;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    std::size_t open = text.find('(', at);
    while (open != std::string::npos && word_before(text, open).starts_with("__")) {
      open = text.find('(', behind_parentheses(text, open));  // of __launch_bounds__
    }
    if (open == std::string::npos) break;
    const std::string name(word_before(text, open));
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<KernelFile> find_kernels(const fs::path& root) {
  std::vector<KernelFile> kernels;
  for (const char* folder : {"chapters", "exercises"}) {
    if (!fs::is_directory(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cu") continue;
      for (const std::string& name : kernel_names(read_file(entry.path()).value_or(""))) {
        kernels.push_back({name, entry.path().lexically_relative(root)});
      }
    }
  }
  std::ranges::sort(kernels, {}, [](const KernelFile& one) { return one.file; });
  return kernels;
}

const KernelFile& pick_kernel(const std::vector<KernelFile>& kernels, const std::string& word) {
  std::vector<const KernelFile*> found;
  for (const KernelFile& one : kernels) {
    if (one.kernel == word || one.kernel == word + "_kernel") found.push_back(&one);
  }
  if (found.size() == 1) return *found[0];
  if (found.size() > 1) {
    std::string files;
    for (const KernelFile* one : found) files += (files.empty() ? "" : ", ") + one->file.string();
    throw UsageError(
        fmt::format("several files have a kernel '{}': {}; name one of them", word, files));
  }
  std::vector<std::string> names;
  for (const KernelFile& one : kernels) names.push_back(one.kernel);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto near = nearest_name(word, names);
  throw UsageError(
      fmt::format("no exercise, kernel or file '{}'{}", word,
                  near ? fmt::format("; did you mean {}?", *near)
                       : "; expected matmul_padded, matmul_tiled_kernel or FILE.cu, for example"));
}

}  // namespace tut::learn
