#include <cuda_runtime.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "16_cnn_trainer/trainer/own_kernels/own_kernels.hpp"
#include "tut/text/patience.hpp"

namespace tut::ch16 {

namespace {

// How the process with the trial ends. Whatever else it ends with is the kernel's doing.
enum TrialEnd { kAgrees = 40, kDiffers = 41, kError = 42, kDeviceLost = 43 };

// The descriptor that the trial closes when its device is ready.
constexpr int kNotReady = 3;
constexpr double kSecondsToStart = 300;

[[noreturn]] void become_trial(const char* program, const char* exercise, int not_ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Output of the kernel, and of its crash, is dropped: `learn check` shows it.
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {0, 1, 2}) dup2(null, stream);
  dup2(not_ready, kNotReady);
  fcntl(kNotReady, F_SETFD, 0);
  execl(program, program, "--try-kernel", exercise, nullptr);
  _exit(127);
}

// Waits until the other end of the pipe is closed: by the trial, or because it has ended.
void wait_until_ready(int pipe) {
  pollfd end{.fd = pipe, .events = POLLIN, .revents = 0};
  const int limit_ms = static_cast<int>(1000 * kSecondsToStart);
  while (poll(&end, 1, limit_ms) < 0 && errno == EINTR) {
  }
}

// Waits with so much patience. Returns whether it has ended; `status` is then waitpid's.
bool ended_in_time(pid_t child, double seconds, int& status) {
  Patience patience(child, seconds);
  for (int looks = 1;; ++looks) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "cannot wait for a kernel's trial");
    }
    if (looks % 20 == 0 && patience.is_over()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Whether the file still says what is to be done.
bool has_holes(const std::filesystem::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.find("// TODO:") != std::string::npos) return true;
  }
  return false;
}

Verdict verdict_of(int status) {
  if (!WIFEXITED(status)) return Verdict::crashes;
  switch (WEXITSTATUS(status)) {
    case kAgrees:
      return Verdict::agrees;
    case kDiffers:
      return Verdict::wrong_values;
    case kError:
      return Verdict::error;
    default:
      return Verdict::crashes;
  }
}

}  // namespace

Verdict try_kernel(const OwnKernel& kernel, const std::filesystem::path& program, double seconds) {
  const std::string exercise(kernel.exercise);
  int ends[2];  // of a pipe: to read from, and to close
  pid_t child = pipe2(ends, O_CLOEXEC);
  if (child == 0) child = fork();
  if (child < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot try a kernel");
  }
  if (child == 0) become_trial(program.c_str(), exercise.c_str(), ends[1]);
  close(ends[1]);
  wait_until_ready(ends[0]);
  close(ends[0]);
  int status = 0;
  Verdict verdict = Verdict::never_ends;
  if (ended_in_time(child, seconds, status)) {
    verdict = verdict_of(status);
  } else {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  return verdict != Verdict::agrees && has_holes(kernel.file) ? Verdict::unfinished : verdict;
}

void answer_trial(std::span<const OwnKernel> kernels, std::string_view exercise) {
  const auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                   [&](const OwnKernel& one) { return one.exercise == exercise; });
  if (kernel == kernels.end()) std::_Exit(kError);
  cudaFree(nullptr);  // starts CUDA, which may take longer than any kernel
  close(kNotReady);
  // The memory may be in any state by now: out, and nothing else.
  try {
    std::_Exit(kernel->agrees() ? kAgrees : kDiffers);
  } catch (const std::exception&) {
    // What a kernel breaks stays broken: an address that is not there, a failed assertion.
    cudaGetLastError();
    std::_Exit(cudaDeviceSynchronize() == cudaSuccess ? kError : kDeviceLost);
  }
}

}  // namespace tut::ch16
