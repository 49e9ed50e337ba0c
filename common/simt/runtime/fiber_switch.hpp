/// @file
/// Leaving one stack and continuing on another.
#ifndef SIMT_RUNTIME_FIBER_SWITCH_HPP
#define SIMT_RUNTIME_FIBER_SWITCH_HPP

#include "simt/fiber.hpp"

// AddressSanitizer's, present only in programs that are built with it.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom,
                                                  std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_bottom,
                                                   std::size_t* old_size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
}

namespace simt::detail {

/// True in a program built with AddressSanitizer.
inline bool address_sanitizer() { return &__sanitizer_start_switch_fiber != nullptr; }

/// Tells AddressSanitizer that `fiber` now runs.
void arrived_on(const Fiber& fiber);

/// The same after a long jump out of a fiber that will not go on.
void jumped_to(const Fiber& fiber);

/// Leaves one fiber for another, by the way that this processor and this program need.
void switch_stacks(Fiber& from, Fiber& to, ParkedThread* parked, ParkedThread* next);

/// Prepares a fiber to begin with `entry`, which must not return, on the `size` bytes below `top`.
void prepare_fiber(Fiber& fiber, std::byte* top, std::size_t size, void (*entry)());

/// Frees what switching to and from a fiber has allocated. The fiber is not used again.
void release_fiber(Fiber& fiber);

#if defined(__x86_64__) && !defined(SIMT_PORTABLE_FIBERS)

inline constexpr bool kPortableFibers = false;

/// Saves where `from` stands and continues where `to` stood. All registers but the stack pointer
/// are declared as lost, so that the compiler saves those that matter. It ends in a jump and not in
/// `ret`: the processor predicts returns from the calls of the stack it has left.
[[gnu::always_inline]] inline void switch_registers(ParkedThread* from, ParkedThread* to) {
  asm volatile(
      "movq %%rsp, 0(%0)\n\t"
      "movq %%rbp, 8(%0)\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rax, 16(%0)\n\t"
      "movq 0(%1), %%rsp\n\t"
      "movq 8(%1), %%rbp\n\t"
      "jmpq *16(%1)\n\t"
      "1:\n\t"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15",
#ifdef __AVX512F__
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",
        "k7",
#endif
        "memory", "cc");
}

#else

inline constexpr bool kPortableFibers = true;

inline void switch_registers(ParkedThread*, ParkedThread*) {}

#endif

/// The same through `Worker`, which knows the stacks that two threads are on.
void switch_watched(ParkedThread* from, ParkedThread* to);

/// Parks `from`, the caller, and continues `to`.
[[gnu::always_inline]] inline void switch_thread(ParkedThread* from, ParkedThread* to) {
  if (kPortableFibers || address_sanitizer()) [[unlikely]] {
    switch_watched(from, to);
  } else {
    switch_registers(from, to);
  }
}

}  // namespace simt::detail

#endif
