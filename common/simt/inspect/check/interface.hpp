/// \file
/// How a program that was compiled with `cucc --check` asks what has been found. In other programs
/// these functions are null.
#pragma once

#include <cstdint>

extern "C" {

/// The number of findings so far.
[[gnu::weak]] int simt_check_findings();

/// Whether races in global memory are looked for in what the device does from now on: as they are
/// from the beginning. Without, nothing is remembered of each word, and long launches are checked
/// as well.
[[gnu::weak]] void simt_check_races(bool on);

/// What the program does from now on, as its user calls it ("n = 33"): each finding says so. "" or
/// null: nothing that has a name.
[[gnu::weak]] void simt_check_case(const char* text);

/// Marks so many bytes at the beginning and at the end of an allocation as out of bounds for
/// kernels.
[[gnu::weak]] void simt_check_bounds(const void* memory, std::uint64_t before,
                                     std::uint64_t behind);

/// Ends the program if anything has been found, without asking what is still allocated.
[[gnu::weak]] void simt_check_stop();

/// How much kernels have done so far: accesses to global and shared memory, and threads that met at
/// a barrier or in a warp's exchange.
[[gnu::weak]] std::uint64_t simt_check_work();

/// How many blocks, of those that have come to their end, wrote nothing to global memory.
[[gnu::weak]] std::uint64_t simt_check_idle_blocks();

/// How many declarations of a thread's variables without a value kernels have come to so far.
[[gnu::weak]] int simt_check_unset();

/// What each byte of such a variable holds from now on until something is assigned to it: of the
/// one of that number, or of all if it is negative.
[[gnu::weak]] void simt_check_fill_unset(int number, unsigned char byte);

/// Its name and where it is declared: "`sum`, declared at FILE:LINE".
[[gnu::weak]] const char* simt_check_unset_text(int number);

/// The name of the `__device__` variable that a kernel wrote last; null if none has.
[[gnu::weak]] const char* simt_check_written_variable();
}
