/// \file
/// Which code runs on which side, and whether each side uses only what it may: asked of the C++
/// compiler, which knows what every name, operator and conversion means.
///
/// What belongs to one side is marked in a copy of the program (with the attribute `deprecated`,
/// whose text says what it is), the compiler tells where it is used, and what is used on the wrong
/// side is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "passes/passes.hpp"

namespace simt::rewrite {

enum class Side : std::uint8_t { host, device, both };

/// The side of each token of the source that is in a function's body.
std::vector<Side> code_sides(const Source& source);

/// Adds the marks. False if nothing that is marked is mentioned on the other side.
bool mark_sides(const Context& context);

/// What a compiler's messages about the marked copy of a source mean, as errors in the source;
/// nothing if the copy does not compile for another reason.
std::vector<std::string> find_wrong_sides(std::string_view host, std::string_view device,
                                          const std::string& messages);

}  // namespace simt::rewrite
