#include "simt/launch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "capture.hpp"
#include "context.hpp"
#include "cuda_runtime_api.h"
#include "job.hpp"
#include "launch_rules.hpp"
#include "observer.hpp"
#include "pool.hpp"
#include "progress.hpp"
#include "shared_use.hpp"
#include "simt/collective.hpp"
#include "start_order.hpp"
#include "stream.hpp"
#include "worker.hpp"

namespace simt {

namespace {

thread_local std::vector<LaunchConfig> configurations;
thread_local bool probing = false;
thread_local KernelInfo* probed = nullptr;

}  // namespace

namespace detail {

void configure(const LaunchConfig& config) { configurations.push_back(config); }

Probe::Probe() {
  probing = true;
  probed = nullptr;
}

Probe::~Probe() { probing = false; }

KernelInfo* Probe::found() const { return probed; }

}  // namespace detail

void configure(dim3 grid, dim3 block, std::size_t dynamic_shared, cudaStream_t stream) {
  detail::configure({grid, block, dynamic_shared, stream, false, {1, 1, 1}});
}

Launch::Launch(KernelInfo& kernel) : kernel_(kernel) {
  if (probing) {
    probed = &kernel;
    return;
  }
  if (on_device()) {
    detail::stop_kernel(*detail::current_block, cudaErrorLaunchFailure,
                        "simt: kernel %s (%s:%d) called from a kernel, which is not supported",
                        kernel.name, kernel.file, kernel.line);
  }
  if (configurations.empty()) {
    std::fprintf(stderr, "simt: kernel %s (%s:%d) called without <<<grid, block>>>\n", kernel.name,
                 kernel.file, kernel.line);
    std::abort();
  }
  config_ = configurations.back();
  configurations.pop_back();
  const uint3 asked = config_.cluster;
  if (asked.x == 1 && asked.y == 1 && asked.z == 1) {
    config_.cluster = {kernel.cluster.x, kernel.cluster.y, kernel.cluster.z};
  }
  const cudaError_t error =
      detail::async_call([&] { return detail::check_config(config_, kernel); });
  detail::set_launch_error(error);
  ready_ = error == cudaSuccess && !detail::context_is_broken();
  if (error != cudaSuccess && detail::observer() != nullptr) {
    detail::observer()->launch_refused(config_, kernel, error);
  }
}

namespace {

// Blocks that may wait for each other. In order every worker has one at least.
std::uint64_t most_resident(const detail::Job& job, std::uint64_t seed) {
  if (job.cooperative) return job.blocks;
  const std::uint64_t most = std::max<std::uint64_t>(
      1, detail::resident_blocks(job.threads, job.dynamic_shared, *job.kernel));
  if (seed != 0) return detail::draw_residency(seed, most);
  return job.observer != nullptr ? most
                                 : std::max<std::uint64_t>(most, detail::Pool::instance().size());
}

// While not null, launches of this OS thread are noted here and do not run.
thread_local detail::Work* recording = nullptr;

cudaError_t run(KernelInfo& kernel, const LaunchConfig& config,
                const detail::BodyOperations& operations, const void* body) {
  if (detail::context_is_broken()) return cudaSuccess;
  detail::Job job;
  job.kernel = &kernel;
  job.operations = &operations;
  job.body = body;
  job.grid = config.grid;
  job.dim = config.block;
  job.threads = config.block.x * config.block.y * config.block.z;
  job.dynamic_shared = config.dynamic_shared;
  job.cooperative = config.cooperative;
  job.blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  job.cluster = config.cluster;
  // Without fibers no block waits for another.
  job.cluster_size = operations.fibers ? config.cluster.x * config.cluster.y * config.cluster.z : 1;
  job.observer = detail::observer();
  const std::uint64_t seed = kernel.line == 0 ? 0 : detail::next_launch_seed();
  job.seed = seed;
  job.order = detail::StartOrder(seed, job.clusters());
  const bool all_run = job.cooperative || job.cluster_size != 1;
  const std::uint64_t kept = all_run ? job.blocks : detail::blocks_to_run(job.blocks);
  if (kept < job.blocks) {
    job.order = detail::StartOrder::ends(job.blocks, kept);
    job.blocks = kept;
  }
  job.most_resident = most_resident(job, seed);
  if (job.observer != nullptr) {
    job.observer->launch_begins(job);
    detail::Worker::current().work(job);  // in order, so that every run is the same
    job.observer->launch_ends(job);
  } else {
    detail::Pool::instance().run(job);
  }
  const auto error = static_cast<cudaError_t>(job.error.load());
  if (job.refused.load()) {
    if (job.observer != nullptr) job.observer->launch_refused(config, kernel, error);
    return detail::remember(error);
  }
  if (error != cudaSuccess) detail::note_kernel_error(error);
  return cudaSuccess;
}

// The launch with its own copy of the kernel's arguments.
detail::Work make_work(KernelInfo& kernel, const LaunchConfig& config,
                       const detail::BodyOperations& operations, const void* body) {
  const std::shared_ptr<void> copy(operations.copy(body), operations.destroy);
  std::function<void()> prepare;
  if (detail::observer() != nullptr) prepare = detail::observer()->launch_recorded();
  const auto launch = [&kernel, config, &operations, copy, prepare] {
    if (prepare) prepare();
    return run(kernel, config, operations, copy.get());
  };
  detail::Work work{cudaGraphNodeTypeKernel, launch, kernel.name};
  work.grid = config.grid;
  work.block = config.block;
  work.kernel = &kernel;
  return work;
}

}  // namespace

void Launch::execute(const detail::BodyOperations& operations, const void* body) {
  if (recording != nullptr) {
    *recording = make_work(kernel_, config_, operations, body);
  } else if (detail::is_capturing(config_.stream)) {
    detail::set_launch_error(detail::remember(
        detail::capture(config_.stream, make_work(kernel_, config_, operations, body))));
  } else {
    const detail::RunningOperation running(config_.stream);
    const cudaError_t error = run(kernel_, config_, operations, body);
    if (error != cudaSuccess) detail::set_launch_error(error);
  }
}

namespace detail {

cudaError_t record_launch(const void* function, const cudaKernelNodeParams& parameters,
                          Work& work) {
  recording = &work;
  const cudaError_t error =
      cudaLaunchKernel(function, parameters.gridDim, parameters.blockDim, parameters.kernelParams,
                       parameters.sharedMemBytes, nullptr);
  recording = nullptr;
  return error;
}

}  // namespace detail

}  // namespace simt
