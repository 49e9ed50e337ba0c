#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/device_probe.hpp"
#include "tut/numeric/random.hpp"
#include "tut/testing/matmul_corners.hpp"
#include "tut/testing/matmul_test.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/far_case.hpp"
#include "tut/trial/grid_reach.hpp"
#include "tut/trial/recorded_call.hpp"

namespace tut::ch04 {
namespace {

// One image holds all matrices of a batch, one above the other: `gap` unused rows follow each, so a
// step is (rows + gap) * stride. Without a gap nothing is around it, and rows are `longer` than
// they need to be. A batch that is shared holds one matrix.
struct Batch {
  int rows, gap;
  Guarded<float> image;

  Batch(int count, int rows_each, int cols, int gap_rows, int longer)
      : rows(rows_each),
        gap(gap_rows),
        image(count * (rows_each + gap_rows), cols, cols + (gap_rows > 0 ? 1 : longer),
              gap_rows > 0 ? 4096 : 0) {}

  template <class T>
  std::int64_t step(MatrixView<T> all) const {
    return (rows + gap) * all.stride;
  }
  template <class T>
  MatrixView<T> first(MatrixView<T> all) const {
    return all.block(0, 0, rows, image.cols());
  }
  HostMatrix<double> matrix(int i) const {
    return to_double_matrix(image.cview().block(i * (rows + gap), 0, rows, image.cols()));
  }
};

void set_random(Guarded<float>& image, std::uint64_t seed) {
  HostMatrix<float> values(image.rows(), image.cols());
  fill_uniform(values, seed);
  image.set(values);
}

// What the rows of a gap hold before must be there after.
Outcome gaps_unchanged(const Batch& before, const Batch& after, const std::string& text) {
  for (int r = 0; r < after.image.rows(); ++r) {
    if (r % (after.rows + after.gap) < after.rows) continue;
    for (int c = 0; c < after.image.cols(); ++c) {
      if (bits_of(before.image.cview()(r, c)) == bits_of(after.image.cview()(r, c))) continue;
      return failure("values", "wrote between two matrices of C (" + text + ")");
    }
  }
  return {};
}

// What one-hot inputs of a dense batch say.
std::string probe_batch(int batch, const MatmulShape& shape) {
  const auto [m, n, k] = shape;
  Probe probe{{{"A", {batch, m, k}}, {"B", {batch, k, n}}}, {"C", {batch, m, n}}, {}, {}};
  probe.reference = [=](const std::vector<Probe::Values>& inputs) {
    const auto matrix = [&](const Probe::Values& all, int i, int rows, int cols) {
      return make_matrix<double>(rows, cols, [&](int r, int c) {
        return all[static_cast<std::size_t>((i * rows + r) * cols + c)];
      });
    };
    Probe::Values values;
    for (int i = 0; i < batch; ++i) {
      const HostMatrix<double> product =
          matmul_reference(matrix(inputs[0], i, m, k), matrix(inputs[1], i, k, n)).product;
      values.insert(values.end(), product.span().begin(), product.span().end());
    }
    return values;
  };
  probe.run = probe_on_device(
      probe.output, [=](const std::vector<const float*>& from, float* to, cudaStream_t stream) {
        matmul_batched({from[0], m, k, k}, m * k, {from[1], k, n, n}, k * n, {to, m, n, n}, m * n,
                       batch, stream);
      });
  return probe_one_hot(probe);
}

// Without gaps if it is said how much longer rows are.
Outcome batched_outcome(int batch, const MatmulShape& shape, bool share_a,
                        std::optional<int> longer = std::nullopt) {
  const auto gap = [&](int rows) { return longer ? 0 : rows; };
  Batch a(share_a ? 1 : batch, shape.m, shape.k, gap(2), longer.value_or(0));
  Batch b(batch, shape.k, shape.n, gap(1), longer.value_or(0));
  Batch c(batch, shape.m, shape.n, gap(3), longer.value_or(0));
  set_random(a.image, 41);
  set_random(b.image, 42);
  b.image.surround(2.0f);  // NaN times anything is the NaN that surrounds C already
  const Batch a_before = a, b_before = b, c_before = c;
  const std::string text = "batch " + std::to_string(batch) + " of " + shape_text(shape) +
                           (share_a ? ", the same A for all" : "");

  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, MatrixView<const float> av, MatrixView<const float> bv,
          MatrixView<float> cv) {
        matmul_batched(a.first(av), share_a ? 0 : a.step(av), b.first(bv), b.step(bv), c.first(cv),
                       c.step(cv), batch, stream);
      },
      a.image, b.image, c.image);
  if (!run.ok) return run;

  for (int i = 0; i < batch; ++i) {
    const MatmulReference reference =
        matmul_reference(a_before.matrix(share_a ? 0 : i), b_before.matrix(i));
    const auto got = c.image.cview().block(i * (c.rows + c.gap), 0, c.rows, shape.n);
    CompareOptions options{.name = "C_" + std::to_string(i), .shape = text, .pattern = {}};
    options.probe = [&] { return probe_batch(batch, shape); };
    Outcome outcome = compare(got, reference.product, matmul_bound(reference, {}), options);
    if (!outcome.ok) return outcome;
  }
  return first_failure({gaps_unchanged(c_before, c, text),
                        only_inside_changed(c_before.image, c.image, "C", text),
                        nothing_changed(a_before.image, a.image, "A", text),
                        nothing_changed(b_before.image, b.image, "B", text)});
}

// Batches whose matrices lie side by side: matrix i begins 13 or 35 elements to the right of the
// one before, and every row holds a row of each. Rows begin at multiples of 16 bytes, matrices do
// not; `fours`: K and N are multiples of 4 all the same.
Outcome side_by_side_outcome(bool share_a, bool share_b, bool fours) {
  constexpr int BATCH = 4, M = 9, N_STEP = 35, K_STEP = 13;
  const int N = fours ? 32 : N_STEP, K = fours ? 12 : K_STEP;
  const std::string text = "batch 4 of " + shape_text({M, N, K}) + ", side by side" +
                           (share_a ? ", the same A for all" : "") +
                           (share_b ? ", the same B for all" : "");
  const auto image = [](int rows, int cols) {
    return Guarded<float>(rows, BATCH * cols, BATCH * cols, 64);
  };
  Guarded<float> a = image(M, K_STEP), b = image(K, N_STEP), c = image(M, N_STEP);
  set_random(a, 45);
  set_random(b, 46);
  const Guarded<float> a_before = a, b_before = b, c_before = c;
  const int a_step = share_a ? 0 : K_STEP, b_step = share_b ? 0 : N_STEP;
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [=](cudaStream_t stream, MatrixView<const float> av, MatrixView<const float> bv,
          MatrixView<float> cv) {
        matmul_batched(av.block(0, 0, M, K), a_step, bv.block(0, 0, K, N), b_step,
                       cv.block(0, 0, M, N), N_STEP, BATCH, stream);
      },
      a, b, c);
  if (!run.ok) return run;
  for (int i = 0; i < BATCH; ++i) {
    const MatmulReference reference =
        matmul_reference(to_double_matrix(a_before.cview().block(0, i * a_step, M, K)),
                         to_double_matrix(b_before.cview().block(0, i * b_step, K, N)));
    Outcome outcome = compare(c.cview().block(0, i * N_STEP, M, N), reference.product,
                              matmul_bound(reference, {}),
                              {.name = "C_" + std::to_string(i), .shape = text, .pattern = {}});
    if (!outcome.ok) return outcome;
  }
  return first_failure({only_inside_changed(c_before, c, "C", text),
                        nothing_changed(a_before, a, "A", text),
                        nothing_changed(b_before, b, "B", text)});
}

// So many products that all of C has more elements than 32 bits count.
Outcome large_batch_outcome() {
  constexpr int BATCH = 65535, SIDE = 260, ELEMENTS = SIDE * SIDE, QUARTER = ELEMENTS / 4;
  const LongBuffer<float> a, b, c(std::size_t{BATCH} * ELEMENTS);
  MarkedParts last;
  last.add("the last row of C, of a batch of 65535 times 260x1 * 1x260,",
           c.data() + std::int64_t{BATCH} * ELEMENTS - SIDE, SIDE);
  const auto call = [&](cudaStream_t stream, int quarter) {
    matmul_batched({a.data(), SIDE, 1, 1}, SIDE, {b.data(), 1, SIDE, SIDE}, SIDE,
                   {c.data(), SIDE, SIDE, SIDE}, ELEMENTS, ceil_div(quarter, QUARTER), stream);
  };
  return grid_reach_outcome(
      {call, "times 4 elements of C, in a batch"}, [](int) { return Outcome{}; }, BATCH * QUARTER,
      last, BATCH * QUARTER);
}

// A batch of one product.
void multiply_single(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                     cudaStream_t stream) {
  matmul_batched(a, 0, b, 0, c, 0, 1, stream);
}

void run_single(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  const auto call = [](cudaStream_t stream, MatrixView<const float> av, MatrixView<const float> bv,
                       MatrixView<float> cv) { multiply_single(av, bv, cv, stream); };
  run_on_images({.most_launches = 1}, call, a, b, c);
}

// The matrices of a batch lie so far apart that offsets, and steps, are beyond 32 bits.
Outcome far_steps_outcome() {
  constexpr int BATCH = 5, M = 2, N = 33, K = 3;
  const std::string text = "batch 5, matrices " + far_text(kFarStride);
  HostMatrix<float> host_a(BATCH, M * K), host_b(BATCH, K * N);  // a matrix in each row
  fill_uniform(host_a, 43);
  fill_uniform(host_b, 44);
  SparseMatrix<float> a(BATCH, M * K, kFarStride), b(BATCH, K * N, kFarStride),
      c(BATCH, M * N, kFarStride);
  if (!a.is_there() || !b.is_there() || !c.is_there()) return {};
  a.upload(host_a);
  b.upload(host_b);
  c.upload(HostMatrix<float>(BATCH, M * N));
  Outcome run = run_far(text, [&](cudaStream_t stream) {
    matmul_batched({a.view().data, M, K, K}, kFarStride, {b.view().data, K, N, N}, kFarStride,
                   {c.view().data, M, N, N}, kFarStride, BATCH, stream);
  });
  if (!run.ok) return run;
  const HostMatrix<float> result = c.download();
  for (int i = 0; i < BATCH; ++i) {
    const auto matrix = [i](const HostMatrix<float>& all, int rows, int cols) {
      return MatrixView<const float>{&all(i, 0), rows, cols, cols};
    };
    const MatmulReference reference = matmul_reference(to_double_matrix(matrix(host_a, M, K)),
                                                       to_double_matrix(matrix(host_b, K, N)));
    Outcome outcome = compare(matrix(result, M, N), reference.product, matmul_bound(reference, {}),
                              {.name = "C_" + std::to_string(i), .shape = text, .pattern = {}});
    if (!outcome.ok) return outcome;
  }
  return {};
}

}  // namespace

TEST_CASE("matmul_batched computes every product") {
  for (const MatmulShape& shape : matmul_shapes(8, 32, 16)) {
    expect(batched_outcome(1, shape, false));
    expect(batched_outcome(3, shape, false));
    expect(batched_outcome(3, shape, true));
  }
}

TEST_CASE("matmul_batched takes matrices side by side, and the same ones for all products") {
  for (const bool share_a : {false, true}) {
    for (const bool share_b : {false, true}) {
      for (const bool fours : {false, true}) expect(side_by_side_outcome(share_a, share_b, fours));
    }
  }
}

TEST_CASE("matmul_batched takes as many products as a grid has layers") {
  const LongBuffer<float> a, b, c;
  const MatmulShape rows{9, 1, 1}, columns{1, 33, 1};
  for (const auto& [m, n, k] : {rows, columns}) {
    for (const std::int64_t step : {0, 1}) {
      expect(outcome_of_call("batch 65535, recorded and not run", [&, m = m, n = n, k = k] {
        const RecordedCall recorded([&](cudaStream_t stream) {
          matmul_batched({a.data(), m, k, k}, m * k, {b.data(), k, n, n}, step * n,
                         {c.data(), m, n, n}, m * n, 65535, stream);
        });
      }));
    }
  }
  const auto small = [&](cudaStream_t stream, int batch) {
    matmul_batched({a.data(), 1, 1, 1}, 1, {b.data(), 1, 1, 1}, 1, {c.data(), 1, 1, 1}, 1, batch,
                   stream);
  };
  const auto values = [](int batch) { return batched_outcome(batch, {1, 1, 1}, false); };
  expect(grid_reach_outcome({small, "products"}, values, 1500, MarkedParts("C", c.data(), 65535),
                            65535));
  expect(large_batch_outcome());
}

TEST_CASE("matmul_batched takes many small products, and none") {
  expect(batched_outcome(1500, {3, 4, 5}, false));
  expect(batched_outcome(0, {3, 4, 5}, true));
}

TEST_CASE("matmul_batched takes long matrices, at any address, NaN and infinity") {
  expect(matmul_corners_outcome(run_single,
                                {.long_shapes = {{1, 70000, 2}, {70000, 1, 2}, {2, 3, 5000}}}));
}

TEST_CASE("matmul_batched takes rows and matrices that are far apart") {
  expect(far_rows_outcome<float, float>(multiply_single, {}));
  expect(far_steps_outcome());
}

TEST_CASE("matmul_batched reaches all of a large C") {
  const auto values = [](const MatmulShape& shape) {
    return detail::run_case<float, float>(run_single, shape, MatmulInputs::dense_random, {});
  };
  expect(matmul_reach_outcome(multiply_single, 70000, values));
}

TEST_CASE("matmul_batched refuses shapes that do not fit") {
  for (const int batch : {0, 1, 3}) {
    const MatmulRun<float, float> run = [batch](Guarded<float>& a, Guarded<float>& b,
                                                Guarded<float>& c) {
      const auto call = [batch](cudaStream_t stream, MatrixView<const float> av,
                                MatrixView<const float> bv, MatrixView<float> cv) {
        matmul_batched(av, 0, bv, 0, cv, 0, batch, stream);
      };
      run_if_fits(detail::shapes_fit(a, b, c), {}, call, a, b, c);
    };
    INFO("batch " << batch);
    expect(detail::run_wrong_shapes<float, float>(run, {}));
  }
}

TEST_CASE("budget") {
  constexpr int BATCH = 3, M = 64, N = 32, K = 96;
  const auto cost = [](const MatmulShape& s) { return BATCH * s.m * s.n * (5.0 * s.k + 4.0); };
  for (const int longer : {0, kLongerRows}) {
    expect_budget("matmul_batched", cost({M, N, K}), [=] {
      return batched_outcome(BATCH, {M, N, K}, false, longer);
    });
  }
  for (const MatmulShape& s : shapes_of_one_tile({M, N, K}, 32)) {
    expect_cost(cost(s), [=] { return batched_outcome(BATCH, s, false, 0); });
  }
}

}  // namespace tut::ch04
