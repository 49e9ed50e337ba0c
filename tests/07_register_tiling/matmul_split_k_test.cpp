#include "07_register_tiling/matmul_split_k.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "exercise_case.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/trial/call_failure.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/recorded_call.hpp"

namespace tut::ch07 {

namespace {

void matmul_split_k_on(cudaStream_t stream, MatrixView<const float> a, MatrixView<const float> b,
                       MatrixView<float> c, MatrixView<float> parts) {
  matmul_split_k(a, b, c, parts, stream);
}

/// What is in a slice's part: the sum over its k.
HostMatrix<double> part_of(int slice, const Guarded<float>& a, const Guarded<float>& b,
                           bool absolute) {
  const int k = a.cols(), length = ceil_div(ceil_div(k, 16), split_k_slices) * 16;
  const int begin = std::min(slice * length, k), end = std::min(begin + length, k);
  return make_matrix<double>(a.rows(), b.cols(), [&](int r, int c) {
    double sum = 0;
    for (int i = begin; i < end; ++i) {
      const double product = static_cast<double>(a.cview()(r, i)) * b.cview()(i, c);
      sum += absolute ? std::abs(product) : product;
    }
    return sum;
  });
}

/// What is wrong with the parts, "" if nothing is.
std::string wrong_part(const Guarded<float>& a, const Guarded<float>& b,
                       const Guarded<float>& parts) {
  const int m = a.rows(), n = b.cols();
  for (int slice = 0; slice < split_k_slices; ++slice) {
    const HostMatrix<double> magnitude = part_of(slice, a, b, true);
    const auto bound = make_matrix<double>(
        m, n, [&](int r, int c) { return 2 * std::sqrt(a.cols()) * 0x1p-24 * magnitude(r, c); });
    const std::string name = "slice " + std::to_string(slice) + "'s part";
    const Outcome outcome = compare(parts.cview().block(slice * m, 0, m, n),
                                    part_of(slice, a, b, false), bound, {.name = name});
    if (!outcome.ok) return outcome.report.substr(0, outcome.report.find('\n'));
  }
  return "";
}

/// Whether C is about AB.
bool is_close(const Guarded<float>& a, const Guarded<float>& b, const Guarded<float>& c) {
  const MatmulReference reference =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview()));
  return compare(c.cview(), reference.product, matmul_bound(reference, {})).ok;
}

/// Which slices' parts C is the sum of, if not of all; "" if that does not explain it.
std::string left_out(const Guarded<float>& parts, const Guarded<float>& c) {
  const int m = c.rows();
  for (int first = 0; first < split_k_slices; ++first) {
    for (int last = split_k_slices; last > first; --last) {
      if (last - first == split_k_slices) continue;
      const auto is_sum = [&](int row, int col) {
        float sum = 0;
        for (int slice = first; slice < last; ++slice) sum += parts.cview()(slice * m + row, col);
        return c.cview()(row, col) == sum;
      };
      bool all = true;
      for (int row = 0; row < m && all; ++row) {
        for (int col = 0; col < c.cols() && all; ++col) all = is_sum(row, col);
      }
      if (!all) continue;
      return "C is the sum of the parts of slices " + std::to_string(first) + " to " +
             std::to_string(last - 1) + " alone: all " + std::to_string(split_k_slices) +
             " belong to it";
    }
  }
  return "";
}

/// What is wrong with how the parts were added up, "" if nothing is: in floats, slice by slice.
std::string wrong_order(const Guarded<float>& parts, const Guarded<float>& c) {
  const int m = c.rows();
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < c.cols(); ++col) {
      float sum = 0;
      for (int slice = 0; slice < split_k_slices; ++slice) {
        sum += parts.cview()(slice * m + row, col);
      }
      if (c.cview()(row, col) == sum) continue;
      return "C(" + std::to_string(row) + ", " + std::to_string(col) +
             ") is not what its parts come to, added in the order of the slices: other bits";
    }
  }
  return "";
}

/// C = AB, with parts that lie as C does, and are looked at. `multiple`: of strides.
void run_split_k(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c, int multiple,
                 bool unusual) {
  const auto zone = static_cast<std::size_t>(c.cview().data - c.memory().data());
  const bool as_c = c.stride() == c.cols() || zone == 0;
  Guarded<float> parts(split_k_slices * c.rows(), c.cols(), c.stride() + (as_c ? 0 : multiple),
                       zone == 0 ? 0 : 4096 + zone % 4);
  const Guarded<float> before = parts;
  const bool fits = detail::shapes_fit(a, b, c);
  run_if_fits(fits, {.same_bits = true, .most_launches = 2}, matmul_split_k_on, a, b, c, parts);
  std::string wrong = parts.change_outside(before, "parts", false);
  const bool small = !unusual && 1.0 * c.rows() * c.cols() * a.cols() < 3e5;
  if (wrong.empty() && small) wrong = wrong_part(a, b, parts);
  // Where a part is right and C is not close, the product's own comparison says more.
  const bool parts_right = wrong.empty() && !unusual;
  if (parts_right && is_close(a, b, c)) {
    wrong = wrong_order(parts, c);
  } else if (parts_right && c.rows() * c.cols() <= 4096) {
    wrong = left_out(parts, c);
  }
  if (!wrong.empty()) throw CallFailure("values", wrong);
}

Run run_in(int multiple, bool unusual = false) {
  return [=](Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
    run_split_k(a, b, c, multiple, unusual);
  };
}

}  // namespace

TEST_CASE("matmul_split_k computes C = AB") {
  for (const int multiple : {1, 4}) {
    MatmulTestOptions options{.shapes = matmul_shapes(64, 64, 16), .stride_multiple = multiple};
    // Full slices, a short one, empty ones; lengths that 8 does not divide.
    for (const int k : {1024, 500, 272, 129, 128}) options.shapes.push_back({64, 64, k});
    options.shapes.push_back({3, 67, 401});
    expect(run_matmul_battery<float, float>(run_in(multiple), options));
  }
}

TEST_CASE("matmul_split_k of parts that begin elsewhere than C does") {
  for (const bool shifted_parts : {true, false}) {
    const Run run = [=](Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
      Guarded<float> parts(split_k_slices * c.rows(), c.cols(), c.stride(),
                           shifted_parts ? 4097 : 4096);
      run_if_fits(true, {.same_bits = true, .most_launches = 2}, matmul_split_k_on, a, b, c, parts);
    };
    HostMatrix<float> a(64, 256), b(256, 64);
    fill_uniform(a, 45);
    fill_uniform(b, 46);
    expect(detail::run_and_judge(run, make_images(a, b, shifted_parts ? 0 : 4), {},
                                 std::string("64x256 * 256x64, ") +
                                     (shifted_parts ? "the parts" : "C") +
                                     " one element past 16 bytes"));
  }
}

TEST_CASE("matmul_split_k of odd places, long shapes, infinities and NaN") {
  expect(shifted_images_outcome(run_in(4)));
  expect(shapes_outcome_of_length(8300, run_in(4)));  // of eight slices each
  expect(unusual_outcome(run_in(4, true)));
  expect(zeros_outcome(run_in(4, true)));
}

TEST_CASE("matmul_split_k of rows that lie far apart") {
  const auto multiply = [](MatrixView<const float> a, MatrixView<const float> b,
                           MatrixView<float> c, cudaStream_t stream) {
    DeviceMatrix<float> parts(split_k_slices * c.rows, c.cols);
    matmul_split_k(a, b, c, parts.view(), stream);
    check(cudaStreamSynchronize(stream));
  };
  expect(far_rows_outcome<float, float>(multiply, {}));
  expect(far_tiles_outcome(multiply));
}

namespace {

/// Parts whose rows lie more than 2^exponent elements apart; `whole`: in whole tiles.
Outcome far_parts_outcome(int M, int exponent, bool whole) {
  const int N = whole ? 64 : 40, K = whole ? 256 : 300;
  HostMatrix<float> a_values(M, K), b_values(K, N);
  fill_small_integers(a_values, 43, 5);
  fill_small_integers(b_values, 44, 5);
  const DeviceMatrix<float> a(a_values), b(b_values);
  DeviceMatrix<float> c(M, N);
  const SparseMatrix<float> parts(split_k_slices * M, N, (std::int64_t{1} << exponent) + 64);
  if (!parts.is_there()) return {};
  const std::string text = "rows of the parts 2^" + std::to_string(exponent) + " elements apart";
  const Outcome run = run_far(text, [&](cudaStream_t stream) {
    matmul_split_k(a.cview(), b.cview(), c.view(), parts.view(), stream);
  });
  const MatmulReference reference =
      matmul_reference(to_double_matrix(a_values.cview()), to_double_matrix(b_values.cview()));
  const auto exact = make_matrix<double>(M, N, [](int, int) { return 0.0; });
  if (!run.ok) return run;
  return compare(c.download().cview(), reference.product, exact,
                 {.name = "C", .shape = text, .stride = c.cview().stride});
}

}  // namespace

TEST_CASE("matmul_split_k of parts whose rows lie far apart") {
  expect(far_parts_outcome(3, 28, false));
  expect(far_parts_outcome(kFarRows, 26, false));  // tiles begin beyond 32 bits
  expect(far_parts_outcome(64, 24, true));
}

TEST_CASE("matmul_split_k reaches all of a large C") {
  const LongBuffer<float> parts(40'000'000'000);
  const auto with_parts = [&](MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream) {
    matmul_split_k(a, b, c, {parts.data(), split_k_slices * c.rows, c.cols, c.cols}, stream);
  };
  const auto values = [](const MatmulShape& shape) {
    return detail::run_case(run_in(1), shape, MatmulInputs::dense_random, {});
  };
  expect(matmul_reach_outcome(with_parts, 8300, values));
  expect(many_tiles_outcome(with_parts));
}

TEST_CASE("matmul_split_k has blocks of its own for each slice") {
  const LongBuffer<float> a, b, c, parts;
  expect(outcome_of_call("1x1024 * 1024x1, recorded and not run", [&] {
    const RecordedCall recorded([&](cudaStream_t stream) {
      matmul_split_k({a.data(), 1, 1024, 1024}, {b.data(), 1024, 1, 1}, {c.data(), 1, 1, 1},
                     {parts.data(), split_k_slices, 1, 1}, stream);
    });
    std::uint64_t blocks = 0;  // of the kernel that multiplies
    if (!recorded.launches().empty()) {
      const dim3& grid = recorded.launches().front().grid;
      blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    }
    if (blocks >= split_k_slices) return;
    throw CallFailure("values", "blocks of the first launch: " + std::to_string(blocks) +
                                    "; expected 8 at least, one for each slice");
  }));
}

TEST_CASE("matmul_split_k gives the same bits twice") {
  constexpr int M = 70, N = 65, K = 1000;
  HostMatrix<float> host_a(M, K), host_b(K, N);
  fill_uniform(host_a, 41);
  fill_uniform(host_b, 42);
  const DeviceMatrix<float> a(host_a), b(host_b);
  DeviceMatrix<float> parts(split_k_slices * M, N), first(M, N), second(M, N);
  matmul_split_k(a.cview(), b.cview(), first.view(), parts.view());
  matmul_split_k(a.cview(), b.cview(), second.view(), parts.view());
  const HostMatrix<float> x = first.download(), y = second.download();
  int different = 0;
  for (int r = 0; r < M; ++r) {
    for (int c = 0; c < N; ++c) different += bits_of(x(r, c)) != bits_of(y(r, c));
  }
  expect(different == 0 ? Outcome{}
                        : failure("values", std::to_string(different) +
                                                " elements of C differ between two equal calls"));
}

TEST_CASE("matmul_split_k refuses parts of another shape") {
  const DeviceBuffer<float> memory(64);
  float* data = memory.data();
  const MatrixView<const float> input{data, 2, 2, 2};
  const MatrixView<float> c{data, 2, 2, 2};
  for (const MatrixView<float> parts :
       {MatrixView<float>{data, 15, 2, 2}, {data, 17, 2, 2}, {data, 16, 3, 3}, {data, 16, 1, 1}}) {
    INFO("parts of ", parts.rows, "x", parts.cols, ", stride ", parts.stride, ", and c of 2x2");
    CHECK_THROWS_AS(matmul_split_k(input, input, c, parts, nullptr), std::invalid_argument);
  }
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 128, K = 512;
  expect_product_budget(
      "matmul_split_k", {M, N, K},
      [](const MatmulShape& s) { return s.m * s.n * (s.k / 8.0 + 32 + 32 + 4); }, 64, run_in(1));
}

}  // namespace tut::ch07
