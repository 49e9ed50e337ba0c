#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tut::learn {

/// A C++ source without comments, and the same with blanks for what stands in quotes: both have the
/// same length and the same line ends.
struct CppSource {
  std::string text, shape;
};
/// A comment of the form /* ... */ leaves one blank, as in C++. Raw strings are read as plain ones.
CppSource without_comments(std::string_view source);

/// Whether a name in C++ may have this character.
bool is_word(char c);

/// Where `text` has this word whole, at `from` or behind it; npos if it has not.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

}  // namespace tut::learn
