#pragma once

#include <version>

#if defined(__cpp_lib_source_location)
#include <source_location>
#endif

namespace tut {

#if defined(__cpp_lib_source_location)
using SourceLocation = std::source_location;
#else
/// std::source_location for compilers that lack it (clang before 16 with libstdc++).
class SourceLocation {
 public:
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          unsigned line = __builtin_LINE()) {
    return SourceLocation(file, line);
  }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr unsigned line() const noexcept { return line_; }

 private:
  constexpr SourceLocation(const char* file, unsigned line) : file_(file), line_(line) {}

  const char* file_;
  unsigned line_;
};
#endif

}  // namespace tut
