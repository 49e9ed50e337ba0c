#include "learn/classroom/normal_source.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "learn/classroom/name_lists.hpp"
#include "learn/classroom/source_tokens.hpp"

namespace tut::learn {
namespace {

constexpr auto kTypes =
    std::to_array<std::string_view>({"auto", "bool", "char", "double", "float", "int", "long",
                                     "short", "signed", "unsigned", "void"});

/// What can come and go without a change of what the code does.
constexpr auto kQualifiers = std::to_array<std::string_view>(
    {"const", "constexpr", "inline", "mutable", "noexcept", "register", "static", "volatile",
     "__restrict__", "__restrict", "__forceinline__", "__noinline__"});

constexpr auto kKeptWords = std::to_array<std::string_view>(
    {"alignas",    "break",        "case",     "catch",         "class",
     "const_cast", "continue",     "decltype", "default",       "delete",
     "do",         "dynamic_cast", "else",     "enum",          "false",
     "for",        "goto",         "if",       "new",           "namespace",
     "nullptr",    "operator",     "private",  "public",        "reinterpret_cast",
     "requires",   "return",       "sizeof",   "static_assert", "static_cast",
     "struct",     "switch",       "template", "this",          "throw",
     "true",       "try",          "typedef",  "typename",      "union",
     "using",      "while"});

constexpr auto kCudaNames = std::to_array<std::string_view>(
    {"blockDim", "blockIdx", "dim3", "gridDim", "threadIdx", "warpSize"});
constexpr auto kCudaStarts = std::to_array<std::string_view>({"__", "atomic", "cuda", "wmma"});

std::uint32_t symbol_of(std::string_view word) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

const std::uint32_t kName = symbol_of("a name");
const std::uint32_t kNumber = symbol_of("a number");
const std::uint32_t kQuoted = symbol_of("a quote");

class Normaliser {
 public:
  explicit Normaliser(std::string_view source) : tokens_(source_tokens(source)) {}

  std::vector<NormalToken> run() {
    while (at_ < tokens_.size()) step();
    return std::move(result_);
  }

 private:
  std::string_view text(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }
  bool begins_line(std::size_t i) const { return i == 0 || tokens_[i - 1].line < tokens_[i].line; }

  void step() {
    const SourceToken& token = tokens_[at_];
    if (token.text == "#" && begins_line(at_)) {
      pass_directive();
      return;
    }
    switch (token.kind) {
      case SourceTokenKind::word:
        add_word();
        break;
      case SourceTokenKind::number:
        add_number();
        break;
      case SourceTokenKind::quoted:
        add(kQuoted);
        break;
      case SourceTokenKind::sign:
        if (token.text != "{" && token.text != "}" && token.text != "\\") {
          add(symbol_of(token.text));
        }
        break;
    }
    ++at_;
  }

  void add(std::uint32_t symbol) {
    result_.push_back({symbol, tokens_[at_].line, tokens_[at_].text});
  }

  void add_word() {
    const std::string_view word = text(at_);
    if (is_one_of(word, kQualifiers)) return;
    if (word == "std" && text(at_ + 1) == ":" && text(at_ + 2) == ":") {
      at_ += 2;
      return;
    }
    if (is_one_of(word, kTypes)) {
      while (is_one_of(text(at_ + 1), kTypes)) ++at_;  // unsigned long
      add(kName);
      return;
    }
    const bool is_component = word.size() == 1 && word >= "w" && word <= "z" && at_ > 0 &&
                              text(at_ - 1) == ".";  // of threadIdx, of float4
    const bool stays = is_component || is_one_of(word, kKeptWords) || is_one_of(word, kCudaNames) ||
                       starts_with_one(word, kCudaStarts);
    add(stays ? symbol_of(word) : kName);
  }

  void add_number() {
    constexpr std::string_view kOperators = "+-*/%";
    const std::size_t size = result_.size();
    if (size >= 2 && result_[size - 2].symbol == kNumber &&
        result_[size - 1].spelling.size() == 1 &&
        kOperators.find(result_[size - 1].spelling[0]) != std::string_view::npos) {
      result_.pop_back();
    } else {
      add(kNumber);
    }
  }

  /// Leaves at_ behind a directive or, of #define, behind the name and what is directly behind it.
  void pass_directive() {
    const bool defines = text(at_ + 1) == "define";
    if (defines) {
      at_ = std::min(at_ + 3, tokens_.size());
      return;
    }
    for (++at_; at_ < tokens_.size(); ++at_) {
      if (begins_line(at_) && text(at_ - 1) != "\\") return;
    }
  }

  std::vector<SourceToken> tokens_;
  std::size_t at_ = 0;
  std::vector<NormalToken> result_;
};

}  // namespace

std::vector<NormalToken> normal_tokens(std::string_view source) { return Normaliser(source).run(); }

}  // namespace tut::learn
