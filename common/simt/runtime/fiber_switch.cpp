#include "fiber_switch.hpp"

#include <cstdint>
#include <cstring>

#if !defined(__x86_64__) || defined(SIMT_PORTABLE_FIBERS)
#include <ucontext.h>
#endif

namespace simt::detail {

namespace {

// More than the calls between a fiber's note of its stack pointer and the switch itself can take.
constexpr std::size_t kRoomOfSwitch = 4096;

void leave(Fiber& from, const Fiber& to) {
  if (address_sanitizer()) {
    __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_bottom, to.stack_size);
  }
}

}  // namespace

void arrived_on(const Fiber& fiber) {
  if (address_sanitizer()) __sanitizer_finish_switch_fiber(fiber.fake_stack, nullptr, nullptr);
}

// Not instrumented: its own frame would lie among those that it gives up.
[[gnu::noinline, gnu::no_sanitize_address]] void jumped_to(const Fiber& fiber) {
  if (&__sanitizer_start_switch_fiber == nullptr) return;
  __sanitizer_start_switch_fiber(nullptr, fiber.stack_bottom, fiber.stack_size);
  __sanitizer_finish_switch_fiber(fiber.fake_stack, nullptr, nullptr);
  // The frames from here down to the place where the stack was left are gone, their red zones not.
  auto* top = static_cast<std::byte*>(__builtin_frame_address(0));
  std::byte* bottom = static_cast<std::byte*>(fiber.start.stack_pointer) - kRoomOfSwitch;
  if (bottom < top) __asan_unpoison_memory_region(bottom, static_cast<std::size_t>(top - bottom));
}

#if defined(__x86_64__) && !defined(SIMT_PORTABLE_FIBERS)

void prepare_fiber(Fiber& fiber, std::byte* top, std::size_t size, void (*entry)()) {
  // As a call would leave it: 8 modulo 16, with a return address (none) on top.
  const auto end = reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15};
  auto* stack = reinterpret_cast<std::byte*>(end - 8);
  std::memset(stack, 0, 8);
  fiber.start = {stack, nullptr, reinterpret_cast<void*>(entry), nullptr, {}};
  fiber.fake_stack = nullptr;
  fiber.stack_bottom = top - size;
  fiber.stack_size = size;
}

void release_fiber(Fiber&) {}

void switch_stacks(Fiber& from, Fiber& to, ParkedThread* parked, ParkedThread* next) {
  leave(from, to);
  switch_registers(parked, next);
  arrived_on(from);
}

#else

namespace {

ucontext_t* context_of(Fiber& fiber) {
  if (fiber.portable_context == nullptr) fiber.portable_context = new ucontext_t;
  return static_cast<ucontext_t*>(fiber.portable_context);
}

}  // namespace

void prepare_fiber(Fiber& fiber, std::byte* top, std::size_t size, void (*entry)()) {
  fiber.start.stack_pointer = top - 64;
  fiber.fake_stack = nullptr;
  fiber.stack_bottom = top - size;
  fiber.stack_size = size;
  ucontext_t* context = context_of(fiber);
  getcontext(context);
  context->uc_stack.ss_sp = top - size;
  context->uc_stack.ss_size = size;
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
}

void release_fiber(Fiber& fiber) {
  delete static_cast<ucontext_t*>(fiber.portable_context);
  fiber.portable_context = nullptr;
}

void switch_stacks(Fiber& from, Fiber& to, ParkedThread*, ParkedThread*) {
  leave(from, to);
  swapcontext(context_of(from), context_of(to));
  arrived_on(from);
}

#endif

}  // namespace simt::detail
