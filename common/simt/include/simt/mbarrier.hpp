/// @file
/// mbarrier objects: barriers in shared memory, of threads that arrive and of bytes that copies
/// bring. One lies in 64 bits, as on a GPU; what the bits mean is this backend's own affair.
///
/// A phase is complete when as many threads have arrived as the barrier was initialised for, and as
/// many bytes have come as were announced; then the next one begins, and with it the parity that
/// waits name turns. Source: PTX ISA, "Parallel Synchronization and Communication Instructions:
/// mbarrier".
#ifndef SIMT_MBARRIER_HPP
#define SIMT_MBARRIER_HPP

#include <cstdint>

namespace simt::ptx {

// All stop the kernel with a message if there is no barrier at `at`, or if a count leaves its
// range.

/// A barrier of `count` arrivals a phase, of 1 to 2^20 - 1.
void mbarrier_init(void* at, std::uint32_t count);
void mbarrier_invalidate(void* at);
/// fence.mbarrier_init: the barriers that the running thread has made are there for the copy engine
/// and for the other blocks of the cluster. For check mode; here they are in any case.
void mbarrier_init_fence();

/// Announces `bytes` more for this phase; such as come complete it.
void mbarrier_expect(void* at, std::uint32_t bytes);
void mbarrier_complete(void* at, std::uint32_t bytes);
/// The same by the copy engine, to which a fence has made the barrier known.
void mbarrier_complete_copy(void* at, std::uint32_t bytes);

/// Announces bytes, then arrives `count` times. Returns what the barrier was before: its state. A
/// thread that drops out does not count in later phases either.
std::uint64_t mbarrier_arrive(void* at, std::uint32_t count, std::uint32_t bytes);
std::uint64_t mbarrier_arrive_drop(void* at, std::uint32_t count, std::uint32_t bytes);

/// Of a state: its phase's parity, and how many arrivals were missing.
inline std::uint32_t mbarrier_parity(std::uint64_t state) {
  return static_cast<std::uint32_t>(state >> 62 & 1);
}
inline std::uint32_t mbarrier_pending_count(std::uint64_t state) {
  return static_cast<std::uint32_t>(state & 0xFFFFF);
}

/// Whether the phase with this parity is complete: the latest one or the one before.
bool mbarrier_test_wait(const void* at, std::uint32_t parity);
/// The same, but waits for it. False only where otherwise no thread of the block could go on, as a
/// GPU returns after some time.
bool mbarrier_try_wait(const void* at, std::uint32_t parity);

/// Waits until it is complete.
inline void mbarrier_wait(const void* at, std::uint32_t parity) {
  while (!mbarrier_try_wait(at, parity)) {
  }
}

}  // namespace simt::ptx

#endif
