#include "03_first_kernels/rgb_to_gray.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "tut/budget/budget.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/far_case.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch03 {
namespace {

// The bytes of `width` pixels a row; the views of the kernel count pixels.
constexpr int channels = 3;

MatrixView<const uchar3> as_pixels(MatrixView<const unsigned char> bytes) {
  return {reinterpret_cast<const uchar3*>(bytes.data), bytes.rows, bytes.cols / channels,
          bytes.stride / channels};
}

// How the two images lie in memory: rows directly one behind the other; the same, beginning at odd
// addresses; with padding.
enum class Layout { dense, odd, padded };

Guarded<unsigned char> make_picture(int height, int width, Layout layout) {
  const int stride = layout == Layout::padded ? width + 3 : width;
  Guarded<unsigned char> picture(height, width * channels, stride * channels,
                                 layout == Layout::odd ? 257 : 256);
  picture.set_placement({.stride = channels});
  picture.surround(200);  // a gray of another value than what surrounds the result
  for (int r = 0; r < height; ++r) {
    for (int c = 0; c < width * channels; ++c) {
      const auto index = static_cast<std::uint64_t>(r) * 10000 + static_cast<std::uint64_t>(c);
      picture.view()(r, c) = static_cast<unsigned char>(drawn_bits(7, index) >> 56);
    }
  }
  for (int c = 0; c < channels; ++c) picture.view()(0, c) = 255;  // one white pixel
  return picture;
}

HostMatrix<double> gray_of(MatrixView<const unsigned char> in) {
  return make_matrix<double>(in.rows, in.cols / channels, [&](int r, int c) {
    const unsigned char* pixel = &in(r, c * channels);
    return (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) / 256;
  });
}

Outcome compare_gray(MatrixView<const unsigned char> out, MatrixView<const unsigned char> in,
                     const std::string& text) {
  const auto exact = make_matrix<double>(out.rows, out.cols, [](int, int) { return 0.0; });
  return compare(out, gray_of(in), exact, {.name = "out", .shape = text, .pattern = {}});
}

Outcome gray_outcome(int height, int width, Layout layout) {
  Guarded<unsigned char> in = make_picture(height, width, layout);
  Guarded<unsigned char> out(height, width, layout == Layout::padded ? width + 7 : width,
                             layout == Layout::odd ? 257 : 256);
  const Guarded<unsigned char> in_before = in, out_before = out;
  const std::string text = std::to_string(height) + "x" + std::to_string(width) + " pixels" +
                           (layout == Layout::odd      ? ", both images begin at odd addresses"
                            : layout == Layout::padded ? ", their rows farther apart than long"
                                                       : "");
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [](cudaStream_t stream, MatrixView<const unsigned char> from, MatrixView<unsigned char> to) {
        rgb_to_gray(as_pixels(from), to, stream);
      },
      in, out);
  if (!run.ok) return run;

  return first_failure({compare_gray(out.cview(), in_before.cview(), text),
                        only_inside_changed(out_before, out, "out", text),
                        nothing_changed(in_before, in, "in", text)});
}

// Rows of one image lie so far apart that offsets are beyond 32 bits: a few rows, or so many that
// blocks, too, begin there.
Outcome far_outcome(bool far_in, std::int64_t far_stride) {
  const int HEIGHT = far_stride == kFarStride ? 5 : kFarRows;
  constexpr int WIDTH = 40;
  SparseMatrix<unsigned char> in(HEIGHT, WIDTH * channels,
                                 channels * (far_in ? far_stride : WIDTH));
  SparseMatrix<unsigned char> out(HEIGHT, WIDTH, far_in ? WIDTH : far_stride);
  if (!in.is_there() || !out.is_there()) return {};
  HostMatrix<unsigned char> picture(HEIGHT, WIDTH * channels);
  for (std::size_t i = 0; i < picture.span().size(); ++i) {
    picture.span()[i] = static_cast<unsigned char>(drawn_bits(9, i) >> 56);
  }
  in.upload(picture);
  out.upload(HostMatrix<unsigned char>(HEIGHT, WIDTH));
  const std::string text =
      std::string("rows of ") + (far_in ? "in" : "out") + " are " + far_text(far_stride);
  Outcome run = run_far(
      text, [&](cudaStream_t stream) { rgb_to_gray(as_pixels(in.cview()), out.view(), stream); });
  return run.ok ? compare_gray(out.download().cview(), picture.cview(), text) : run;
}

// Launches for images of this size have to be possible. If each pixel has a thread, the first and
// the last blocks are run, of an image that is white at its ends.
Outcome large_outcome(int height, int width) {
  if (simt_run_ends == nullptr) return {};
  const std::size_t pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  const LongBuffer<uchar3> in_memory(pixels);
  const LongBuffer<unsigned char> out_memory(pixels);
  const MatrixView<uchar3> in{in_memory.data(), height, width, width};
  const MatrixView<unsigned char> out{out_memory.data(), height, width, width};
  const std::string text = std::to_string(height) + "x" + std::to_string(width) +
                           " pixels, of which only the ends are run";
  const unsigned char* const last = &out(height - 1, width - 1);
  unsigned char ends[2] = {255, 255};
  const Outcome run = outcome_of_call(text, [&] {
    const auto gray = [&](cudaStream_t stream) { rgb_to_gray(in, out, stream); };
    std::uint64_t threads = 0;
    const RecordedCall recorded(gray);
    for (const auto& [grid, block] : recorded.launches()) {
      threads += std::uint64_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
    }
    if (threads < pixels) return;
    check(cudaMemset(&in(0, 0), 255, channels));
    check(cudaMemset(&in(height - 1, width - 1), 255, channels));
    const EndsOnly only;
    run_to_end(gray);
    check(cudaMemcpy(&ends[0], out.data, 1, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&ends[1], last, 1, cudaMemcpyDeviceToHost));
  });
  if (!run.ok || (ends[0] == 255 && ends[1] == 255)) return run;
  return failure("values", "the first pixel is " + std::to_string(ends[0]) + ", the last " +
                               std::to_string(ends[1]) + "; expected 255 (" + text +
                               "): are pixels counted in 64 bits?");
}

}  // namespace

TEST_CASE("rgb_to_gray weighs and rounds every pixel") {
  for (const auto& [height, width] :
       {std::pair{8, 32}, {1, 1}, {7, 31}, {9, 33}, {1, 100}, {100, 1}, {53, 71}}) {
    for (const Layout layout : {Layout::padded, Layout::dense}) {
      expect(gray_outcome(height, width, layout));
    }
  }
}

TEST_CASE("rgb_to_gray takes long images, and such as begin anywhere") {
  expect(gray_outcome(2, 70000, Layout::dense));
  expect(gray_outcome(70000, 2, Layout::dense));
  expect(gray_outcome(16, 64, Layout::odd));
}

TEST_CASE("rgb_to_gray takes rows that are far apart") {
  for (const std::int64_t far_stride : {kFarStride, kFarTileStride}) {
    for (const bool far_in : {true, false}) expect(far_outcome(far_in, far_stride));
  }
}

TEST_CASE("rgb_to_gray takes as many rows, columns and pixels as there may be") {
  if (has_failed()) return;
  for (const auto& [height, width] : {std::pair{65535 * 8, 1},
                                      {1, kLongSize},
                                      {50'000, 50'000},
                                      {65'536, 65'536},
                                      {70'000, 70'000}}) {
    expect(large_outcome(height, width));
  }
}

TEST_CASE("rgb_to_gray refuses images of different shapes") {
  const DeviceBuffer<uchar3> colour(16);
  const DeviceBuffer<unsigned char> gray(16);
  for (const auto& [rows, cols] : {std::pair{3, 2}, {1, 3}, {2, 2}, {2, 1}, {3, 3}, {2, 4}}) {
    CAPTURE(rows);
    CAPTURE(cols);
    CHECK_THROWS_AS(rgb_to_gray({colour.data(), 2, 3, 3}, {gray.data(), rows, cols, cols}),
                    std::invalid_argument);
  }
}

TEST_CASE("rgb_to_gray refuses empty images, and strides below a row") {
  const DeviceBuffer<uchar3> colour(16);
  const DeviceBuffer<unsigned char> gray(16);
  for (const auto& [rows, cols] : {std::pair{0, 3}, {3, 0}, {-1, 3}, {3, -1}}) {
    CAPTURE(rows);
    CAPTURE(cols);
    CHECK_THROWS_AS(rgb_to_gray({colour.data(), rows, cols, 3}, {gray.data(), rows, cols, 3}),
                    std::invalid_argument);
  }
  CHECK_THROWS_AS(rgb_to_gray({colour.data(), 2, 3, 2}, {gray.data(), 2, 3, 3}),
                  std::invalid_argument);
  CHECK_THROWS_AS(rgb_to_gray({colour.data(), 2, 3, 3}, {gray.data(), 2, 3, 2}),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int HEIGHT = 32, WIDTH = 128;
  expect_budget("rgb_to_gray", 4.0 * HEIGHT * WIDTH,
                [] { return gray_outcome(HEIGHT, WIDTH, Layout::dense); });
  // A row too many for whole blocks; a single one.
  expect_cost(4.0 * 33 * 128, [] { return gray_outcome(33, 128, Layout::dense); });
  expect_cost(4.0 * 2048, [] { return gray_outcome(1, 2048, Layout::dense); });
}

}  // namespace tut::ch03
