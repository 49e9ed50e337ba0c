/// \file
/// The special registers of PTX, as C++ expressions.
#pragma once

#include <map>
#include <string_view>

namespace simt::rewrite::ptx {

inline const std::map<std::string_view, std::string_view> kSpecialRegisters = {
    {"laneid", "::simt::lane_id()"},
    {"warpid", "::simt::warp_id()"},
    {"nwarpid", "::simt::ptx::warp_count()"},
    {"smid", "::simt::ptx::multiprocessor()"},
    {"nsmid", "4u"},
    {"clock", "static_cast<::std::uint32_t>(::clock64())"},
    {"clock_hi", "static_cast<::std::uint32_t>(::clock64() >> 32)"},
    {"clock64", "static_cast<::std::uint64_t>(::clock64())"},
    {"globaltimer", "::simt::ptx::nanoseconds()"},
    {"globaltimer_lo", "static_cast<::std::uint32_t>(::simt::ptx::nanoseconds())"},
    {"globaltimer_hi", "static_cast<::std::uint32_t>(::simt::ptx::nanoseconds() >> 32)"},
    {"lanemask_eq", "(1u << ::simt::lane_id())"},
    {"lanemask_lt", "((1u << ::simt::lane_id()) - 1u)"},
    {"lanemask_le", "(~0u >> (31u - ::simt::lane_id()))"},
    {"lanemask_gt", "(~1u << ::simt::lane_id())"},
    {"lanemask_ge", "(~0u << ::simt::lane_id())"},
    {"dynamic_smem_size",
     "static_cast<::std::uint32_t>(::simt::detail::current_block->dynamic_size)"},
    {"cluster_ctaid.x", "::simt::index_in_cluster().x"},
    {"cluster_ctaid.y", "::simt::index_in_cluster().y"},
    {"cluster_ctaid.z", "::simt::index_in_cluster().z"},
    {"cluster_nctaid.x", "::simt::detail::current_block->cluster_dim.x"},
    {"cluster_nctaid.y", "::simt::detail::current_block->cluster_dim.y"},
    {"cluster_nctaid.z", "::simt::detail::current_block->cluster_dim.z"},
    {"clusterid.x", "::simt::cluster_index().x"},
    {"clusterid.y", "::simt::cluster_index().y"},
    {"clusterid.z", "::simt::cluster_index().z"},
    {"nclusterid.x", "::simt::cluster_count().x"},
    {"nclusterid.y", "::simt::cluster_count().y"},
    {"nclusterid.z", "::simt::cluster_count().z"},
    {"cluster_ctarank", "::simt::rank_in_cluster()"},
    {"cluster_nctarank", "::simt::blocks_in_cluster()"},
    {"is_explicit_cluster", "(::simt::blocks_in_cluster() != 1)"},
    {"tid.x", "::threadIdx.x"},
    {"tid.y", "::threadIdx.y"},
    {"tid.z", "::threadIdx.z"},
    {"ntid.x", "::simt::detail::current_block->dim.x"},
    {"ntid.y", "::simt::detail::current_block->dim.y"},
    {"ntid.z", "::simt::detail::current_block->dim.z"},
    {"ctaid.x", "::simt::detail::current_block->index.x"},
    {"ctaid.y", "::simt::detail::current_block->index.y"},
    {"ctaid.z", "::simt::detail::current_block->index.z"},
    {"nctaid.x", "::simt::detail::current_block->grid.x"},
    {"nctaid.y", "::simt::detail::current_block->grid.y"},
    {"nctaid.z", "::simt::detail::current_block->grid.z"}};

}  // namespace simt::rewrite::ptx
