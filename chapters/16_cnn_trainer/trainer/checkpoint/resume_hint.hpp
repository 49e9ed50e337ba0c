/// \file
/// What a run with a checkpoint says when it is stopped.
#pragma once

#include <string>

namespace tut::ch16 {

/// From now on, while it lives, the signals that stop a program (Ctrl-C, a closed terminal, a
/// reader of its output that left, kill) print `words` on stderr before they do what they do, if
/// there is a `file` to go on from by then. There is one at a time.
class ResumeHintOnSignal {
 public:
  ResumeHintOnSignal(const std::string& words, const std::string& file);
  ~ResumeHintOnSignal();
  ResumeHintOnSignal(const ResumeHintOnSignal&) = delete;
  ResumeHintOnSignal& operator=(const ResumeHintOnSignal&) = delete;
};

}  // namespace tut::ch16
