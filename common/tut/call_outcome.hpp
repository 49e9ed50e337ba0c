#pragma once

#include <exception>
#include <string>

#include "simt/runtime/interface.hpp"
#include "tut/call_failure.hpp"
#include "tut/check.hpp"
#include "tut/outcome.hpp"

namespace tut {

/// What became of `call()`: CUDA's errors are failures of kind "launch", broken rules of the
/// kind that they have, everything else that is thrown of kind "values". `text` describes the case;
/// `question` follows an error of CUDA.
template <class Call>
Outcome outcome_of_call(const std::string& text, Call&& call, const std::string& question = "") {
  const std::string where = " (" + text + ")";
  try {
    call();
  } catch (const CallFailure& error) {
    return failure(error.kind(), error.what() + where);
  } catch (const CudaError& error) {
    const bool refused = error.code() == cudaErrorInvalidConfiguration ||
                         error.code() == cudaErrorInvalidValue ||
                         error.code() == cudaErrorLaunchOutOfResources;
    const char* const why =
        refused && simt_refused_launch != nullptr ? simt_refused_launch() : nullptr;
    return failure("launch",
                   (refused ? "CUDA refused a call: " : "the kernel did not run to its end: ") +
                       std::string(error.what()) + (why != nullptr ? std::string(": ") + why : "") +
                       where + question);
  } catch (const std::exception& error) {
    return failure("values", "the function threw \"" + std::string(error.what()) + "\"" + where);
  }
  return {};
}

}  // namespace tut
