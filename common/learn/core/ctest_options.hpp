#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tut::learn {

/// What CTest would pass over in silence in these arguments: an option that it does not have, or a
/// word that belongs to none. Nothing when all is well, or when `help` names no options.
/// @param help what `ctest --help` prints
std::optional<std::string> ctest_mistake(std::string_view help,
                                         std::span<const std::string> arguments);

}  // namespace tut::learn
