#pragma once

#include <string>

namespace tut::learn {

/// How a test program that holds a submission's code tells its verdict (tut/testing/verdict.hpp):
/// through a socket, whose first line is the nonce that the verdict has to bring back. The nonce
/// stands in no environment and on no command line, and can be read once only, which the test
/// program does before any other code of it runs.
class VerdictSocket {
 public:
  VerdictSocket();
  ~VerdictSocket();
  VerdictSocket(const VerdictSocket&) = delete;
  VerdictSocket& operator=(const VerdictSocket&) = delete;

  /// The end for the program, closed on exec unless that is changed.
  int descriptor() const { return ends_[1]; }
  const std::string& nonce() const { return nonce_; }

  /// The value for kVerdictVariable.
  std::string variable() const;

  /// All that has come by now, of what is not unreasonably long.
  std::string contents() const;

 private:
  int ends_[2];
  std::string nonce_;
};

}  // namespace tut::learn
