// fails: budget
// says: bytes at a time on average
// Loads 16 bytes only where a round of the block ends with the row.
#include "08_reductions/log_sum_exp.hpp"

#include "08_reductions/online_sum.cuh"
#include "08_reductions/row_part.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

__device__ void add_values(OnlineSum& sum, const float* values, int count) {
  float largest = sum.largest;
  for (int k = 0; k < count; ++k) largest = fmaxf(largest, values[k]);
  sum = {largest, sum.sum * rescaling(sum.largest, largest)};
  for (int k = 0; k < count; ++k) sum.sum += rescaling(values[k], largest);
}

// WHOLE: rows are whole tiles of four floats a thread, so that no load needs a test.
template <int THREADS, bool WHOLE>
__global__ void __launch_bounds__(THREADS)
    log_sum_exp_kernel(MatrixView<const float> in, float* out) {
  const float* row = &in(blockIdx.x, 0);
  const int t = threadIdx.x;

  OnlineSum mine{-INFINITY, 0.0f};
  if constexpr (WHOLE) {
    for (std::int64_t j = 0; j < in.cols; j += THREADS * 4) {
      float values[4];
      load_group(row + j + t * 4, values);
      add_values(mine, values, 4);
    }
  } else {
    for (std::int64_t j = t; j < in.cols; j += THREADS) {
      const float value = row[j];
      add_values(mine, &value, 1);
    }
  }

  const OnlineSum all = block_reduce<THREADS>(mine, JoinOnlineSums());
  if (t == 0) out[blockIdx.x] = all.largest + logf(all.sum);
}

}  // namespace

void log_sum_exp(MatrixView<const float> in, std::span<float> out, cudaStream_t stream) {
  constexpr int THREADS = 256;
  require_matrix(in, "in");
  require_same_size(out.size(), "out", in.rows, "a column of in");
  const bool whole = has_rows_of_float4(in) && in.cols % (THREADS * 4) == 0;
  const auto kernel =
      whole ? log_sum_exp_kernel<THREADS, true> : log_sum_exp_kernel<THREADS, false>;
  kernel<<<static_cast<unsigned>(in.rows), THREADS, 0, stream>>>(in, out.data());
  check_launch();
}

}  // namespace tut::ch08
