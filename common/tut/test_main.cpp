// The main program of every doctest program of the course.
//
// Exit code 0: everything passed; 1: something failed, and a line "kind: KIND" says what sort of
// failure; 77: nothing could be checked, because this machine has no CUDA device.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

namespace {

constexpr int exit_skipped = 77;

// Notes what the failures of a run say of themselves.
struct FailureNotes {
  int failures = 0, without_device = 0;
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

class NoteTaker : public doctest::IReporter {
 public:
  explicit NoteTaker(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException& exception) override {
    notes.add(exception.error_string.c_str());
  }
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& data) override {
    if (data.m_failed) notes.add(data.m_exception.c_str());
  }
  void log_message(const doctest::MessageData& message) override {
    if (message.m_severity != doctest::assertType::is_warn) notes.add(message.m_string.c_str());
  }
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

REGISTER_LISTENER("notes", 1, NoteTaker);

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  if (status == 0 || context.shouldExit()) return status;
  if (notes.failures > 0 && notes.failures == notes.without_device) {
    std::puts("skipped: this machine has no CUDA device, so nothing was checked");
    return exit_skipped;
  }
  if (!notes.has_kind) std::printf("kind: %s\n", notes.has_launch_error ? "launch" : "values");
  return 1;
}
