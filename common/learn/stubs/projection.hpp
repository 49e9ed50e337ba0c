#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tut::learn {

/// A solution that cannot become a stub: what() is "FILE:LINE: error: what is wrong".
class StubError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The stub of a solution.
///
/// Between a pair of lines `//! [hole-NAME]` it drops the code and the two marker lines, and keeps
/// the comment lines, the first as `// TODO: ...`, all indented like the marker.
///
/// Between a pair of lines `//! [bug-KIND]` it drops everything, so that nothing points at the bug.
/// KIND is what the stub fails by: `budget`, or one of check mode's kinds. One bug may need several
/// pairs.
///
/// Between a pair of lines `//! [blank-NAME]` it drops everything as well: all that a blank-file
/// exercise leaves to the learner, of which the solution's comments are no instructions.
///
/// A line `//> CODE` in any of them becomes the line CODE of the stub: what a bug has in place of
/// the right code, what the stub needs to compile, or the empty function of a blank file. All other
/// lines stay as they are.
///
/// \param solution  the whole text of the solution
/// \param file      its name, for errors
/// Throws StubError if there is neither hole nor bug, one is nested, not closed or holds block
/// comments, a hole has the name of another or lacks comments, a bug changes nothing or has a kind
/// that nothing fails by, or a blank leaves nothing; and where a comment looks like a marker and is
/// none of these three, as a misspelt one would leave the solution in the stub.
std::string project_stub(std::string_view solution, std::string_view file);

/// Whether a text has the marker of a hole, a bug or a blank, which solutions have and stubs have
/// not: it is a solution as the course keeps it.
bool has_marks(std::string_view text);

/// The solution to read: without its marks, those of holes and bugs and those that lessons quote
/// by, and without the stub's lines after `//>`. Comments stay.
std::string readable_solution(std::string_view solution);

}  // namespace tut::learn
