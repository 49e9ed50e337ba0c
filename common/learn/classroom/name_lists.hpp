#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace tut::learn {

/// Whether a name is one of these.
template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether a name starts with one of these.
template <std::size_t N>
bool starts_with_one(std::string_view name, const std::array<std::string_view, N>& starts) {
  return std::ranges::any_of(starts, [&](std::string_view s) { return name.starts_with(s); });
}

}  // namespace tut::learn
