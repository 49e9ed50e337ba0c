/// \file
/// One source out of two preprocessed ones: host code from the pass without __CUDA_ARCH__, device
/// code from the pass with it.
#pragma once

#include <string>
#include <string_view>

namespace simt::rewrite {

/// Declarations are paired by name and parameters. A function for the device only has the device
/// pass's text; one for host and device whose bodies differ gets both, chosen when it runs;
/// everything else is the host pass's, and what only the device pass declares is added.
std::string merge_passes(std::string_view host, std::string_view device);

}  // namespace simt::rewrite
