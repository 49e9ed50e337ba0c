#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "learn/classroom/name_lists.hpp"
#include "learn/classroom/rules.hpp"
#include "learn/classroom/source_tokens.hpp"
#include "learn/core/cpp_source.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Backslashes at line ends join lines before anything else is done.
std::string with_lines_joined(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\\') {
      std::size_t end = i + 1;
      while (end < source.size() && source[end] != '\n' && is_space(source[end])) ++end;
      if (end < source.size() && source[end] == '\n') {
        i = end;
        continue;
      }
    }
    text += source[i];
  }
  return text;
}

constexpr std::string_view kLineDirective = "#line";

/// The tokens of a text that matter here: words, "##" for either spelling of it, and "#line" for
/// what says that the lines after it are another file's. _Pragma("unroll") is passed over.
std::vector<std::string_view> telling_tokens(std::string_view text) {
  const std::vector<SourceToken> tokens = source_tokens(text);
  const auto is = [&](std::size_t i, std::string_view wanted) {
    return i < tokens.size() && tokens[i].text == wanted;
  };
  // What else _Pragma may say looks like plain text.
  const auto unrolls = [&](std::size_t i) {
    return is(i + 1, "(") && i + 2 < tokens.size() &&
           (tokens[i + 2].text.starts_with("\"unroll") ||
            tokens[i + 2].text.starts_with("\"nounroll"));
  };
  // The preprocessor itself writes a number behind #.
  const auto says_line = [&](std::size_t next, int line) {
    return next < tokens.size() && tokens[next].line == line &&
           (tokens[next].kind == SourceTokenKind::number || tokens[next].text == "line");
  };
  std::vector<std::string_view> telling;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const SourceToken& token = tokens[i];
    if (token.kind == SourceTokenKind::word && (token.text != "_Pragma" || !unrolls(i))) {
      telling.push_back(token.text);
    }
    if (token.text == "##" || token.text == "%:%:") telling.push_back("##");
    const bool is_digraph = token.text == "%" && is(i + 1, ":");
    if ((token.text == "#" || is_digraph) && says_line(i + (is_digraph ? 2 : 1), token.line)) {
      telling.push_back(kLineDirective);
    }
  }
  return telling;
}

constexpr auto kAssembly = std::to_array<std::string_view>({"asm", "__asm", "__asm__"});

}  // namespace

std::vector<std::string> wrong_words(std::string_view source) {
  // What tells a build of the tests from another, what reaches around the language, and what is
  // the CPU backend's own.
  constexpr auto kStarts = std::to_array<std::string_view>(
      {"__SIMT", "__simt", "simt", "__SANITIZE", "__sanitizer", "__tsan", "__ubsan", "__asan",
       "__cxa", "_Unwind", "TUT_", "_GLOBAL__", "__builtin_return", "__builtin_frame",
       "__builtin_extract", "_ZN", "_ZS"});
  constexpr auto kWords = std::to_array<std::string_view>({"constructor",
                                                           "_Pragma",
                                                           "syscall",
                                                           "__constructor__",
                                                           "destructor",
                                                           "__destructor__",
                                                           "init_priority",
                                                           "__init_priority__",
                                                           "section",
                                                           "__section__",
                                                           "ifunc",
                                                           "__ifunc__",
                                                           "__has_feature",
                                                           "no_sanitize",
                                                           "__no_sanitize__",
                                                           "no_sanitize_thread",
                                                           "__no_sanitize_thread__",
                                                           "no_sanitize_coverage",
                                                           "__no_sanitize_coverage__",
                                                           "no_instrument_function",
                                                           "__no_instrument_function__",
                                                           "__libc_start_main",
                                                           "__environ",
                                                           "environ",
                                                           "push_options",
                                                           "optimize",
                                                           "__optimize__"});
  std::vector<std::string> lines;
  const std::string joined = with_lines_joined(source);
  if (joined.find("R\"") != std::string::npos) {
    lines.emplace_back("it has a raw string (R\"...\"); expected ordinary ones");
  }
  std::set<std::string_view> seen;
  for (const std::string_view word : telling_tokens(joined)) {
    if (word == kLineDirective && seen.insert(word).second) {
      lines.emplace_back(
          "it has a #line, which no solution needs; expected lines under their own name");
    }
    if (word == "##" && seen.insert(word).second) {
      lines.emplace_back("it joins words by ##; expected them written out");
    }
    // "section" and the like are attributes only where they are in double parentheses or brackets,
    // but no source of the course needs a variable of that name.
    if ((is_one_of(word, kWords) || starts_with_one(word, kStarts)) && seen.insert(word).second) {
      lines.push_back(
          fmt::format("it says {}, which no solution needs; expected plain CUDA C++", word));
    }
  }
  return lines;
}

bool mentions_assembly(std::string_view source) {
  // Not only where it stands in plain sight: what looks like a comment or a string may be none.
  for (const std::string_view word : kAssembly) {
    if (find_word(with_lines_joined(source), word) != std::string_view::npos) return true;
  }
  return false;
}

bool has_assembly(std::string_view preprocessed, std::string_view source) {
  const auto plain = [](std::string_view name) {
    return std::filesystem::path(name).lexically_normal();
  };
  const std::filesystem::path own_file = plain(source);
  bool own = false;
  std::string lines;
  for (const std::string& line : split_lines(preprocessed)) {
    if (line.starts_with("# ") && line.size() > 2 && is_digit(line[2])) {
      const std::size_t begin = line.find('"'), end = line.rfind('"');
      own = begin != std::string::npos && end > begin &&
            plain(std::string_view(line).substr(begin + 1, end - begin - 1)) == own_file;
    } else if (own) {
      lines += line + "\n";
    }
  }
  return std::ranges::any_of(telling_tokens(lines),
                             [](std::string_view word) { return is_one_of(word, kAssembly); });
}

}  // namespace tut::learn
