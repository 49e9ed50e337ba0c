#include "08_reductions/histogram.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "reduction_case.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch08 {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Histogram = void (*)(std::span<const std::uint8_t>, std::span<unsigned>, cudaStream_t);

Bytes random_bytes(std::size_t size, std::uint64_t seed, unsigned values) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>((drawn_bits(seed, i) >> 32) * values >> 32);
  }
  return bytes;
}

Outcome histogram_outcome(Histogram histogram, const Bytes& bytes, std::size_t guard) {
  Guarded<std::uint8_t> in = vector_image(bytes, guard);
  Guarded<unsigned> bins = result_image<unsigned>(BINS);
  const Guarded<std::uint8_t> in_before = in;
  const Guarded<unsigned> bins_before = bins;
  const std::string text = std::to_string(bytes.size()) + " bytes";
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<std::uint8_t> from, MatrixView<unsigned> to) {
        histogram(span_of(from), span_of(to), stream);
      },
      in, bins);
  if (!run.ok) return run;
  std::vector<double> counts(BINS, 0.0);
  for (const std::uint8_t byte : bytes) ++counts[byte];
  const auto row =
      make_matrix<double>(1, BINS, [&](int, int c) { return counts[static_cast<std::size_t>(c)]; });
  const auto exact = make_matrix<double>(1, BINS, [](int, int) { return 0.0; });
  return first_failure({compare(bins.cview(), row, exact,
                                {.name = "bins", .shape = text, .is_vector = true, .pattern = {}}),
                        only_inside_changed(bins_before, bins, "bins", text, true),
                        nothing_changed(in_before, in, "in", text, true)});
}

}  // namespace

TEST_CASE("histograms of any number of bytes, anywhere in memory") {
  for (const Histogram count : {histogram_atomic, histogram}) {
    for (const std::size_t size : {5000, 1, 15, 16, 17, 31, 33, 4095, 4097, 32768, 99991}) {
      for (const std::size_t guard : {1024, 1025, 1039}) {
        expect(histogram_outcome(count, random_bytes(size, 1, 256), guard));
      }
    }
  }
}

TEST_CASE("histograms of one value, and of few") {
  for (const Histogram count : {histogram_atomic, histogram}) {
    for (const int value : {0, 7, 255}) {
      expect(histogram_outcome(count, Bytes(70001, static_cast<std::uint8_t>(value)), 1024));
    }
    expect(histogram_outcome(count, random_bytes(70001, 2, 3), 1024));
  }
}

TEST_CASE("the histogram of nothing is 0, and other lengths are refused") {
  const DeviceBuffer<unsigned> bins(std::vector<unsigned>(BINS, 5));
  for (const Histogram count : {histogram_atomic, histogram}) {
    count({}, {bins.data(), BINS}, nullptr);
    CHECK(bins.to_host() == std::vector<unsigned>(BINS, 0));
    CHECK_THROWS_AS(count({}, {bins.data(), 255}, nullptr), std::invalid_argument);
  }
}

}  // namespace tut::ch08
