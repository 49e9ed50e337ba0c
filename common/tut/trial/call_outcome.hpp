#pragma once

#include <exception>
#include <string>

#include "simt/inspect/check/interface.hpp"
#include "simt/runtime/interface.hpp"
#include "tut/errors/check.hpp"
#include "tut/testing/outcome.hpp"
#include "tut/trial/call_failure.hpp"

namespace tut {

/// Whether an error of CUDA's says that a kernel was ended by what it did.
inline bool is_of_kernel(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

/// What happened where CUDA gave back an error, up to the error's name: that a kernel did not run
/// to its end, that a call was refused, or which call gave it back, if that is known.
inline std::string deed_of_error(cudaError_t error) {
  if (is_of_kernel(error)) return "the kernel did not run to its end: ";
  if (error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue ||
      error == cudaErrorLaunchOutOfResources) {
    return "CUDA refused a call: ";
  }
  const char* const call = simt_error_call != nullptr ? simt_error_call(error) : nullptr;
  const bool known = call != nullptr && std::string(call).starts_with("cuda");
  return (known ? std::string(call) : "a CUDA call") + " returned ";
}

/// What the error says of the program, beyond its name; "" where the name says it all.
inline std::string reason_of_error(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidValue:
    case cudaErrorLaunchOutOfResources: {
      const char* const why = simt_refused_launch != nullptr ? simt_refused_launch() : nullptr;
      return why != nullptr ? std::string(": ") + why : "";
    }
    case cudaErrorNotReady:
      return ": what it asks about is not finished: does the host wait for the event first, or for "
             "the stream that the event was recorded on?";
    default:
      return "";
  }
}

/// While it lives, check mode reports its findings with this case.
class CaseOfFindings {
 public:
  explicit CaseOfFindings(const std::string& text) { set(with_singulars(text).c_str()); }
  CaseOfFindings(const CaseOfFindings&) = delete;
  CaseOfFindings& operator=(const CaseOfFindings&) = delete;
  ~CaseOfFindings() { set(nullptr); }

 private:
  static void set(const char* text) {
    if (simt_check_case != nullptr) simt_check_case(text);
  }
};

/// Runs `call()`. CUDA's errors become failures of kind "launch", a CallFailure one of its own
/// kind, and everything else that is thrown one of kind "values"; `expect` reports a failure that
/// the call keeps (keep_failure). `text` describes the case; `question` follows an error of CUDA.
template <class Call>
Outcome outcome_of_call(const std::string& text, Call&& call, const std::string& question = "") {
  const std::string where = " (" + text + ")";
  const CaseOfFindings case_of_findings(text);
  try {
    call();
    note_case_of_kept_failure(where);
  } catch (const CallFailure& error) {
    return failure(error.kind(), error.what() + where);
  } catch (const CudaError& error) {
    return failure("launch", deed_of_error(error.code()) + error.what() +
                                 reason_of_error(error.code()) + where + question);
  } catch (const std::exception& error) {
    return failure("values", "the function threw \"" + std::string(error.what()) + "\"" + where);
  }
  return {};
}

}  // namespace tut
