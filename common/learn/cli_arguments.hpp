/// \file
/// The words of a command line before they are parsed: which of them are other programs'.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tut::learn {

/// Index of the command: the first argument that is not --backend or its value.
std::size_t command_index(const std::vector<std::string>& arguments);

/// What is wrong with the flags of a command that runs a program, where they stand before "--";
/// empty when nothing is.
std::string misplaced_flag(const std::vector<std::string>& arguments, std::size_t command);

/// Takes the arguments that belong to another program off the end: all that follow `cucc`,
/// `author`, `grade`, `similar`, `bundle` or `test`, or `run WHAT` or `count FILE`, but for a first
/// "--", and all that follow a "--" of `check` or `debug`. The help of those that parse themselves
/// is theirs.
std::vector<std::string> take_program_arguments(std::vector<std::string>& arguments,
                                                std::size_t command);

}  // namespace tut::learn
