#pragma once

#include <string>
#include <string_view>

namespace tut::learn {

/// The functions of a CUDA source that run on the device, without comments and blank lines; all of
/// a source that has none.
std::string kernel_code(std::string_view source);

/// Line by line, what `from` has and `to` has not ("- ..."), the other way round ("+ ..."), and
/// what both have ("  ..."). Blanks at the ends of a line do not count.
std::string line_diff(std::string_view from, std::string_view to);

}  // namespace tut::learn
