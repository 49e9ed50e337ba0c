/// @file
/// The arithmetic of wgmma.
#ifndef SIMT_RUNTIME_WARPGROUP_PRODUCTS_HPP
#define SIMT_RUNTIME_WARPGROUP_PRODUCTS_HPP

#include "simt/ptx/warpgroup.hpp"

namespace simt::ptx {

/// The matrices in shared memory (A only where lanes bring no registers), and the row of A that is
/// the warp's first.
struct WarpgroupFactors {
  SharedMatrix a, b;
  std::uint32_t first_row;
};

/// Computes 16 rows of D. All lanes of the warp have a slot.
void multiply_warpgroup_rows(const Wgmma& form, void* const* slots,
                             const WarpgroupFactors& factors);

}  // namespace simt::ptx

#endif
