#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tut {

/// A call under test that did not do its work, or not in the way that its contract asks for.
class CallFailure : public std::runtime_error {
 public:
  /// \param kind of the Outcome: "stream" for a call that breaks the rules of its stream, "launch"
  ///     for one that breaks those of its launches, "state" for one that shares memory with others,
  ///     "values" for results that differ where they may not.
  CallFailure(std::string kind, const std::string& what)
      : std::runtime_error(what), kind_(std::move(kind)) {}

  const std::string& kind() const noexcept { return kind_; }

 private:
  std::string kind_;
};

}  // namespace tut
