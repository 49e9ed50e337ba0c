// What is said of what was found.
#include <algorithm>
#include <cstring>
#include <memory>

#include "checker.hpp"
#include "context.hpp"
#include "cuda_runtime_api.h"
#include "job.hpp"
#include "memory.hpp"
#include "simt/runtime/interface.hpp"
#include "sites.hpp"
#include "worker.hpp"

namespace simt::inspect {
namespace {

using detail::Block;
using detail::kWarpSize;

std::string index_text(unsigned x, unsigned y, unsigned z) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

std::string index_text(std::uint32_t linear, const uint3& extent) {
  return index_text(linear % extent.x, linear / extent.x % extent.y,
                    linear / (extent.x * extent.y));
}

}  // namespace

std::string block_text(const Block& block) {
  return index_text(block.index.x, block.index.y, block.index.z);
}

std::string Checker::thread_text(const Stamp& stamp) const {
  const LaunchRecord& launch = launch_of(stamp.block);
  // After a barrier of the grid its blocks have other numbers, as many higher as there are blocks.
  const std::uint32_t blocks = launch.grid.x * launch.grid.y * launch.grid.z;
  return "thread " + index_text(stamp.thread, launch.dim) + " of block " +
         index_text((stamp.block - launch.first) % blocks, launch.grid);
}

std::string Checker::name_of(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (detail::current_block == nullptr || !ArrayNames::is_shared(at)) return "";
  return names_.shared_element(at).value_or("");
}

std::string Checker::who(const Block* block) const {
  if (block == nullptr) return "host code";
  if (in_library_) return job_->kernel->name;
  return thread_text(watch_of(*block).order.stamp(block->running_thread()));
}

bool Checker::is_long_launch() const {
  if (launches_.empty()) return false;
  const auto count = [](const uint3& d) { return std::uint64_t{d.x} * d.y * d.z; };
  const LaunchRecord& launch = launches_.back();
  return count(launch.grid) * count(launch.dim) >= std::uint64_t{1} << 31;
}

std::string Checker::launch_text() const {
  const auto sides = [](const uint3& d) {
    if (d.y == 1 && d.z == 1) return std::to_string(d.x);
    return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) +
           ")";
  };
  std::string kernel = job_->kernel->name;
  if (!is_long_launch()) return kernel;
  const LaunchRecord& launch = launches_.back();
  return kernel + "<<<" + sides(launch.grid) + ", " + sides(launch.dim) + ">>>";
}

/// What mends an access in global memory that lies at no multiple of its size: where an array
/// begins at one, it is the offset that does not fit.
std::string Checker::cure_of_misaligned(const Place& place) const {
  const NamedArray* array = nullptr;
  for (const NamedArray& argument : names_.arguments()) {
    const bool nearer = array == nullptr || argument.base > array->base;
    if (argument.base <= place.address && nearer) array = &argument;
  }
  const bool is_named = array != nullptr && place.size % array->element == 0;
  if (!is_named || array->base % place.size != 0 ||
      (!array->dims.empty() && array->dims.back() * array->element % place.size != 0)) {
    return "test the pointer first, and use single elements where it is not aligned";
  }
  if (!array->dims.empty()) {
    return "all rows of " + array->name + " begin at one, so this column has to be a multiple of " +
           std::to_string(place.size / array->element) + ": check how it is computed";
  }
  return array->name + "[0] lies at one, so go through the array in steps of " +
         std::to_string(place.size / array->element) + " elements";
}

void Checker::misaligned(const Place& place) {
  if (Findings::instance().is_known(Kind::misaligned, place.site, 0)) return;
  const std::string size = std::to_string(place.size);
  report_place(
      Kind::misaligned, place,
      [&] {
        const std::size_t off = place.address % place.size;
        return size + "-byte access to " + describe(place.address) + ", which lies " +
               std::to_string(off) + (off == 1 ? " byte" : " bytes") + " past a multiple of " +
               size;
      },
      (place.size == 8 ? "an " : "a ") + size +
          "-byte access needs an address that is a multiple of " + size +
          (ArrayNames::is_shared(place.address)
               ? std::string(": let each vector begin at one, or use single elements")
               : ": " + cure_of_misaligned(place)));
}

void Checker::aligned_by_chance(const Place& place, std::size_t alignment) {
  report_place(
      Kind::misaligned, place,
      [&] {
        return std::to_string(place.size) + "-byte access to " + describe(place.address) +
               ", whose array is declared with an alignment of " + std::to_string(alignment) +
               ": the compiler may place it at an address that does not fit";
      },
      "declare the array alignas(16), or of the vector's type");
}

/// How many of an access's bytes lie past the end of the memory that it begins in; 0 if it does
/// not begin in any.
std::size_t Checker::bytes_past_end(const Place& place) const {
  std::uintptr_t end = 0;
  if (ArrayNames::is_shared(place.address)) {
    if (const NamedArray* array = names_.shared_array_before(place.address))
      end = array->base + array->size;
  } else if (const auto range = memory_.usable_at(place.address)) {
    end = range->base + range->size;
  }
  const std::uintptr_t behind = place.address + place.size;
  return place.address < end && end < behind ? behind - end : 0;
}

void Checker::out_of_bounds(const Place& place) {
  if (const std::string meant = names_.element_behind_32_bits(place.address); !meant.empty()) {
    report_place(
        Kind::out_of_bounds, place,
        [&] {
          return who(detail::current_block) + " " + verb(place.kind) + " the memory 2^32 " +
                 "elements before " + meant;
        },
        "a 32-bit index has wrapped around: compute offsets in std::int64_t");
    return;
  }
  if (ArrayNames::is_shared(place.address) &&
      names_.shared_array_before(place.address) == nullptr &&
      detail::current_block->dynamic_size != 0) {
    report_place(
        Kind::out_of_bounds, place,
        [&] {
          return who(detail::current_block) + " " + verb(place.kind) + " " +
                 describe(place.address);
        },
        "the third argument of a launch is a size in bytes: the number of elements times the size "
        "of one; if it is right, check the index against it");
    return;
  }
  const bool freed = memory_.was_freed(place.address);
  const std::size_t over = freed ? 0 : bytes_past_end(place);
  report_place(
      freed ? Kind::use_after_free : Kind::out_of_bounds, place,
      [&] {
        const std::string first = describe(place.address);
        const bool vector = place.size > 8 && first.find("byte") == std::string::npos;
        return who(detail::current_block) + " " + verb(place.kind) + " " +
               (vector || over > 0 ? std::to_string(place.size) + " bytes from " + first + " on"
                                   : first) +
               (over > 0 ? ", of which " + std::to_string(over) + " lie past its end" : "");
      },
      freed              ? "free it after the last use"
      : is_long_launch() ? kCountIn64Bits
      : over > 0 ? "check the last element of the vector against the size, not only the first"
                 : "compute the index from the memory's layout, and check it against the size");
}

/// As on a GPU, the kernel ends there.
void Checker::end_kernel() {
  const Block& block = *detail::current_block;
  block.job->fail(cudaErrorIllegalAddress);
  AtWork::now = false;  // nothing here is unwound
  block.worker->abandon();
}

void Checker::report_place(Kind kind, const Place& place,
                           const std::function<std::string()>& message, std::string cure) {
  if (!Findings::instance().is_new(kind, place.site, 0)) return;
  Finding finding;
  finding.kind = kind;
  finding.at = line_of_call(place.site);
  finding.message = message();
  finding.cure = std::move(cure);
  report(std::move(finding));
}

void Checker::report(Finding finding) {
  if (job_ != nullptr) {
    finding.kernel = job_->kernel->name;
    // Of what was moved between lines the compiler may have lost the line.
    if (!finding.at.known()) finding.at = {job_->kernel->file, job_->kernel->line};
    finding.message += " [" + launch_text() + "]";
  }
  Findings::instance().report(finding);
}

void Checker::launch_refused(const LaunchConfig& config, const KernelInfo& kernel, int error) {
  Finding finding;
  finding.kind = Kind::unchecked_error;
  finding.at = launch_line(host_calls());
  if (!finding.at.known()) finding.at = {kernel.file, kernel.line};
  finding.kernel = kernel.name;
  const char* const why = simt_refused_launch();
  finding.message = std::string("the launch of ") + kernel.name + " with " +
                    index_text(config.grid.x, config.grid.y, config.grid.z) + " blocks of " +
                    index_text(config.block.x, config.block.y, config.block.z) +
                    " threads was refused: " + cudaGetErrorString(static_cast<cudaError_t>(error)) +
                    (why != nullptr ? std::string(" (") + why + ")" : "") +
                    "; the program did not check for it";
  finding.cure = "call cudaGetLastError() after every launch and check what it returns";
  Findings::instance().keep_failure(std::move(finding));
}

void Checker::error_ignored(const char* call) {
  const cudaError_t error = detail::latest_error(call);
  if (error == cudaSuccess || error == cudaErrorNotReady) return;
  // A kernel that failed has its own finding; a test that makes calls fail, or looks for what
  // breaks a capture, reports that itself.
  const bool in_capture =
      error >= cudaErrorStreamCaptureUnsupported && error <= cudaErrorStreamCaptureWrongThread;
  if (detail::context_is_broken() || in_capture || simt_failed_call() != nullptr) return;
  Finding finding;
  finding.kind = Kind::unchecked_error;
  finding.at = host_line(host_calls());
  finding.message = std::string(call) + " failed: " + cudaGetErrorString(error) +
                    "; the program did not check what it returns";
  finding.cure = "check the cudaError_t that every call returns";
  Findings::instance().keep_failure(std::move(finding));
}

void Checker::finish() {
  tell_races();
  Findings::instance().tell_failure();
  if (detail::context_is_broken()) return;  // nothing can be freed any more
  for (const auto& [base, allocation] : memory_.allocations()) {
    Finding finding;
    finding.kind = Kind::leak;
    finding.at = host_line(allocation.calls);
    finding.message = std::to_string(allocation.size) + " bytes of " +
                      (allocation.pinned ? "pinned host" : "device") +
                      " memory are still allocated at the end";
    finding.cure = allocation.pinned ? "free them with cudaFreeHost" : "free them with cudaFree";
    Findings::instance().report(finding);
  }
}

}  // namespace simt::inspect
