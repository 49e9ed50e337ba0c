// Layouts of WMMA fragments, and what is wrong with a call.
#include <bit>
#include <numeric>
#include <random>

#include "interface.hpp"
#include "observer.hpp"
#include "simt/wmma/runtime.hpp"
#include "start_order.hpp"
#include "suspend.hpp"
#include "waiting.hpp"
#include "worker.hpp"

namespace simt::wmma {
namespace {

/// The block that runs, on fibers or as loops over its threads.
detail::Block& running_block(const char* function) {
  return detail::current_block != nullptr ? *detail::current_block
                                          : detail::require_fiber(function);
}

}  // namespace

std::uint64_t seed() { return detail::environment_seed(); }

void tell_product() {
  if (detail::Observer* watching = detail::observer()) watching->tensor_product();
}

Layout draw_layout(unsigned kind, unsigned elements, unsigned count, std::uint64_t seed) {
  // The engine and the shuffle below give the same everywhere; std::shuffle need not.
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + kind);
  Layout layout{};
  std::iota(std::begin(layout.chunk), std::end(layout.chunk), std::uint8_t{0});
  for (unsigned i = 31; i > 0; --i) std::swap(layout.chunk[i], layout.chunk[random() % (i + 1)]);
  const unsigned chunks = elements / count;
  for (unsigned lane = 0; lane < 32; ++lane) {
    layout.chunk[lane] = static_cast<std::uint8_t>(layout.chunk[lane] % chunks);
    layout.holder[layout.chunk[lane]] = static_cast<std::uint8_t>(lane);
  }
  layout.flip = static_cast<std::uint8_t>(random() % count);
  return layout;
}

void require_whole_warp(unsigned lanes, const char* function, unsigned warp) {
  if (lanes == 0xFFFFFFFFu) return;
  detail::Block& block = running_block(function);
  detail::stop_kernel(block, cudaErrorLaunchFailure,
                      "simt: %s in %s, warp %u: called by %d lanes, needs all 32", function,
                      detail::describe(block).text, warp, std::popcount(lanes));
}

void require_whole_warp(unsigned lanes, const char* function) {
  if (lanes == 0xFFFFFFFFu) return;
  require_whole_warp(lanes, function, running_block(function).running_thread() / 32);
}

void refuse_alignment(const void* address, unsigned multiple, const char* function) {
  const bool is_row = reinterpret_cast<std::uintptr_t>(address) % multiple == 0;
  detail::Block& block = running_block(function);
  const char* const line = simt_line_of_instruction != nullptr
                               ? simt_line_of_instruction(__builtin_return_address(0), true)
                               : nullptr;
  detail::stop_kernel(
      block, cudaErrorMisalignedAddress, "simt: %s%s%s in %s: %s must be a multiple of %u bytes",
      function, line != nullptr ? " at " : "", line != nullptr ? line : "",
      detail::describe(block).text, is_row ? "ldm" : "the address", is_row ? 16 : multiple);
}

}  // namespace simt::wmma
