/// \file
/// What a test program tells the program that started it: through a pipe that nothing else in it
/// knows of, so that neither what it prints nor how it ends can be taken for a verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tut {

/// How a test program's tests ended, told once after the last of them.
struct TestVerdict {
  int cases = 0;         ///< that ran
  int failed_cases = 0;  ///< of these
  int findings = 0;      ///< of check mode
  bool skipped = false;  ///< nothing could be checked on this machine
};

/// The environment variable that names the pipe: "FD:NONCE"; or "FD:", where FD is a socket. Its
/// first line is then the nonce of lines about test cases, its second one that of the verdict,
/// which the program reads once its tests are over: while they run, nothing in its memory says it.
inline constexpr const char* kVerdictVariable = "TUT_VERDICT";

/// The verdict as one line, which nobody can write without the nonce.
std::string verdict_line(std::string_view nonce, const TestVerdict& verdict);

/// One line for the test case that begins, so that it is known where a program was stopped.
std::string case_line(std::string_view nonce, std::string_view test_case);

/// The test case that began last, of what came through the pipe; "" if none did.
std::string last_case(std::string_view text, std::string_view nonce);

/// The verdict of what came through the pipe; none unless it is exactly one line with this nonce,
/// beside those of test cases that begin.
/// @param nonce_of_cases that of the latter; empty: the same
std::optional<TestVerdict> read_verdict(std::string_view text, std::string_view nonce,
                                        std::string_view nonce_of_cases = {});

}  // namespace tut
