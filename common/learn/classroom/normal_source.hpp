/// \file
/// A source without what is changed easily: what is compared when two files are looked at for
/// likeness.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tut::learn {

/// A token that stands for every token of its class. Two are of one class if `symbol` is equal.
struct NormalToken {
  std::uint32_t symbol;
  int line;                   ///< from 1
  std::string_view spelling;  ///< a part of the source
};

/// The tokens of a source, normalised: comments, blanks, directives (but for what a macro stands
/// for), braces, backslashes, `std::` and words that only qualify (const, static, inline, ...) are
/// left out; names, and types that are keywords, are one class, as are numbers, and quotes;
/// keywords and the names of CUDA are classes of their own. Numbers that only operators stand
/// between are one number: 2 * 128 is as 256.
std::vector<NormalToken> normal_tokens(std::string_view source);

}  // namespace tut::learn
