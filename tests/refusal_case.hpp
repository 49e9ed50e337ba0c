#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "tut/testing/outcome.hpp"
#include "tut/trial/refusal.hpp"

namespace tut {

/// Whether `call()` throws std::invalid_argument. `what` it is given stands before "must throw".
/// What check mode finds where it does something else is left out.
template <class Call>
Outcome refusal_outcome(const std::string& what, const Call& call) {
  std::string became = "nothing was thrown";
  const int findings = findings_so_far();
  try {
    call();
  } catch (const std::invalid_argument&) {
    return {};
  } catch (const std::exception& error) {
    became = error.what();
  }
  leave_out_findings_since(findings);
  return failure("values",
                 what + " must throw std::invalid_argument before anything runs, but: " + became);
}

}  // namespace tut
