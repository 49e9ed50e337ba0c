#pragma once

#include <string_view>
#include <vector>

namespace tut::learn {

/// The lines of a learner's file with a TODO under which nothing has been written: the comment is
/// the stub's, and so is what comes after it.
std::vector<int> empty_todos(std::string_view text, std::string_view stub);

/// How many TODOs a stub has.
int count_todos(std::string_view stub);

}  // namespace tut::learn
