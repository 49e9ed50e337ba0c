/// \file
/// Does an undefined value matter? The rest of a launch runs in copies of the process, each with
/// another value in its place; what memory and the output are at the end tells.
#pragma once

#include <cstdint>
#include <optional>

namespace simt::inspect {

class Trial {
 public:
  /// Every call of a launch, in place of one.
  static constexpr std::uintptr_t kAllSites = 0;

  /// Does what the launch leaves behind depend on the undefined values that the call at `site`
  /// gives from here on? False where that cannot be told: the process cannot be copied, the launch
  /// ends the program or takes too long, or does not do the same twice. In a copy the answer means
  /// nothing.
  bool matters(std::uintptr_t site);

  /// Is this process such a copy?
  bool is_copy() const { return is_copy_; }

  /// What undefined values at a call are made of; 0 but in a copy.
  unsigned char byte(std::uintptr_t site) const {
    return is_copy_ && (site_ == kAllSites || site_ == site) ? byte_ : 0;
  }

  /// The launch has ended, with this error: a copy tells what it leaves behind, and is gone.
  void launch_ends(int error);

 private:
  std::optional<std::uint64_t> run(std::uintptr_t site, unsigned char byte);
  void become_copy(int pipe_end);

  bool is_copy_ = false;
  std::uintptr_t site_ = kAllSites;
  unsigned char byte_ = 0;
  int answer_ = -1;  ///< of a copy: where it tells
  int output_ = -1;  ///< of a copy: what it prints
};

}  // namespace simt::inspect
