#include "03_first_kernels/rgb_to_gray.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <utility>

#include "tut/device_case.hpp"
#include "tut/random.hpp"

namespace tut::ch03 {
namespace {

// The bytes of `width` pixels a row; the views of the kernel count pixels.
constexpr int channels = 3;

MatrixView<const uchar3> as_pixels(MatrixView<const unsigned char> bytes) {
  return {reinterpret_cast<const uchar3*>(bytes.data), bytes.rows, bytes.cols / channels,
          bytes.stride / channels};
}

Guarded<unsigned char> make_picture(int height, int width) {
  Guarded<unsigned char> picture(height, width * channels, (width + 3) * channels, 256);
  picture.surround(200);  // a gray of another value than what surrounds the result
  for (int r = 0; r < height; ++r) {
    for (int c = 0; c < width * channels; ++c) {
      const auto index = static_cast<std::uint64_t>(r) * 10000 + static_cast<std::uint64_t>(c);
      picture.view()(r, c) = static_cast<unsigned char>(random_bits(7, index) >> 56);
    }
  }
  for (int c = 0; c < channels; ++c) picture.view()(0, c) = 255;  // one white pixel
  return picture;
}

Outcome gray_outcome(int height, int width) {
  Guarded<unsigned char> in = make_picture(height, width), out(height, width, width + 7, 256);
  const Guarded<unsigned char> in_before = in, out_before = out;
  const std::string text = std::to_string(height) + "x" + std::to_string(width) + " pixels";
  Outcome run = run_on_device(
      text,
      [](cudaStream_t stream, MatrixView<const unsigned char> from, MatrixView<unsigned char> to) {
        rgb_to_gray(as_pixels(from), to, stream);
      },
      in, out);
  if (!run.ok) return run;

  const auto expected = make_matrix<double>(height, width, [&](int r, int c) {
    const unsigned char* pixel = &in_before.cview()(r, c * channels);
    return (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) / 256;
  });
  const auto exact = make_matrix<double>(height, width, [](int, int) { return 0.0; });
  return first_failure(
      {compare(out.cview(), expected, exact, {.name = "out", .shape = text, .pattern = {}}),
       only_inside_changed(out_before, out, "out", text),
       nothing_changed(in_before, in, "in", text)});
}

}  // namespace

TEST_CASE("rgb_to_gray weighs and rounds every pixel") {
  for (const auto& [height, width] :
       {std::pair{8, 32}, {1, 1}, {7, 31}, {9, 33}, {1, 100}, {100, 1}, {53, 71}}) {
    expect(gray_outcome(height, width));
  }
}

TEST_CASE("rgb_to_gray refuses images of different shapes") {
  const DeviceBuffer<uchar3> colour(6);
  const DeviceBuffer<unsigned char> gray(6);
  CHECK_THROWS_AS(rgb_to_gray({colour.data(), 2, 3, 3}, {gray.data(), 3, 2, 2}),
                  std::invalid_argument);
}

}  // namespace tut::ch03
