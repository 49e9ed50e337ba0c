#include "16_cnn_trainer/attention.hpp"

#include "08_reductions/warp_reduce.cuh"
#include "09_wmma/fragments.hpp"
#include "09_wmma/staging.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {

//! [blank-attention]
namespace {

using ch09::Accumulator;
using ch09::FragmentA;
using ch09::FragmentB;
using ch09::PAD;
using ch09::TILE;

constexpr int D = HEAD_SIZE;
constexpr int KEYS = 64;  // keys of a step
constexpr int WARPS = 4;  // each with 16 queries of its own
constexpr int QUERIES = WARPS * TILE, THREADS = 32 * WARPS;
constexpr int PARTS = D / TILE;  // fragments of 16 along a query, and along the keys of a step
constexpr int LANES = 8;         // that share a row of scores
constexpr int ROWS = TILE / (32 / LANES);  // that a lane looks at, one after the other
constexpr int FOURS = KEYS / 4 / LANES;    // groups of four scores of a row that a lane has

/// What a warp keeps in shared memory. With eight more columns, what is read or written at a time
/// lies in 32 different banks: 4 rows of 32 bytes of a sum, or 8 rows of 16 bytes of the weights.
struct WarpMemory {
  alignas(32) float scores[TILE][KEYS + 8];
  alignas(32) __half weights[TILE][KEYS + PAD];
};

struct BlockMemory {
  alignas(32) __half keys[KEYS][D + PAD];
  alignas(32) __half values[KEYS][D + PAD];
};

using KeyPart = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, TILE, TILE, TILE, __half,
                                       nvcuda::wmma::col_major>;

/// What a lane knows of the rows that it looks at: the largest score so far, in units of which
/// 2 is the base, and the sum of the exponentials relative to it.
struct RowState {
  float largest = -INFINITY, sum = 0.0f;
};

/// The warp's scores with the step's keys: (16, KEYS), in shared memory.
__device__ void find_scores(const FragmentA<__half> (&queries)[PARTS], const BlockMemory& block,
                            WarpMemory& own) {
#pragma unroll
  for (int n = 0; n < KEYS / TILE; ++n) {
    Accumulator sum;
    nvcuda::wmma::fill_fragment(sum, 0.0f);
#pragma unroll
    for (int c = 0; c < PARTS; ++c) {
      KeyPart part;
      nvcuda::wmma::load_matrix_sync(part, &block.keys[n * TILE][c * TILE], D + PAD);
      nvcuda::wmma::mma_sync(sum, queries[c], part, sum);
    }
    nvcuda::wmma::store_matrix_sync(&own.scores[0][n * TILE], sum, KEYS + 8,
                                    nvcuda::wmma::mem_row_major);
  }
  __syncwarp();
}

/// The row of scores that a lane looks at in turn r. What the lanes of half a warp write at once,
/// to rows that are 4 apart, goes to 32 banks.
__device__ int row_of(int r) { return threadIdx.x % 32 / LANES * ROWS + r; }

/// Leaves a factor of row r for scale_rows, where the row's scores have been.
__device__ void leave_factor(int r, float factor, WarpMemory& own) {
  const int col = threadIdx.x % LANES * 4;
  if (col < TILE) {
    *reinterpret_cast<float4*>(&own.scores[row_of(r)][col]) =
        make_float4(factor, factor, factor, factor);
  }
}

/// Turns the scores of a row into weights, the exponentials relative to the largest score so far,
/// keeps the sum in step, and leaves the factor that makes the old sums relative to it, too. The
/// scores of the first `keys` of the step count.
__device__ void weigh_row(int r, int keys, RowState& state, WarpMemory& own) {
  constexpr float SCALE = 0.125f * 1.4426950408889634f;  // 1/sqrt(64), and exp(x) = 2^(x log2 e)
  const int row = row_of(r), first = threadIdx.x % LANES * 4;  // of this lane's columns
  float x[FOURS][4];
  float largest = state.largest;
#pragma unroll
  for (int g = 0; g < FOURS; ++g) {
    const float4 four = *reinterpret_cast<const float4*>(&own.scores[row][first + g * 4 * LANES]);
    x[g][0] = four.x, x[g][1] = four.y, x[g][2] = four.z, x[g][3] = four.w;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool counts = first + g * 4 * LANES + i < keys;
      x[g][i] = counts ? x[g][i] * SCALE : -INFINITY;
      largest = fmaxf(largest, x[g][i]);
    }
  }
  __syncwarp();  // the row is in registers: its place may be used
  largest = ch08::warp_reduce<LANES>(largest, ch08::Max());
  float sum = 0.0f;
#pragma unroll
  for (int g = 0; g < FOURS; ++g) {
    alignas(8) __half2 weights[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      weights[i] =
          __floats2half2_rn(exp2f(x[g][2 * i] - largest), exp2f(x[g][2 * i + 1] - largest));
      sum += __low2float(weights[i]) + __high2float(weights[i]);  // of what is multiplied
    }
    *reinterpret_cast<uint2*>(&own.weights[row][first + g * 4 * LANES]) =
        *reinterpret_cast<const uint2*>(weights);
  }
  // Before the first step there is nothing to rescale: 2^-infinity is 0.
  const float factor = exp2f(state.largest - largest);
  state.sum = factor * state.sum + ch08::warp_reduce<LANES>(sum, ch08::Add());
  state.largest = largest;
  leave_factor(r, factor, own);
}

/// Multiplies row r of the sums by the factor of row r. Nobody knows which element of a fragment is
/// in which row; but a fragment that is loaded from the factors has its rows in the same places.
__device__ void scale_rows(Accumulator (&sums)[PARTS], const WarpMemory& own) {
  Accumulator factors;
  nvcuda::wmma::load_matrix_sync(factors, &own.scores[0][0], KEYS + 8, nvcuda::wmma::mem_row_major);
#pragma unroll
  for (Accumulator& sum : sums) {
#pragma unroll
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= factors.x[i];
  }
}

/// Adds the weights times the step's values.
__device__ void add_values(const WarpMemory& own, const BlockMemory& block,
                           Accumulator (&sums)[PARTS]) {
#pragma unroll
  for (int n = 0; n < KEYS / TILE; ++n) {
    FragmentA<__half> weights;
    nvcuda::wmma::load_matrix_sync(weights, &own.weights[0][n * TILE], KEYS + PAD);
#pragma unroll
    for (int c = 0; c < PARTS; ++c) {
      FragmentB<__half> part;
      nvcuda::wmma::load_matrix_sync(part, &block.values[n * TILE][c * TILE], D + PAD);
      nvcuda::wmma::mma_sync(sums[c], weights, part, sums[c]);
    }
  }
}

/// Writes the warp's rows, rounded to half: 8 neighbours a lane, at once where `vectors` says so.
__device__ void store_rows(const WarpMemory& own, MatrixView<__half> out, int row0, bool vectors) {
  for (int i = threadIdx.x % 32; i < TILE * D / 8; i += 32) {
    const int row = i / (D / 8), col = i % (D / 8) * 8;
    if (row0 + row >= out.rows) return;
    const auto* from = reinterpret_cast<const float4*>(&own.scores[row][col]);
    const float4 left = from[0], right = from[1];
    const float values[8] = {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w};
    alignas(16) __half eight[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) eight[j] = __float2half(values[j]);
    __half* to = &out(row0 + row, col);
    if (vectors) {
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(eight);
    } else {
      for (int j = 0; j < 8; ++j) to[j] = eight[j];
    }
  }
}

__global__ void __launch_bounds__(THREADS)
    attention_kernel(MatrixView<const __half> all_q, MatrixView<const __half> all_k,
                     MatrixView<const __half> all_v, MatrixView<__half> all_out) {
  __shared__ BlockMemory block;
  __shared__ WarpMemory warps[WARPS];
  const int warp = threadIdx.x / 32;
  WarpMemory& own = warps[warp];
  const int row0 = blockIdx.x * QUERIES, head = blockIdx.y * D;
  const auto of_head = [&](auto m) { return m.block(0, head, m.rows, D); };
  const auto q = of_head(all_q), k = of_head(all_k), v = of_head(all_v);
  const auto out = of_head(all_out);
  const bool k_vectors = ch09::is_float4_accessible(k), v_vectors = ch09::is_float4_accessible(v);

  // The queries pass through the keys' place into fragments, and stay there.
  ch09::stage_tile<THREADS, D>(q, row0, 0, ch09::is_float4_accessible(q), block.keys);
  __syncthreads();
  FragmentA<__half> queries[PARTS];
#pragma unroll
  for (int c = 0; c < PARTS; ++c) {
    nvcuda::wmma::load_matrix_sync(queries[c], &block.keys[warp * TILE][c * TILE], D + PAD);
  }
  __syncthreads();

  Accumulator sums[PARTS];  // (16, D) of the result, side by side
#pragma unroll
  for (Accumulator& sum : sums) nvcuda::wmma::fill_fragment(sum, 0.0f);
  RowState rows[ROWS];

  ch09::stage_tile<THREADS, D, true>(k, 0, 0, k_vectors, block.keys);
  __pipeline_commit();
  for (int key0 = 0; key0 < k.rows; key0 += KEYS) {
    __pipeline_wait_prior(0);
    __syncthreads();  // the keys are here, and nobody needs the values of the step before
    ch09::stage_tile<THREADS, D, true>(v, key0, 0, v_vectors, block.values);
    __pipeline_commit();

    find_scores(queries, block, own);
    const int keys = k.rows - key0 < KEYS ? k.rows - key0 : KEYS;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) weigh_row(r, keys, rows[r], own);
    __syncwarp();
    scale_rows(sums, own);

    __pipeline_wait_prior(0);
    __syncthreads();  // the values are here, and nobody needs the keys of this step
    if (key0 + KEYS < k.rows) {
      ch09::stage_tile<THREADS, D, true>(k, key0 + KEYS, 0, k_vectors, block.keys);
    }
    __pipeline_commit();
    add_values(own, block, sums);
    __syncwarp();  // the next step writes scores and weights
  }

#pragma unroll
  for (int r = 0; r < ROWS; ++r) leave_factor(r, 1.0f / rows[r].sum, own);
  __syncwarp();
  scale_rows(sums, own);
  __syncwarp();  // the factors have been read
#pragma unroll
  for (int c = 0; c < PARTS; ++c) {
    nvcuda::wmma::store_matrix_sync(&own.scores[0][c * TILE], sums[c], KEYS + 8,
                                    nvcuda::wmma::mem_row_major);
  }
  __syncwarp();
  store_rows(own, out, row0 + warp * TILE, ch09::is_float4_accessible(out));
}

}  // namespace

void attention(MatrixView<const __half> q, MatrixView<const __half> k, MatrixView<const __half> v,
               MatrixView<__half> out, cudaStream_t stream) {
  require_same_shape(q, "Q", out, "out");
  require_same_shape(k, "K", v, "V");
  require(q.cols == k.cols && q.cols % D == 0,
          {"Q is ", shape_part(q), ", K is ", shape_part(k),
           "; expected equally many columns, a multiple of 64"});

  const dim3 grid(ceil_div(q.rows, QUERIES), q.cols / D);
  attention_kernel<<<grid, THREADS, 0, stream>>>(q, k, v, out);
  check_launch();
}
//> void attention(MatrixView<const __half> q, MatrixView<const __half> k,
//>                MatrixView<const __half> v, MatrixView<__half> out, cudaStream_t stream) {
//>   // TODO: All of it. The contract, with the target, is in attention.hpp of the chapter.
//> }
//! [blank-attention]

}  // namespace tut::ch16
