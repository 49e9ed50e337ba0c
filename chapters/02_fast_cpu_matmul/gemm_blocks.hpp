#pragma once

#include <algorithm>

#include "02_fast_cpu_matmul/gemm.hpp"
#include "02_fast_cpu_matmul/gemm_packing.hpp"
#include "02_fast_cpu_matmul/gemm_tile.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch02 {

/// The size of the parts when `length` is cut into parts of at most `largest`, all about equal and
/// multiples of `unit`.
constexpr int even_part(int length, int largest, int unit) {
  return round_up(ceil_div(length, ceil_div(length, largest)), unit);
}

//! [macro-kernel]
/// C (rows, cols) = or += the product of packed blocks: every tile of C, one column of tiles after
/// the other, so that a panel of B stays in a near cache while all tiles of its column read it.
template <class T>
void multiply_blocks(int depth, const float* a_panels, const float* b_panels, MatrixView<float> c,
                     Output output) {
  for (int j = 0; j < c.cols; j += T::cols, b_panels += depth * T::cols) {
    const float* a_panel = a_panels;
    for (int i = 0; i < c.rows; i += T::rows, a_panel += depth * T::rows) {
      multiply_tile<T>(depth, a_panel, b_panels, &c(i, j), c.stride, std::min(T::rows, c.rows - i),
                       std::min(T::cols, c.cols - j), output);
    }
  }
}
//! [macro-kernel]

//! [loops]
/// The part of C = A B that falls to one worker of a team; all of them must call it.
///
/// The team packs a block of B together and shares it; each worker packs its own blocks of A.
template <class T>
void multiply_as_worker(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        const Blocking& blocking, const Worker& worker) {
  const int nc = even_part(c.cols, blocking.cols, T::cols);
  const int kc = even_part(a.cols, blocking.depth, 1);
  const int mc = even_part(c.rows, std::min(blocking.rows, ceil_div(c.rows, worker.team)), T::rows);

  for (int j = 0; j < c.cols; j += nc) {
    const int cols = std::min(nc, c.cols - j);
    for (int k = 0; k < a.cols; k += kc) {
      const int depth = std::min(kc, a.cols - k);

      // This worker's share of B: some of its panels.
      const int share = even_part(cols, ceil_div(cols, worker.team), T::cols);
      const int first = std::min(worker.rank * share, cols);
      pack_b<T>(b.block(k, j + first, depth, std::min(share, cols - first)),
                worker.b_panels + static_cast<std::int64_t>(first) * depth);
      worker.wait();

      for (int i = worker.rank * mc; i < c.rows; i += worker.team * mc) {
        const int rows = std::min(mc, c.rows - i);
        pack_a<T>(a.block(i, k, rows, depth), worker.a_panels);
        multiply_blocks<T>(depth, worker.a_panels, worker.b_panels, c.block(i, j, rows, cols),
                           k == 0 ? Output::overwrite : Output::add);
      }
      worker.wait();  // no one may pack the next block of B before all are done with this one
    }
  }
}
//! [loops]

}  // namespace tut::ch02
