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
  /// `FILE:LINE`, if the line belongs to a function that was inlined into one of another file:
  /// where it is called there. Else empty.
  std::string called_from = {};

  bool known() const { return line > 0; }
  std::string text() const;  ///< `FILE:LINE`
  bool operator==(const SourceLine& other) const {
    return line == other.line && file == other.file;
  }
};

/// Is `file` the one that the compiler was given as `given`? It may have made the path longer.
bool is_file(const std::string& file, const std::string& given);

/// The line of the learner's own source that a call at `return_address` stands on: of the functions
/// that the compiler inlined there, the innermost that is no part of CUDA's headers. Asks the
/// program `addr2line` the first time, which comes with every compiler.
const SourceLine& source_line(std::uintptr_t return_address);

/// The outermost of them: in a kernel, as far as everything was inlined into it.
const SourceLine& outer_line(std::uintptr_t return_address);

/// The innermost of them that stands in `file` (is_file); unknown if none does.
SourceLine line_in_file(std::uintptr_t return_address, const std::string& file);

/// The function that source_line stands in, without the arguments of templates and of calls, so
/// that all instances of a template are one; "" if it is not known.
const std::string& source_function(std::uintptr_t return_address);

/// Is the code there a part of that function of CUDA's, inlined into the program?
bool is_called(std::uintptr_t return_address, const std::string& function);

/// Finds out at once what source_line will be asked.
void look_up_source_lines(const std::vector<std::uintptr_t>& return_addresses);

/// Is the code there the CPU backend's own, inlined into the program?
bool is_backend_code(std::uintptr_t return_address);

/// Is it what the backend does for itself there, and not a function of CUDA's that a kernel calls?
bool is_bookkeeping(std::uintptr_t return_address);

/// Is the code there the program's own, and not of some header inlined into it?
bool is_program_code(std::uintptr_t return_address);

}  // namespace simt::inspect
