#include "11_hopper/copy_tile_tma.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../refusal_case.hpp"
#include "hopper_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch11 {
namespace {

struct Part {
  int rows, cols;     // of the matrix
  int row0, col0;     // where the part begins
  int height, width;  // of the part
};

std::string text_of(const Part& p) {
  return std::to_string(p.height) + "x" + std::to_string(p.width) + " from (" +
         std::to_string(p.row0) + ", " + std::to_string(p.col0) + ") of " + std::to_string(p.rows) +
         "x" + std::to_string(p.cols);
}

// Every element has a value of its own; `extra` elements lie between rows of the output.
Outcome part_outcome(const Part& p, int extra, std::size_t guard = 4096) {
  Guarded<float> in(p.rows, p.cols, round_up(p.cols, 4) + (extra > 0 ? 4 : 0), guard);
  in.set(make_matrix<float>(p.rows, p.cols,
                            [&](int r, int c) { return static_cast<float>(r * 4096 + c + 1); }));
  in.set_placement({4, 4});
  Guarded<float> out(p.height, p.width, p.width + extra, guard);
  const Guarded<float> in_before = in, out_before = out;
  const std::string text = text_of(p) + ", " + std::to_string(extra) + " elements between rows";
  Outcome run = run_on_device(
      {.same_bits = true, .most_launches = 1}, text,
      [&](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        copy_tile_tma(from, p.row0, p.col0, to, stream);
      },
      in, out);
  if (!run.ok) return run;
  const auto expected = make_matrix<double>(p.height, p.width, [&](int r, int c) -> double {
    const int row = p.row0 + r, col = p.col0 + c;
    if (row < 0 || row >= p.rows || col < 0 || col >= p.cols) return 0;
    return static_cast<double>(in_before.cview()(row, col));
  });
  const auto exact = make_matrix<double>(p.height, p.width, [](int, int) { return 0.0; });
  const std::vector<Formula> mistakes = {
      {"of the matrix at rows and columns that are swapped: x, the column, comes first",
       [&](int r, int c) -> double {
         const int row = p.row0 + c, col = p.col0 + r;
         if (row < 0 || row >= p.rows || col < 0 || col >= p.cols) return 0;
         return static_cast<double>(in_before.cview()(row, col));
       }}};
  return first_failure(
      {compare(out.cview(), expected, exact,
               {.name = "out",
                .shape = text,
                .pattern = [&](const Mismatch& m) { return formula_pattern(m, mistakes); }}),
       only_inside_changed(out_before, out, "out", text),
       nothing_changed(in_before, in, "in", text)});
}

}  // namespace

TEST_CASE("copy_tile_tma copies a part of a matrix, and 0 from outside") {
  if (!can_run("copy_tile_tma")) return;
  for (const Part& p : {Part{64, 64, 0, 0, 32, 32},
                        {64, 64, 0, 0, 64, 64},
                        {64, 96, 5, 7, 40, 50},
                        {100, 37, 60, 20, 64, 64},  // beyond the last row and column
                        {40, 40, -9, -13, 70, 70},  // before the first, too
                        {33, 65, -40, 3, 32, 32},   // nothing of it inside
                        {1, 1, 0, 0, 1, 1},
                        {1, 100, 0, 50, 1, 33},
                        {97, 3, 31, 1, 65, 2},
                        {2, 5, -1, -1, 4, 7}}) {
    for (const int extra : {0, 1, 4}) expect(part_outcome(p, extra));
  }
}

TEST_CASE("copy_tile_tma of rows that lie far apart, and of many rows and columns") {
  if (!can_run("copy_tile_tma")) return;
  expect(part_outcome({3000, 5, 1, 0, 2999, 5}, 1));
  expect(part_outcome({5, 3000, 0, 1, 5, 2999}, 1));
  SparseMatrix<float> in(40, 40, kFarStride);
  if (!in.is_there()) return;
  const auto values =
      make_matrix<float>(40, 40, [](int r, int c) { return static_cast<float>(100 * r + c); });
  in.upload(values);
  DeviceMatrix<float> out(40, 40);
  expect(run_far("40 x 40, rows " + far_text(kFarStride), [&](cudaStream_t stream) {
    copy_tile_tma(in.cview(), 0, 0, out.view(), stream);
  }));
  const auto exact = make_matrix<double>(40, 40, [](int, int) { return 0.0; });
  expect(compare(out.download().cview(), to_double_matrix(values.cview()), exact,
                 {.name = "out", .shape = "40x40", .pattern = {}}));
}

TEST_CASE("copy_tile_tma refuses what TMA does not take") {
  if (!can_run("copy_tile_tma")) return;
  const DeviceBuffer<float> in(std::vector<float>(256, 1.0f)), out(256);
  const auto refuses = [&](const std::string& what, MatrixView<const float> from,
                           MatrixView<float> to) {
    expect(refusal_outcome(what, [&] { copy_tile_tma(from, 0, 0, to); }));
  };
  const float* data = in.data();
  const MatrixView<float> to{out.data(), 8, 8, 8};
  copy_tile_tma({data, 8, 8, 8}, 0, 0, to);
  run_to_end([](cudaStream_t) {});
  refuses("in of a stride of 9", {data, 8, 8, 9}, to);
  refuses("in of a stride of 10", {data, 8, 8, 10}, to);
  refuses("in that begins an element behind a multiple of 16 bytes", {data + 1, 8, 8, 8}, to);
  refuses("in of a stride below its row", {data, 4, 9, 8}, to);
  refuses("in without rows", {data, 0, 8, 8}, to);
  refuses("in without columns", {data, 8, 0, 8}, to);
  refuses("out of a stride below its row", {data, 8, 8, 8}, {out.data(), 8, 8, 7});
  refuses("out without rows", {data, 8, 8, 8}, {out.data(), 0, 8, 8});
  expect(other_devices_outcome([&] { copy_tile_tma({data, 8, 8, 8}, 0, 0, to); }));
}

TEST_CASE("budget") {
  if (!can_run("copy_tile_tma")) return;
  const auto cost = [](const Part& p) { return 8.0 * p.height * p.width; };
  const Part whole{256, 256, 0, 0, 256, 256};
  expect_budget("copy_tile_tma", cost(whole), [=] { return part_outcome(whole, 0, 0); });
  for (const Part& p : {Part{256, 32, 0, 0, 256, 32}, {32, 256, 0, 0, 32, 256}}) {
    expect_cost(cost(p), [=] { return part_outcome(p, 0, 0); });
  }
}

}  // namespace tut::ch11
