#include "driver/missing.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "driver/headers.hpp"
#include "driver/process.hpp"
#include "frontend/token.hpp"

namespace simt::rewrite {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kError = ": error: ";

/// With the quotation marks of the locale C, and without the colours of a terminal.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view mark = text.substr(i, 3);
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm' && text[i] != 'K') ++i;
    } else if (mark == "\u2018" || mark == "\u2019") {
      result += '\'';
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::vector<std::string> lines_of(std::string_view messages) {
  std::vector<std::string> lines;
  std::stringstream text(plain(messages));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// FILE:LINE of FILE:LINE:COLUMN, which ends before `end`.
std::string place_before(const std::string& line, std::size_t end) {
  return line.substr(0, line.rfind(':', end - 1));
}

MissingHeader find_header(const std::vector<std::string>& lines) {
  constexpr std::string_view kFatal = ": fatal error: ";
  for (const std::string& line : lines) {
    const std::size_t fatal = line.find(kFatal);
    if (fatal == std::string::npos) continue;
    std::string name = line.substr(fatal + kFatal.size());
    const std::size_t end = name.find(": No such file");      // g++
    const std::size_t quote = name.find("' file not found");  // clang
    if (end != std::string::npos) {
      name.resize(end);
    } else if (quote != std::string::npos && name.front() == '\'') {
      name = name.substr(1, quote - 1);
    } else {
      continue;
    }
    const std::string_view library = unsupported_library(name);
    if (library.empty()) return {};
    return {name, unsupported_header(place_before(line, fatal), name, library) + '\n'};
  }
  return {};
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where `text` has this word, or npos.
std::size_t find_word(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  while (at != std::string_view::npos) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) break;
    at = text.find(word, end);
  }
  return at;
}

/// Does the name begin with one of these, and go on with a letter that `follows` takes?
template <std::size_t N, class Follows>
bool begins(std::string_view name, const std::array<std::string_view, N>& beginnings,
            Follows follows) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view beginning) {
    return name.size() > beginning.size() && name.starts_with(beginning) &&
           follows(static_cast<unsigned char>(name[beginning.size()]));
  });
}

/// Functions and types.
bool is_cuda_name(std::string_view name) {
  static constexpr auto kCalls =
      std::to_array<std::string_view>({"cuda", "cu", "cublas", "curand", "PFN_cu", "PFN_cuda"});
  return begins(name, kCalls, [](int c) { return std::isupper(c) != 0; }) ||
         (name.starts_with("CU") && name.size() > 2 && std::islower(name[2]) != 0) ||
         name.starts_with("curand_");
}

/// Constants; macros of programs have names of the same kind.
bool is_cuda_constant(std::string_view name) {
  static constexpr auto kConstants =
      std::to_array<std::string_view>({"CU_", "CUDA_", "CUBLAS_", "CUBLASLT_", "CURAND_"});
  return begins(name, kConstants, [](int c) { return std::isalnum(c) != 0; });
}

/// The name that a message says is declared nowhere, or empty.
std::string undeclared_name(const std::string& line) {
  static constexpr auto kPhrases = std::to_array<std::string_view>(
      {"' was not declared", "' has not been declared", "' does not name a type",
       "' must be available", "undeclared identifier '", "unknown type name '",
       "in the global namespace", "undeclared template"});
  const std::size_t error = line.find(kError);
  const std::size_t open = line.find('\'', error);
  const bool undeclared = error != std::string::npos && open != std::string::npos &&
                          std::ranges::any_of(kPhrases, [&](std::string_view phrase) {
                            return line.find(phrase, error) != std::string::npos;
                          });
  if (!undeclared) return {};
  const std::string name = line.substr(open + 1, line.find('\'', open + 1) - open - 1);
  return name.starts_with("::") ? name.substr(2) : name;
}

/// The text of the backend's headers, read when it is first asked for.
class Headers {
 public:
  explicit Headers(const std::string& folder) : folder_(folder) {}

  /// Has a header the name, so that nothing but its `#include` is missing?
  bool mention(std::string_view name) {
    if (text_.empty()) read();
    return find_word(text_, name) != std::string_view::npos;
  }

 private:
  void read() {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_, error)) {
      if (entry.is_regular_file()) text_ += read_file(entry.path().string());
    }
  }

  const std::string& folder_;
  std::string text_;
};

/// Is the name called, as the line that the compiler shows has it?
bool is_called(const std::string& shown, const std::string& name) {
  const std::size_t at = find_word(shown, name);
  return at != std::string::npos && shown.substr(at + name.size()).starts_with('(');
}

/// `call to 'cudaMallocArray' declared with attribute error: CUDA arrays are not supported ...`, or
/// `call to 'simt_instruction' ...` where a header's function has an instruction that is not.
std::string refused_call(const std::string& line) {
  static constexpr std::string_view kCall = ": error: call to ";
  const std::size_t error = line.find(kCall);
  if (error == std::string::npos) return {};
  const std::size_t reason = line.find(": ", line.find(" declared with ", error));
  if (reason == std::string::npos ||
      line.find("not supported on the CPU backend", reason) == std::string::npos) {
    return {};
  }
  std::size_t open = error + kCall.size();
  if (line[open] == '\'') ++open;
  std::size_t end = open;
  while (is_word(line[end])) ++end;
  const std::string name = line.substr(open, end - open);
  return place_before(line, error) + ": error" + line.substr(reason) +
         (name == "simt_instruction" ? "\n" : " (" + name + ")\n");
}

std::string missing_name(const std::string& line, const std::string& shown, Headers& headers) {
  const std::string name = undeclared_name(line);
  const bool of_cuda = is_cuda_name(name) || (is_cuda_constant(name) && !is_called(shown, name));
  if (!of_cuda || headers.mention(name)) return {};
  const std::size_t suggestion = line.find("; did you mean ");
  return place_before(line, line.find(kError)) + std::string(kError) + name +
         " is not supported on the CPU backend: no header declares it" +
         (suggestion == std::string::npos ? std::string() : line.substr(suggestion)) + '\n';
}

std::string missing_names(const std::vector<std::string>& lines,
                          const std::string& include_folder) {
  Headers headers(include_folder);
  std::string text;
  std::set<std::string> said;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& shown = i + 1 < lines.size() ? lines[i + 1] : lines[i];
    for (const std::string& one :
         {refused_call(lines[i]), missing_name(lines[i], shown, headers)}) {
      const std::string what = one.substr(0, one.find_first_of(";\n"));  // without a suggestion
      if (said.insert(what).second) text += one;
    }
  }
  return text;
}

}  // namespace

std::string missing_text(std::string_view messages, const std::string& include_folder) {
  const std::vector<std::string> lines = lines_of(messages);
  const std::string header = find_header(lines).text;
  return header.empty() ? missing_names(lines, include_folder) : header;
}

MissingHeader missing_header(std::string_view messages) { return find_header(lines_of(messages)); }

bool hides_calls(std::string_view said) {
  return said.find(": no header declares it") != std::string_view::npos;
}

std::string merge_lines(const std::string& text, const std::vector<std::string>& more) {
  struct Line {
    std::size_t file;
    unsigned long number;
    std::string text;
  };
  std::vector<Line> lines;
  std::vector<std::string> files;  // as they come
  std::set<std::string> seen;
  const auto add = [&](const std::string& line) {
    if (line.empty() || !seen.insert(line).second) return;
    const std::size_t colon = line.find(':');
    const std::string file = line.substr(0, colon);
    const auto found = std::find(files.begin(), files.end(), file);
    const auto number = static_cast<std::size_t>(found - files.begin());
    if (found == files.end()) files.push_back(file);
    const char* const behind = colon == std::string::npos ? "" : line.c_str() + colon + 1;
    lines.push_back({number, std::strtoul(behind, nullptr, 10), line});
  };
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) add(line);
  std::ranges::for_each(more, add);
  std::ranges::stable_sort(lines, {},
                           [](const Line& line) { return std::pair(line.file, line.number); });
  std::string merged;
  for (const Line& line : lines) merged += line.text + '\n';
  return merged;
}

}  // namespace simt::rewrite
