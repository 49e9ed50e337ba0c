/// \file
/// The tokens of a C++ source as it was written, not preprocessed: what the rules for submissions
/// and the comparison of submissions read. Any text can be taken apart, also one that is no C++.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tut::learn {

enum class SourceTokenKind : std::uint8_t {
  word,    ///< an identifier or a keyword
  number,  ///< also 0x1p-3 and 1'000
  quoted,  ///< "..." or '...'; one that its line does not close ends with the line
  sign,    ///< one character, or ## in either spelling
};

struct SourceToken {
  SourceTokenKind kind;
  std::string_view text;  ///< a part of the source
  int line;               ///< from 1
};

/// The tokens of a source without its comments. Raw strings are read as plain ones.
std::vector<SourceToken> source_tokens(std::string_view source);

}  // namespace tut::learn
