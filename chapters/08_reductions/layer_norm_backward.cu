#include "08_reductions/layer_norm.hpp"
#include "08_reductions/norm_support.hpp"
#include "08_reductions/rms_norm.hpp"
#include "08_reductions/row_part.cuh"
#include "08_reductions/sum_partial_columns.hpp"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch08 {
namespace {

/// What the gradients are computed from. RMS norm has no mean.
struct NormGradientInputs {
  MatrixView<const float> in, d_out;
  const float *scale, *mean, *inverse;
};

// A block does every gridDim.x-th row, and sums over these rows for each column: into shared
// memory, where a thread adds to the columns of its own part alone. CENTRED: layer norm; otherwise
// RMS norm.
template <bool CENTRED, class Part>
__global__ void __launch_bounds__(Part::THREADS)
    norm_backward_kernel(NormGradientInputs inputs, MatrixView<float> d_in, float* partial) {
  constexpr int WIDTH = Part::WIDTH, SUMS = CENTRED ? 2 : 1;
  extern __shared__ float4 memory[];
  const int t = threadIdx.x;
  const int cols = d_in.cols;
  const float per_column = 1.0f / static_cast<float>(cols);
  float* d_scale = reinterpret_cast<float*>(memory);
  float* d_shift = d_scale + (SUMS - 1) * cols;

  const float zeros[WIDTH] = {};
  Part::each_group(cols, t, [&](int col, int) {
    store_group(d_scale + col, zeros);
    if constexpr (CENTRED) store_group(d_shift + col, zeros);
  });

  for (int row = blockIdx.x; row < d_in.rows; row += gridDim.x) {
    Part x, g;  // of this row: in, then x'; d_out, then g
    x.load(&inputs.in(row, 0), cols, t, 0.0f);
    g.load(&inputs.d_out(row, 0), cols, t, 0.0f);
    const float mean = CENTRED ? inputs.mean[row] : 0.0f;
    const float inverse = inputs.inverse[row];

    Sums sums{0.0f, 0.0f};  // of g, of g x'
    Part::each_group(cols, t, [&](int col, int group) {
      float scale[WIDTH], scale_sum[WIDTH], shift_sum[WIDTH] = {};
      load_group(inputs.scale + col, scale);
      load_group(d_scale + col, scale_sum);
      if constexpr (CENTRED) load_group(d_shift + col, shift_sum);
      for (int i = 0; i < WIDTH; ++i) {
        float &x_i = x.values[group][i], &g_i = g.values[group][i];
        x_i = (x_i - mean) * inverse;
        scale_sum[i] += g_i * x_i;
        shift_sum[i] += g_i;
        g_i *= scale[i];
        sums.first += g_i;
        sums.second += g_i * x_i;
      }
      store_group(d_scale + col, scale_sum);
      if constexpr (CENTRED) store_group(d_shift + col, shift_sum);
    });
    sums = block_reduce<Part::THREADS>(sums, AddSums());

    const float mean_g = CENTRED ? sums.first * per_column : 0.0f;
    const float mean_gx = sums.second * per_column;
    Part::each_group(cols, t, [&](int, int group) {
      for (int i = 0; i < WIDTH; ++i) {
        float& g_i = g.values[group][i];
        g_i = inverse * (g_i - mean_g - x.values[group][i] * mean_gx);
      }
    });
    g.store(&d_in(row, 0), cols, t);
  }

  float* sums_of_block = partial + std::int64_t{blockIdx.x} * SUMS * cols;
  Part::each_group(cols, t, [&](int col, int) {
    float values[WIDTH];
    load_group(d_scale + col, values);
    store_group(sums_of_block + col, values);
    if constexpr (CENTRED) {
      load_group(d_shift + col, values);
      store_group(sums_of_block + cols + col, values);
    }
  });
}

/// The part of a row that a thread of the gradients has: two of them must fit into its registers.
template <class Launch>
void with_gradient_part(int cols, bool wide, Launch launch) {
  const auto take = [&](auto four, auto one) { wide ? launch(four) : launch(one); };
  if (cols <= 1024) {
    take(std::type_identity<RowPart<128, 4, 2>>(), std::type_identity<RowPart<128, 1, 8>>());
  } else if (cols <= 4096) {
    take(std::type_identity<RowPart<256, 4, 4>>(), std::type_identity<RowPart<256, 1, 16>>());
  } else {
    take(std::type_identity<RowPart<512, 4, 8>>(), std::type_identity<RowPart<512, 1, 32>>());
  }
}

template <bool CENTRED>
void launch_norm_backward(const NormGradientInputs& inputs, MatrixView<float> d_in, float* d_scale,
                          float* d_shift, std::span<float> scratch, cudaStream_t stream) {
  constexpr int SUMS = CENTRED ? 2 : 1;
  const int blocks = norm_backward_blocks(d_in.rows), width = SUMS * d_in.cols;
  const bool wide = has_rows_of_float4(inputs.in) && has_rows_of_float4(inputs.d_out) &&
                    has_rows_of_float4(d_in) && is_float4_aligned(inputs.scale) &&
                    is_float4_aligned(scratch.data());
  const auto bytes = sizeof(float) * static_cast<std::size_t>(width);
  with_gradient_part(d_in.cols, wide, [&]<class Part>(std::type_identity<Part>) {
    const auto kernel = norm_backward_kernel<CENTRED, Part>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)));
    kernel<<<static_cast<unsigned>(blocks), Part::THREADS, bytes, stream>>>(inputs, d_in,
                                                                            scratch.data());
  });
  check_launch();
  sum_partial_columns({scratch.data(), blocks, width, width}, d_in.cols, d_scale, d_shift, stream);
}

void require_gradients(const NormGradientInputs& inputs, std::span<const float> scale,
                       std::span<const float> inverse, MatrixView<float> d_in,
                       std::span<float> d_scale, std::size_t scratch, std::size_t expected) {
  require_norm_rows(inputs.in, "in", inputs.d_out, "d_out");
  require_same_shape(inputs.in, "in", d_in, "d_in");
  require_values(scale, "scale", d_in.cols, "a row of in");
  require_values(inverse, "what was found of the rows", d_in.rows, "a column of in");
  require_values(d_scale, "d_scale", d_in.cols, "a row of in");
  require(scratch >= expected, {"the scratch memory has ", scratch, " elements; expected at least ",
                                expected, " for gradients of ", shape_part(d_in)});
}

}  // namespace

void layer_norm_backward(MatrixView<const float> in, MatrixView<const float> d_out,
                         std::span<const float> scale, std::span<const float> mean,
                         std::span<const float> inverse_deviation, MatrixView<float> d_in,
                         std::span<float> d_scale, std::span<float> d_shift,
                         std::span<float> scratch, cudaStream_t stream) {
  const NormGradientInputs inputs{in, d_out, scale.data(), mean.data(), inverse_deviation.data()};
  require_gradients(inputs, scale, inverse_deviation, d_in, d_scale, scratch.size(),
                    layer_norm_backward_scratch(in.rows, in.cols));
  require_values(mean, "mean", in.rows, "a column of in");
  require_values(d_shift, "d_shift", in.cols, "a row of in");
  launch_norm_backward<true>(inputs, d_in, d_scale.data(), d_shift.data(), scratch, stream);
}

void rms_norm_backward(MatrixView<const float> in, MatrixView<const float> d_out,
                       std::span<const float> scale, std::span<const float> inverse_rms,
                       MatrixView<float> d_in, std::span<float> d_scale, std::span<float> scratch,
                       cudaStream_t stream) {
  const NormGradientInputs inputs{in, d_out, scale.data(), nullptr, inverse_rms.data()};
  require_gradients(inputs, scale, inverse_rms, d_in, d_scale, scratch.size(),
                    rms_norm_backward_scratch(in.rows, in.cols));
  launch_norm_backward<false>(inputs, d_in, d_scale.data(), nullptr, scratch, stream);
}

}  // namespace tut::ch08
