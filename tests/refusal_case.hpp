#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "simt/runtime/interface.hpp"
#include "tut/device/compute_capability.hpp"
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

/// Whether `call()` throws std::runtime_error where the device has that compute capability, which
/// the CPU backend says on demand; elsewhere there is but one device.
template <class Call>
Outcome device_refusal_outcome(int capability, const Call& call) {
  if (simt_set_compute_capability == nullptr) return {};
  const int own = compute_capability();
  simt_set_compute_capability(capability);
  std::string became = "nothing was thrown";
  const int findings = findings_so_far();
  try {
    call();
  } catch (const std::runtime_error&) {
    became.clear();
  } catch (const std::exception& error) {
    became = error.what();
  }
  simt_set_compute_capability(own);
  if (became.empty()) return {};
  leave_out_findings_since(findings);
  return failure("values", "on a device of compute capability " + std::to_string(capability / 10) +
                               "." + std::to_string(capability % 10) +
                               " it must throw std::runtime_error, but: " + became);
}

}  // namespace tut
