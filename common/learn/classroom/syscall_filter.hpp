#pragma once

namespace tut::learn {

/// A descriptor with a filter of system calls for `bwrap --seccomp`: those that reach into other
/// processes, the network or the kernel's own settings fail with EPERM. To be closed by the caller.
/// @return -1 where there is none for this processor
int open_syscall_filter();

}  // namespace tut::learn
