/// \file
/// How a program that was compiled with `cucc --check` asks what has been found. In other programs
/// these functions are null.
#pragma once

extern "C" {

/// The number of findings so far.
[[gnu::weak]] int simt_check_findings();
}
