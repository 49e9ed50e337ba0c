#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <initializer_list>
#include <string>
#include <utility>

#include "tut/call_failure.hpp"
#include "tut/check.hpp"
#include "tut/compare.hpp"
#include "tut/device_trial.hpp"

namespace tut {

/// Runs `call(stream, views...)` to its end on device copies of the images, as run_trial says, and
/// leaves in the images what the device's memory then holds. CUDA's errors are failures of kind
/// "launch", broken rules of kind "stream", everything else that is thrown of kind "values"; `text`
/// describes the case.
template <class Call, class... T>
Outcome run_on_device(const CallRules& rules, const std::string& text, Call&& call,
                      Guarded<T>&... images) {
  try {
    run_on_images(rules, std::forward<Call>(call), images...);
  } catch (const CallFailure& error) {
    return failure(error.kind(), error.what() + (" (" + text + ")"));
  } catch (const CudaError& error) {
    return failure("launch", "the kernel did not run to its end: " + std::string(error.what()) +
                                 " (" + text + ")");
  } catch (const std::exception& error) {
    return failure("values",
                   "the function threw \"" + std::string(error.what()) + "\" (" + text + ")");
  }
  return {};
}

/// The same with the rules that hold for most calls.
template <class Call, class... T>
Outcome run_on_device(const std::string& text, Call&& call, Guarded<T>&... images) {
  return run_on_device(CallRules{}, text, std::forward<Call>(call), images...);
}

/// Fails if memory around the matrix is no longer what it was before.
template <class T>
Outcome only_inside_changed(const Guarded<T>& before, const Guarded<T>& after,
                            const std::string& name, const std::string& text,
                            bool is_vector = false) {
  const std::string change = after.change_outside(before, name, is_vector);
  return change.empty() ? Outcome{} : failure("values", change + " (" + text + ")");
}

/// Fails if anything in this memory, which was only to be read, is no longer what it was before.
template <class T>
Outcome nothing_changed(const Guarded<T>& before, const Guarded<T>& after, const std::string& name,
                        const std::string& text, bool is_vector = false) {
  const std::string change = after.change(before, name, is_vector);
  return change.empty() ? Outcome{} : failure("values", change + " (" + text + ")");
}

/// The first failure, or success.
inline Outcome first_failure(std::initializer_list<Outcome> outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (!outcome.ok) return outcome;
  }
  return {};
}

}  // namespace tut
