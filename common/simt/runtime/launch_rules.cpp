#include "launch_rules.hpp"

#include <cstddef>
#include <iterator>
#include <string>

#include "capture.hpp"
#include "device_limits.hpp"
#include "interface.hpp"
#include "shared_use.hpp"
#include "stream.hpp"

namespace simt::detail {
namespace {

/// What CUDA 13.0 says of a grid or a block that cannot be, seen on an H200. Versions before said
/// cudaErrorInvalidConfiguration.
constexpr cudaError_t kImpossibleShape = cudaErrorInvalidValue;

/// What is wrong with this thread's last launch; empty if that was taken.
thread_local std::string refusal;

/// `<<<(1, 70000), 256>>>`.
std::string shape_of(const LaunchConfig& config) {
  const auto sides = [](const dim3& d) {
    if (d.y == 1 && d.z == 1) return std::to_string(d.x);
    std::string text = "(" + std::to_string(d.x) + ", " + std::to_string(d.y);
    if (d.z != 1) text += ", " + std::to_string(d.z);
    return text + ")";
  };
  return "<<<" + sides(config.grid) + ", " + sides(config.block) + ">>>";
}

cudaError_t refuse(cudaError_t error, const LaunchConfig& config, const std::string& what,
                   std::size_t is, const std::string& expected) {
  refusal =
      what + " is " + std::to_string(is) + " in " + shape_of(config) + "; expected " + expected;
  return error;
}

std::string at_most(std::size_t limit) { return "at most " + std::to_string(limit); }

}  // namespace

cudaError_t check_config(const LaunchConfig& config, const KernelInfo& kernel) {
  const dim3 grid = config.grid;
  const dim3 block = config.block;
  refusal.clear();
  const struct {
    const char* name;
    unsigned is, most;
  } sides[] = {{"gridDim.x", grid.x, kGridWidth},         {"gridDim.y", grid.y, kGridHeight},
               {"gridDim.z", grid.z, kGridHeight},        {"blockDim.x", block.x, kThreadsPerBlock},
               {"blockDim.y", block.y, kThreadsPerBlock}, {"blockDim.z", block.z, kBlockDepth}};
  for (const auto& side : sides) {
    if (side.is >= 1 && side.is <= side.most) continue;
    const bool is_high = side.is > side.most && side.most == kGridHeight;
    return refuse(
        kImpossibleShape, config, side.name, side.is,
        "1 to " + std::to_string(side.most) + (is_high ? ", as only gridDim.x may be larger" : ""));
  }
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  if (threads > kThreadsPerBlock) {
    return refuse(kImpossibleShape, config, "the number of threads in a block", threads,
                  at_most(kThreadsPerBlock));
  }
  const uint3 cluster = config.cluster;
  const std::size_t cluster_blocks = std::size_t{cluster.x} * cluster.y * cluster.z;
  const std::size_t most_in_cluster = kernel.large_clusters ? kBlocksOfCluster : kPortableCluster;
  if (cluster_blocks == 0 || cluster_blocks > most_in_cluster) {
    return refuse(
        cudaErrorInvalidClusterSize, config, "the number of blocks in a cluster", cluster_blocks,
        "1 to " + std::to_string(most_in_cluster) +
            (kernel.large_clusters
                 ? ""
                 : ", or to 16 where cudaFuncAttributeNonPortableClusterSizeAllowed is set"));
  }
  const struct {
    const char* name;
    unsigned is, multiple;
  } grids[] = {{"gridDim.x", grid.x, cluster.x},
               {"gridDim.y", grid.y, cluster.y},
               {"gridDim.z", grid.z, cluster.z}};
  for (const auto& side : grids) {
    if (side.is % side.multiple == 0) continue;
    return refuse(cudaErrorInvalidClusterSize, config, side.name, side.is,
                  "a multiple of " + std::to_string(side.multiple) +
                      ", the cluster's blocks in that direction");
  }
  if (!is_valid_stream(config.stream)) return cudaErrorInvalidResourceHandle;
  if (is_default_stream(config.stream)) {
    const cudaError_t error = check_legacy_stream();
    if (error != cudaSuccess) return error;
  }
  if (exceeds_shared(kernel, kernel.static_shared, config.dynamic_shared)) {
    return refuse(cudaErrorInvalidValue, config, "a block's shared memory",
                  kernel.static_shared + config.dynamic_shared,
                  at_most(kSharedPerBlock) +
                      " bytes, or as many as cudaFuncSetAttribute has allowed for the kernel");
  }
  if (kernel.max_threads != 0 && threads > static_cast<std::size_t>(kernel.max_threads)) {
    return refuse(cudaErrorLaunchOutOfResources, config, "the number of threads in a block",
                  threads,
                  at_most(static_cast<std::size_t>(kernel.max_threads)) +
                      ", as the kernel's __launch_bounds__ says");
  }
  if (config.cooperative) {
    const std::size_t resident = resident_blocks(threads, config.dynamic_shared, kernel);
    const std::size_t blocks = std::size_t{grid.x} * grid.y * grid.z;
    if (blocks > resident) {
      return refuse(cudaErrorCooperativeLaunchTooLarge, config, "the number of blocks", blocks,
                    at_most(resident) + ", which fit on the device at once");
    }
  }
  return cudaSuccess;
}

}  // namespace simt::detail

const char* simt_refused_launch() {
  return simt::detail::refusal.empty() ? nullptr : simt::detail::refusal.c_str();
}
