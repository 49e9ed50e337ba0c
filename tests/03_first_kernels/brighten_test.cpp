#include "03_first_kernels/brighten.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch03 {
namespace {

Outcome brighten_outcome(int height, int width, int offset) {
  Guarded<unsigned char> in(height, width, width + 5, 256), out(height, width, width + 2, 256);
  for (int r = 0; r < height; ++r) {
    for (int c = 0; c < width; ++c) {
      const auto index = static_cast<std::uint64_t>(r) * 10000 + static_cast<std::uint64_t>(c);
      in.view()(r, c) = static_cast<unsigned char>(drawn_bits(5, index) >> 56);
    }
  }
  const Guarded<unsigned char> in_before = in, out_before = out;
  const std::string text =
      std::to_string(height) + "x" + std::to_string(width) + ", offset " + std::to_string(offset);
  Outcome run = run_on_device(
      text,
      [offset](cudaStream_t stream, MatrixView<const unsigned char> from,
               MatrixView<unsigned char> to) { brighten(from, to, offset, stream); },
      in, out);
  if (!run.ok) return run;

  const auto expected = make_matrix<double>(height, width, [&](int r, int c) {
    return std::clamp(in_before.cview()(r, c) + offset, 0, 255);
  });
  const auto exact = make_matrix<double>(height, width, [](int, int) { return 0.0; });
  return first_failure(
      {compare(out.cview(), expected, exact, {.name = "out", .shape = text, .pattern = {}}),
       only_inside_changed(out_before, out, "out", text),
       nothing_changed(in_before, in, "in", text)});
}

}  // namespace

TEST_CASE("brighten adds to every pixel and saturates") {
  for (const auto& [height, width] :
       {std::pair{8, 32}, {1, 1}, {7, 31}, {9, 33}, {1, 100}, {100, 1}, {53, 71}}) {
    expect(brighten_outcome(height, width, 100));
    expect(brighten_outcome(height, width, -100));
  }
}

TEST_CASE("brighten refuses images of different shapes") {
  const DeviceBuffer<unsigned char> memory(6);
  CHECK_THROWS_AS(brighten({memory.data(), 2, 3, 3}, {memory.data(), 3, 2, 2}, 1, nullptr),
                  std::invalid_argument);
}

}  // namespace tut::ch03
