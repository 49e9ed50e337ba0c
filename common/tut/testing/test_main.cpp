// The main program of every doctest program of the course.
//
// Exit code 0: everything passed; 1: something failed, and a line "kind: KIND" says what sort of
// failure; 77: nothing could be checked, because this machine has no CUDA device.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "tut/compare/lower_precision.hpp"
#include "tut/testing/listener.hpp"
#include "tut/testing/verdict.hpp"
#include "tut/trial/call_failure.hpp"
#include "tut/trial/refusal.hpp"

namespace {

constexpr int exit_skipped = 77;

/// The pipe for the verdict, from the environment: taken out of it before anything else of the
/// program runs, so that the code under test never sees it.
struct VerdictPipe {
  int descriptor = -1;
  bool sends_nonces = false;
  char nonce[65] = {};

  /// Reads "FD:NONCE" and wipes it. Without a nonce there ("FD:"), it is the first line that comes
  /// through FD, a socket: then it has never stood where a process beside this one could read it.
  /// The code under test could, in this program's memory: so the verdict has a nonce of its own,
  /// the second line, which stays in the socket until the tests are over. By system calls, which no
  /// sanitizer's runtime is in the way of.
  void take(char* text) {
    int number = 0;
    for (; *text >= '0' && *text <= '9'; ++text) {
      number = 10 * number + (*text - '0');
      *text = '0';
    }
    if (*text != ':') return;
    ++text;
    for (std::size_t i = 0; i + 1 < sizeof(nonce) && text[i] != '\0'; ++i) {
      nonce[i] = text[i];
      text[i] = '0';
    }
    descriptor = number;
    sends_nonces = nonce[0] == '\0';
    if (sends_nonces) receive_nonce();
    syscall(SYS_fcntl, descriptor, F_SETFD, FD_CLOEXEC);
  }

  void tell(const tut::TestVerdict& verdict) {
    if (sends_nonces) receive_nonce();
    send(tut::verdict_line(nonce, verdict));
  }
  void tell_case(const char* name) const { send(tut::case_line(nonce, name)); }

 private:
  void receive_nonce() {
    for (std::size_t i = 0; i + 1 < sizeof(nonce); ++i) {
      if (syscall(SYS_read, descriptor, nonce + i, 1) != 1 || nonce[i] == '\n') {
        nonce[i] = '\0';
        return;
      }
    }
  }

  void send(const std::string& line) const {
    if (descriptor < 0) return;
    [[maybe_unused]] const ssize_t sent = write(descriptor, line.data(), line.size());
  }
};

constinit VerdictPipe verdict_pipe;

/// Runs before all constructors, without the runtime of any sanitizer.
[[gnu::no_sanitize("address", "thread", "undefined")]] void take_verdict_pipe(int, char**,
                                                                              char** environment) {
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const char* name = tut::kVerdictVariable;
    char* text = *entry;
    while (*name != '\0' && *text == *name) ++text, ++name;
    if (*name != '\0' || *text != '=') continue;
    verdict_pipe.take(text + 1);
    return;
  }
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const take_pipe_first)(int, char**, char**) = take_verdict_pipe;

// Notes what the failures of a run say of themselves.
struct FailureNotes {
  int failures = 0, without_device = 0;
  int cases = 0, failed_cases = 0;
  bool has_kind = false, has_launch_error = false;

  void add(const std::string& text) {
    ++failures;
    has_kind = has_kind || text.find("\nkind: ") != std::string::npos;
    has_launch_error = has_launch_error || text.find("cudaError") != std::string::npos;
    for (const char* name : {"cudaErrorNoDevice", "cudaErrorInsufficientDriver"}) {
      if (text.find(name) != std::string::npos) ++without_device;
    }
  }
};

FailureNotes notes;

/// A check that an exception is thrown, which none was.
bool misses_exception(const doctest::AssertData& data) {
  constexpr int kThrows = doctest::assertType::is_throws | doctest::assertType::is_throws_as |
                          doctest::assertType::is_throws_with;
  return data.m_failed && (data.m_at & kThrows) != 0 && !data.m_threw;
}

class NoteTaker : public tut::Listener {
 public:
  using Listener::Listener;
  void test_case_start(const doctest::TestCaseData& test_case) override {
    verdict_pipe.tell_case(test_case.m_name);
    findings_before_ = tut::findings_so_far();
  }
  void test_run_end(const doctest::TestRunStats& run) override {
    notes.cases = static_cast<int>(run.numTestCasesPassingFilters);
    notes.failed_cases = static_cast<int>(run.numTestCasesFailed);
  }
  void test_case_exception(const doctest::TestCaseException& exception) override {
    notes.add(exception.error_string.c_str());
  }
  void log_assert(const doctest::AssertData& data) override {
    if (data.m_failed) notes.add(data.m_exception.c_str());
    if (misses_exception(data)) tut::leave_out_findings_since(findings_before_);
    findings_before_ = tut::findings_so_far();
  }
  void log_message(const doctest::MessageData& message) override {
    if (message.m_severity != doctest::assertType::is_warn) notes.add(message.m_string.c_str());
    findings_before_ = tut::findings_so_far();
  }

 private:
  /// Those that were made before what is checked next.
  int findings_before_ = 0;
};

/// A failure that no test has told.
void add_failure(const std::string& report) {
  std::puts(report.c_str());
  notes.add(report);
  ++notes.failed_cases;
}

}  // namespace

REGISTER_LISTENER("notes", 1, NoteTaker);

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  int status = context.run();
  // A test that has run a call and judged nothing after it.
  if (const tut::Outcome kept = tut::take_kept_failure(); !kept.ok) {
    add_failure(kept.report);
    status = 1;
  }
  if (tut::tries_limits() && status == 0 && !context.shouldExit()) {
    std::fputs(tut::lower_precision_trial().summary().c_str(), stdout);
    if (const tut::Outcome found = tut::lower_precision_trial().outcome(); !found.ok) {
      add_failure(found.report);
      status = 1;
    }
  }
  const bool skipped = notes.failures > 0 && notes.failures == notes.without_device;
  if (!context.shouldExit()) {
    verdict_pipe.tell({notes.cases, notes.failed_cases, tut::findings_so_far(), skipped});
  }
  if (status == 0 || context.shouldExit()) return status;
  if (skipped) {
    std::puts("skipped: this machine has no CUDA device, so nothing was checked");
    return exit_skipped;
  }
  if (!notes.has_kind) std::printf("kind: %s\n", notes.has_launch_error ? "launch" : "values");
  return 1;
}
