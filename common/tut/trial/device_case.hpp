#pragma once

#include <cuda_runtime.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "tut/compare/compare.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/device_trial.hpp"
#include "tut/trial/recorded_call.hpp"

namespace tut {

/// Runs `call(stream, views...)` to its end on device copies of the images, as run_trial says, and
/// leaves in the images what the device's memory then holds. What is thrown is a failure
/// (outcome_of_call).
template <class Call, class... T>
Outcome run_on_device(const CallRules& rules, const std::string& text, Call&& call,
                      Guarded<T>&... images) {
  return outcome_of_call(text, [&] { run_on_images(rules, std::forward<Call>(call), images...); });
}

/// The same with the rules that hold for most calls.
template <class Call, class... T>
Outcome run_on_device(const std::string& text, Call&& call, Guarded<T>&... images) {
  return run_on_device(CallRules{}, text, std::forward<Call>(call), images...);
}

/// Whether `call` launches no kernel, as it need not for what `text` says.
inline Outcome launches_nothing(const std::string& text, const StreamCall& call) {
  return outcome_of_call(text, [&] {
    const RecordedCall recorded(call);
    if (recorded.launches().empty()) return;
    throw CallFailure("launch", "the call launches a kernel; expected none");
  });
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
