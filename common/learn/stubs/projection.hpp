#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tut::learn {

/// A solution that cannot become a stub: what() is "FILE:LINE: error: what is wrong".
class StubError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The stub of a solution. Between a pair of lines `//! [hole-NAME]` it drops the code and the two
/// marker lines, and keeps the comment lines, the first as `// TODO: ...`, all indented like the
/// marker. A line `//> CODE` in a hole becomes the code line CODE of the stub: a bug to find, or
/// what the stub needs to compile. All other lines stay as they are.
///
/// \param solution  the whole text of the solution
/// \param file      its name, for errors
/// Throws StubError if there is no hole, or a hole is nested, not closed, has the name of another,
/// lacks comments, or holds block comments.
std::string project_stub(std::string_view solution, std::string_view file);

}  // namespace tut::learn
