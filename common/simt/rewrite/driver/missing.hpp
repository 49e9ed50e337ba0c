/// \file
/// A C++ compiler's messages about what CUDA has and the CPU backend does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/headers.hpp"

namespace simt::rewrite {

/// What is said in place of a compiler's messages, if these are about a header or about names of
/// CUDA's that the CPU backend has none of; else empty. No list can tell which names a program has
/// of its own, in which scopes: the compiler can. So a name of CUDA's that it finds no declaration
/// of, and that no header in `include_folder` mentions, is missing.
std::string missing_text(std::string_view messages, const std::string& include_folder);

/// The header of CUDA's that the preprocessor misses; empty if it is none.
MissingHeader missing_header(std::string_view messages);

/// Does what is said tell of names that nothing declares? The compiler comes to calls of what there
/// is not only where nothing else is missing.
bool hides_calls(std::string_view said);

/// The lines of `text` and those of `more`, each once, and those of a file in their order there.
std::string merge_lines(const std::string& text, const std::vector<std::string>& more);

}  // namespace simt::rewrite
