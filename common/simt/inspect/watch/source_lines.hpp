/// \file
/// From addresses of machine code to lines of the source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt::inspect {

struct SourceLine {
  std::string file;  ///< as the compiler was given it; empty if it is not known
  int line = 0;

  bool known() const { return line > 0; }
  std::string text() const;  ///< `FILE:LINE`
  bool operator==(const SourceLine&) const = default;
};

/// The line of the learner's own source that a call at `return_address` stands on: of the functions
/// that the compiler inlined there, the innermost that is no part of CUDA's headers. Asks the
/// program `addr2line` the first time, which comes with every compiler.
const SourceLine& source_line(std::uintptr_t return_address);

/// Finds out at once what source_line will be asked.
void look_up_source_lines(const std::vector<std::uintptr_t>& return_addresses);

/// Is the code there the CPU backend's own, inlined into the program?
bool is_backend_code(std::uintptr_t return_address);

/// Is the code there the program's own, and not of some header inlined into it?
bool is_program_code(std::uintptr_t return_address);

}  // namespace simt::inspect
