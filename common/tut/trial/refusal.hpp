/// \file
/// Calls that have to throw and do not: what check mode finds in them is left out.
#pragma once

namespace tut {

/// The number of findings of check mode so far; 0 in programs that are not checked.
int findings_so_far();

/// Says that all findings but the first `before` were made in a call that should have thrown: the
/// course's command line leaves them out. Does nothing if there are none.
void leave_out_findings_since(int before);

}  // namespace tut
