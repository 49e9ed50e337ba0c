#pragma once

namespace simt::inspect {

/// The exit status of a program in which something was found.
inline constexpr int kFindingsStatus = 86;

}  // namespace simt::inspect
