/// \file
/// The inputs of the benchmark, and what has to come out.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "08_reductions/argmax.hpp"
#include "08_reductions/histogram.hpp"
#include "08_reductions/layer_norm.hpp"
#include "08_reductions/rms_norm.hpp"
#include "08_reductions/sum_levels.hpp"
#include "08_reductions/sum_vectorized.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/random.hpp"
#ifdef TUT_HAS_CUB
#include "08_reductions/cub_sum.hpp"
#endif

namespace tut::ch08 {

/// All inputs repeat so many random numbers: enough that it makes no difference to a device, few
/// enough for the host to compute the expected results.
inline constexpr std::size_t PATTERN = on_cpu_backend ? std::size_t{1} << 16 : std::size_t{1} << 20;

inline const std::vector<float>& pattern() {
  static const std::vector<float> values = [] {
    std::vector<float> random(PATTERN);
    fill_uniform(random, 1);
    return random;
  }();
  return values;
}

/// The pattern, repeated up to `size`, which is a multiple of it.
inline DeviceBuffer<float> repeated(std::size_t size) {
  DeviceBuffer<float> data(size);
  check(cudaMemcpy(data.data(), pattern().data(), PATTERN * sizeof(float), cudaMemcpyHostToDevice));
  for (std::size_t done = PATTERN; done < size; done += std::min(done, size - done)) {
    check(cudaMemcpy(data.data() + done, data.data(), std::min(done, size - done) * sizeof(float),
                     cudaMemcpyDeviceToDevice));
  }
  return data;
}

/// "WHAT is GOT; expected EXPECTED", or "" if it is, to within the bound.
inline std::string difference(const std::string& what, double got, double expected, double bound) {
  if (std::abs(got - expected) <= bound) return "";
  return what + " is " + std::to_string(got) + "; expected " + std::to_string(expected);
}

/// An array that is gone through once.
struct Flat {
  explicit Flat(std::size_t n)
      : size(n),
        in(repeated(n)),
        out(1),
        scratch(std::max(sum_levels_scratch(n), sum_vectorized_scratch(n))),
        candidates(argmax_scratch(n)),
        largest(1),
        finished(std::vector<unsigned>{0}),
        bins(BINS) {
    for (const float value : pattern()) sum += value, magnitude += std::abs(value);
    sum *= repeats(), magnitude *= repeats();
  }
  bool is(std::size_t n) const { return n == size; }
  /// Of the pattern in the input.
  double repeats() const { return static_cast<double>(size) / static_cast<double>(PATTERN); }
  std::span<const float> span() const { return {in.data(), size}; }
  std::span<float> memory() const { return {scratch.data(), scratch.size()}; }
  std::string verify_sum() const {
    return difference("the sum", out.to_host()[0], sum, 1e-5 * magnitude);
  }
  std::string verify_argmax() const {
    const auto place = std::ranges::max_element(pattern()) - pattern().begin();
    return difference("the place", static_cast<double>(largest.to_host()[0].index),
                      static_cast<double>(place), 0);
  }
  std::string verify_histogram() const {
    std::vector<double> expected(BINS, 0.0);
    for (const std::byte byte : std::as_bytes(std::span(pattern()))) {
      expected[std::to_integer<std::size_t>(byte)] += repeats();
    }
    const std::vector<unsigned> got = bins.to_host();
    for (std::size_t bin = 0; bin < got.size(); ++bin) {
      std::string error = difference("bin " + std::to_string(bin), got[bin], expected[bin], 0);
      if (!error.empty()) return error;
    }
    return "";
  }

  std::size_t size;
  DeviceBuffer<float> in, out, scratch;
  DeviceBuffer<ArgMax> candidates, largest;
  DeviceBuffer<unsigned> finished, bins;
  double sum = 0, magnitude = 0;
#ifdef TUT_HAS_CUB
  DeviceBuffer<std::byte> cub_scratch = DeviceBuffer<std::byte>(cub_sum_scratch(size));
#endif
};

/// A matrix whose rows are reduced.
struct Rows {
  Rows(int m, int n)
      : rows(m),
        cols(n),
        in(repeated(size())),
        out(size()),
        d_out(repeated(size())),
        scale(repeated(PATTERN)),
        statistics(3 * static_cast<std::size_t>(m)),
        d_vectors(2 * static_cast<std::size_t>(n)),
        scratch(layer_norm_backward_scratch(m, n)) {
    run_layer_norm(nullptr);  // the gradients take what it finds of the rows
    run_rms_norm(nullptr);
  }
  bool is(int m, int n) const { return m == rows && n == cols; }
  std::size_t size() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
  MatrixView<float> view(const DeviceBuffer<float>& data) const {
    return {data.data(), rows, cols, cols};
  }
  std::span<float> columns(const DeviceBuffer<float>& data, int which = 0) const {
    const auto length = static_cast<std::size_t>(cols);
    return {data.data() + static_cast<std::size_t>(which) * length, length};
  }
  std::span<float> of_rows(int which) const {
    const auto length = static_cast<std::size_t>(rows);
    return {statistics.data() + static_cast<std::size_t>(which) * length, length};
  }
  void run_layer_norm(cudaStream_t s) const {
    layer_norm(view(in), columns(scale), columns(scale), view(out), of_rows(0), of_rows(1), 1e-5f,
               s);
  }
  void run_rms_norm(cudaStream_t s) const {
    rms_norm(view(in), columns(scale), view(out), of_rows(2), 1e-5f, s);
  }
  void run_layer_norm_backward(cudaStream_t s) const {
    layer_norm_backward(view(in), view(d_out), columns(scale), of_rows(0), of_rows(1), view(out),
                        columns(d_vectors, 0), columns(d_vectors, 1),
                        {scratch.data(), scratch.size()}, s);
  }
  void run_rms_norm_backward(cudaStream_t s) const {
    rms_norm_backward(view(in), view(d_out), columns(scale), of_rows(2), view(out),
                      columns(d_vectors), {scratch.data(), scratch.size()}, s);
  }
  const float* host_row(int i) const {
    return &pattern()[static_cast<std::size_t>(i) * static_cast<std::size_t>(cols) % PATTERN];
  }

  /// Compares the first, middle and last row of out with what `expected` makes of the same row of
  /// in.
  template <class Expected>
  std::string verify(double bound, const Expected& expected) const {
    return verify_rows(bound, [&](int i) { return expected(host_row(i)); });
  }
  template <class Expected>
  std::string verify_rows(double bound, const Expected& expected) const {
    std::vector<float> got(static_cast<std::size_t>(cols));
    for (const int i : {0, rows / 2, rows - 1}) {
      check(cudaMemcpy(got.data(), &view(out)(i, 0), got.size() * sizeof(float),
                       cudaMemcpyDeviceToHost));
      const std::vector<double> reference = expected(i);
      for (std::size_t j = 0; j < got.size(); ++j) {
        std::string error = difference("row " + std::to_string(i) + ", column " + std::to_string(j),
                                       got[j], reference[j], bound);
        if (!error.empty()) return error;
      }
    }
    return "";
  }
  /// The same for the transposed matrix; rows and columns are as many.
  std::string verify_transpose() const {
    return verify_rows(0, [&](int i) {
      std::vector<double> column;
      for (int j = 0; j < rows; ++j) column.push_back(host_row(j)[i]);
      return column;
    });
  }
  std::vector<double> softmax(const float* x) const {
    std::vector<double> y;
    double sum = 0;
    for (int j = 0; j < cols; ++j) sum += std::exp(double{x[j]});
    for (int j = 0; j < cols; ++j) y.push_back(std::exp(double{x[j]}) / sum);
    return y;
  }
  struct Moments {
    double mean = 0, inverse = 0;
  };
  Moments moments(const float* x, bool centred) const {
    Moments m;
    for (int j = 0; j < cols && centred; ++j) m.mean += double{x[j]} / cols;
    for (int j = 0; j < cols; ++j) m.inverse += (x[j] - m.mean) * (x[j] - m.mean) / cols;
    m.inverse = 1 / std::sqrt(m.inverse + 1e-5);
    return m;
  }
  /// The norms, with the pattern as scale and shift, too.
  std::vector<double> norm(const float* x, bool centred) const {
    const Moments m = moments(x, centred);
    const std::vector<float>& s = pattern();
    std::vector<double> y;
    for (int j = 0; j < cols; ++j) {
      const auto column = static_cast<std::size_t>(j);
      y.push_back((x[j] - m.mean) * m.inverse * s[column] + (centred ? s[column] : 0.0f));
    }
    return y;
  }
  /// The gradients of the norms for d_out = in.
  std::vector<double> norm_gradient(const float* x, bool centred) const {
    const Moments m = moments(x, centred);
    std::vector<double> g, d_in;
    double mean_g = 0, mean_gx = 0;
    for (int j = 0; j < cols; ++j) {
      g.push_back(double{x[j]} * pattern()[static_cast<std::size_t>(j)]);
      if (centred) mean_g += g.back() / cols;
      mean_gx += g.back() * (x[j] - m.mean) * m.inverse / cols;
    }
    for (int j = 0; j < cols; ++j) {
      d_in.push_back(m.inverse * (g[static_cast<std::size_t>(j)] - mean_g -
                                  (x[j] - m.mean) * m.inverse * mean_gx));
    }
    return d_in;
  }

  int rows, cols;
  DeviceBuffer<float> in, out, d_out, scale, statistics, d_vectors, scratch;
};

}  // namespace tut::ch08
