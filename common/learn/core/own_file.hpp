#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "learn/core/context.hpp"

namespace tut::learn {

/// How a program of the learner's own is compiled. Check and count mode are the CPU backend's,
/// whatever backend is chosen. For a debugger, every line is compiled by itself.
enum class OwnFileMode { run, check, count, debug, debug_check };

/// The options that every file of the course and of the learner's own is compiled with.
std::vector<std::string> course_flags(const Context& context);

/// nvcc with these options and its own, for gpu_architecture(). What it is to make is left open.
std::vector<std::string> nvcc_command(const Context& context, const std::filesystem::path& nvcc);

/// @throws UsageError in one line unless this is a file.
void require_source(const std::filesystem::path& file);

/// Compiles a .cu file and returns the program. Throws UsageError if there is no such file or it
/// does not compile, which the compiler has said then.
std::filesystem::path build_own_file(const Context& context, const std::filesystem::path& file,
                                     OwnFileMode mode = OwnFileMode::run);

}  // namespace tut::learn
