#pragma once

#include <string>

namespace tut::learn {

/// How a test program that holds a submission's code tells its verdict (tut/testing/verdict.hpp):
/// through a socket, whose lines are nonces that have to come back: the first with what it says of
/// test cases, the second with the verdict. They stand in no environment and on no command line,
/// and can be read once only. The test program reads the first before any other code of it runs,
/// and the second when all tests are over, so that no code that is tested finds it in memory.
class VerdictSocket {
 public:
  VerdictSocket();
  ~VerdictSocket();
  VerdictSocket(const VerdictSocket&) = delete;
  VerdictSocket& operator=(const VerdictSocket&) = delete;

  /// The end for the program, closed on exec unless that is changed.
  int descriptor() const { return ends_[1]; }
  const std::string& nonce() const { return nonce_; }  ///< of the verdict
  const std::string& nonce_of_cases() const { return nonce_of_cases_; }

  /// The value for kVerdictVariable.
  std::string variable() const;

  /// All that has come by now, of what is not unreasonably long.
  std::string contents() const;

 private:
  int ends_[2];
  std::string nonce_of_cases_, nonce_;
};

}  // namespace tut::learn
