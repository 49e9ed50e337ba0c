#include "08_reductions/scan_rows.hpp"

#include "08_reductions/block_scan.cuh"
#include "08_reductions/row_part.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

//! [kernel]
template <int THREADS, bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    scan_rows_kernel(MatrixView<const int> in, MatrixView<int> out) {
  const int* from = &in(blockIdx.x, 0);
  int* to = &out(blockIdx.x, 0);

  int carry = 0;  // the sum of everything before this step
  for (int first = 0; first < in.cols; first += 4 * THREADS) {
    const int col = first + 4 * threadIdx.x;  // of this thread's four elements
    int values[4];
    load_ints<ALIGNED>(from, col, in.cols, values);

    for (int k = 1; k < 4; ++k) values[k] += values[k - 1];     // within the thread
    const BlockScan threads = block_scan<THREADS>(values[3]);   // among the threads
    for (int& value : values) value += carry + threads.before;  // and across the steps
    carry += threads.total;

    store_ints<ALIGNED>(to, col, in.cols, values);
  }
}
//! [kernel]

}  // namespace

void scan_rows(MatrixView<const int> in, MatrixView<int> out, cudaStream_t stream) {
  constexpr int THREADS = 256;
  require_same_shape(in, "in", out, "out");
  const bool aligned = has_rows_of_float4(in) && has_rows_of_float4(out);
  const auto kernel = aligned ? scan_rows_kernel<THREADS, true> : scan_rows_kernel<THREADS, false>;
  kernel<<<static_cast<unsigned>(in.rows), THREADS, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch08
