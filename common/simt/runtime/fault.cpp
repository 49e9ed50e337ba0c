#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "interface.hpp"
#include "memory.hpp"
#include "worker.hpp"

namespace simt::detail {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t kSignalCount = std::size(kSignals);

std::mutex handler_mutex;
struct sigaction previous_handlers[kSignalCount];

/// In place of an address that the processor does not tell.
const void* const kNotTold = reinterpret_cast<const void*>(~std::uintptr_t{0});

// A fault of host code: restores the previous signal handler and lets the fault happen again.
void give_up_signal(int signal, const siginfo_t* info) {
  for (std::size_t i = 0; i < kSignalCount; ++i) {
    if (kSignals[i] == signal) sigaction(signal, &previous_handlers[i], nullptr);
  }
  if (info->si_code <= 0) raise(signal);  // sent, not caused: returning would not repeat it
}

void handle_signal(int signal, siginfo_t* info, void*) {
  const Block* block = current_block;
  if (block == nullptr || info->si_code <= 0) {
    give_up_signal(signal, info);
    return;
  }
  // The processor tells no address that cannot be, nor one that a vector cannot begin at.
  const bool told = info->si_code != SI_KERNEL;
  block->worker->abandon_after_signal(signal, told ? info->si_addr : kNotTold);
}

// The function's name as CUDA prints it: the kernel, not the lambda that holds its body.
std::string_view function_name(std::string_view pretty) {
  return pretty.substr(0, pretty.find("::<lambda"));
}

}  // namespace

void install_signal_handlers() {
  struct sigaction now;
  if (sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == &handle_signal) return;
  const std::lock_guard lock(handler_mutex);
  for (std::size_t i = 0; i < kSignalCount; ++i) {
    sigaction(kSignals[i], nullptr, &now);
    if (now.sa_sigaction == &handle_signal) continue;
    previous_handlers[i] = now;
    struct sigaction ours {};
    ours.sa_sigaction = &handle_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(kSignals[i], &ours, nullptr);
  }
}

void stop_kernel(Block& block, cudaError_t code, const char* format, ...) {
  if (block.job->fail(code)) {
    std::fflush(stdout);  // what the program has printed comes first
    std::va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
  }
  block.worker->abandon();
}

void Worker::report_signal(Job& job) {
  const Block& block = *current_block;
  const char* what = "illegal instruction";
  cudaError_t code = cudaErrorIllegalInstruction;
  if (signal_ == SIGFPE) {
    what = "integer division by zero or overflow";
    code = cudaErrorLaunchFailure;
  } else if (signal_ != SIGILL) {
    if (fault_address_ == kNotTold) {
      what = "misaligned vector access, or an invalid address,";
      code = cudaErrorMisalignedAddress;
    } else if (fibers_.is_guard(fault_address_)) {
      what = "stack overflow";
      code = cudaErrorLaunchFailure;
    } else {
      what = describe_address(fault_address_);
      code = cudaErrorIllegalAddress;
    }
  }
  if (!job.fail(code)) return;
  std::fflush(stdout);
  std::fprintf(stderr, "simt: %s", what);
  if (code == cudaErrorIllegalAddress) {
    std::fprintf(stderr, " at address 0x%llx",
                 static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(fault_address_)));
  }
  // Of these two the address is that of the instruction.
  if ((signal_ == SIGFPE || signal_ == SIGILL) && simt_line_of_instruction != nullptr) {
    const char* const line = simt_line_of_instruction(fault_address_, true);
    if (*line != '\0') std::fprintf(stderr, " at %s", line);
  }
  std::fprintf(stderr, " in %s", describe(block).text);
  if (block.on_fibers) {
    const uint3 thread = ::threadIdx;
    std::fprintf(stderr, ", thread (%u,%u,%u)", thread.x, thread.y, thread.z);
  }
  std::fprintf(stderr, "\n");
}

}  // namespace simt::detail

/// What `assert` calls. In a kernel it prints CUDA's message and ends the kernel with
/// cudaErrorAssert; in host code it does what the C library does.
extern "C" [[gnu::noreturn]] void __assert_fail(const char* expression, const char* file,
                                                unsigned int line, const char* function) noexcept {
  simt::detail::Block* block = simt::detail::current_block;
  if (block == nullptr) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  const uint3 thread = ::threadIdx;
  const std::string_view name = simt::detail::function_name(function);
  simt::detail::stop_kernel(
      *block, cudaErrorAssert,
      "%s:%u: %.*s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file, line,
      static_cast<int>(name.size()), name.data(), block->index.x, block->index.y, block->index.z,
      thread.x, thread.y, thread.z, expression);
}
