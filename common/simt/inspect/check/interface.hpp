/// \file
/// How a program that was compiled with `cucc --check` asks what has been found. In other programs
/// these functions are null.
#pragma once

extern "C" {

/// The number of findings so far.
[[gnu::weak]] int simt_check_findings();

/// The name of the `__device__` variable that a kernel wrote last; null if none has.
[[gnu::weak]] const char* simt_check_written_variable();
}
