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
  /// `FILE:LINE` of the calls that led there, the innermost first: of those that were inlined, and
  /// with line_of_call of all.
  std::vector<std::string> callers = {};

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

/// The same with all calls that the running thread is in, as far as its kernel, if it is in this.
SourceLine line_of_call(std::uintptr_t return_address);

/// Where the calls return to that the running thread is in, the innermost first. `frame` is that of
/// a function which code called that keeps frame pointers, as watched code does; `end` lies behind
/// the thread's stack.
std::vector<std::uintptr_t> calls_from(const void* frame, const void* end);

/// The same with the calls that were not inlined told by what calls_from has given.
SourceLine line_of_call(std::uintptr_t return_address, const std::vector<std::uintptr_t>& calls);

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
