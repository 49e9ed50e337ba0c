/// \file
/// The learner's own spacing, which the preprocessor does not keep.
#pragma once

#include <string>
#include <string_view>

namespace simt::rewrite {

/// Puts the white space of the source files back into a preprocessed text, in lines that macros
/// left alone, so that the compiler's carets point at the right columns. Comments become blanks.
std::string restore_spacing(std::string_view preprocessed);

/// The line of preprocessed text with the spacing of the source line it came from; empty if it
/// is not the same line.
std::string respace(std::string_view line, std::string_view source);

}  // namespace simt::rewrite
