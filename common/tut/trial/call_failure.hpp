#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "tut/testing/outcome.hpp"

namespace tut {

/// A call under test that did not do its work, or not in the way that its contract asks for.
class CallFailure : public std::runtime_error {
 public:
  /// \param kind of the Outcome: "stream" for a call that breaks the rules of its stream, "launch"
  ///     for one that breaks those of its launches, "state" for one that shares memory with others,
  ///     "unset" for one that reads what it has not set, "values" for results that may not differ.
  CallFailure(std::string kind, const std::string& what)
      : std::runtime_error(what), kind_(std::move(kind)) {}

  const std::string& kind() const noexcept { return kind_; }

 private:
  std::string kind_;
};

/// Keeps a failure until the values that the call has left are judged: if they are wrong, they show
/// the reason better, else the next `expect` reports this failure. Only the first one is kept.
void keep_failure(const CallFailure& failure);
/// Adds to the failure that is kept, if one is and nothing was added yet, which case it is of.
void note_case_of_kept_failure(const std::string& where);
/// Takes the failure that is kept; returns success if there is none.
Outcome take_kept_failure();

}  // namespace tut
