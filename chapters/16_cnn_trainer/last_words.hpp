/// \file
/// What a run with a checkpoint says when it is stopped.
#pragma once

#include <string>

namespace tut::ch16 {

/// From now on, while it lives, the signals that stop a program (Ctrl-C, a closed terminal, a
/// reader of its output that left, kill) print `words` on stderr before they do what they do, if
/// there is a `file` to go on from by then. There is one at a time.
class LastWords {
 public:
  LastWords(const std::string& words, const std::string& file);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
};

}  // namespace tut::ch16
