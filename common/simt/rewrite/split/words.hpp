/// \file
/// Questions about a token's text.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace simt::rewrite::split {

inline bool any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace simt::rewrite::split
