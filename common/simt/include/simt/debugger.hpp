/// @file
/// Places at which a debugger stops (see common/learn/debug/cuda_gdb.py). Neither function does
/// anything.
#ifndef SIMT_DEBUGGER_HPP
#define SIMT_DEBUGGER_HPP

extern "C" {
/// Called by every thread of a kernel that `cucc -G` has compiled, before its first statement.
void simt_thread_begins();

/// Check mode has found something: `FILE:LINE: error: KIND: MESSAGE`. Present where
/// `simt_thread_begins` is.
[[gnu::weak]] void simt_found(const char* message);
}

#endif
