#include "08_reductions/layer_norm.hpp"

#include "08_reductions/norm_support.hpp"
#include "08_reductions/rms_norm.hpp"
#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch08 {
namespace {

/// What belongs to the columns, and what is found of the rows. RMS norm has no shift and no mean.
struct NormVectors {
  const float *scale, *shift;
  float *mean, *inverse;
};

// CENTRED: layer norm; otherwise RMS norm.
template <bool CENTRED, class Part>
__global__ void __launch_bounds__(row_block_threads<Part>())
    norm_kernel(MatrixView<const float> in, NormVectors vectors, MatrixView<float> out,
                float epsilon) {
  const int t = threadIdx.x;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= in.rows) return;  // a whole warp
  const auto count = static_cast<float>(in.cols);

  //! [statistics]
  Part part;
  part.load(&in(row, 0), in.cols, t, 0.0f);

  float mean = 0.0f;
  if constexpr (CENTRED) {
    float sum = 0.0f;
    part.each(t, [&](int, float& value) { sum += value; });
    mean = block_reduce<Part::THREADS>(sum, Add()) / count;
  }
  // The row is at hand: a second look at it costs no bytes. From here on its values are distances.
  float squares = 0.0f;
  part.each(t, [&](int col, float& value) {
    value = col < in.cols ? value - mean : 0.0f;
    squares += value * value;
  });
  squares = block_reduce<Part::THREADS>(squares, Add());
  const float inverse = 1.0f / sqrtf(squares / count + epsilon);
  //! [statistics]

  // Each group is stored before the next one's scale is read: otherwise the compiler would read all
  // of them ahead, into registers that hold the row.
  float* to = &out(row, 0);
  Part::each_group(in.cols, t, [&](int col, int group) {
    float(&values)[Part::WIDTH] = part.values[group];
    float scale[Part::WIDTH], shift[Part::WIDTH] = {};
    load_group(vectors.scale + col, scale);
    if constexpr (CENTRED) load_group(vectors.shift + col, shift);
    for (int i = 0; i < Part::WIDTH; ++i) {
      values[i] = values[i] * inverse * scale[i] + shift[i];
    }
    store_group(to + col, values);
  });
  if (t == 0) {
    if constexpr (CENTRED) vectors.mean[row] = mean;
    vectors.inverse[row] = inverse;
  }
}

template <bool CENTRED>
void launch_norm(MatrixView<const float> in, const NormVectors& vectors, MatrixView<float> out,
                 float epsilon, cudaStream_t stream) {
  require_norm_rows(in, "in", out, "out");
  require(epsilon > 0.0f, {"epsilon is ", epsilon, "; expected a number above 0"});
  const bool wide = has_rows_of_float4(in) && has_rows_of_float4(out) &&
                    is_float4_aligned(vectors.scale) && is_float4_aligned(vectors.shift);
  with_row_part(in.cols, wide, [&]<class Part>(std::type_identity<Part>) {
    norm_kernel<CENTRED, Part>
        <<<row_grid<Part>(in.rows), row_block<Part>(), 0, stream>>>(in, vectors, out, epsilon);
  });
  check_launch();
}

}  // namespace

void layer_norm(MatrixView<const float> in, std::span<const float> scale,
                std::span<const float> shift, MatrixView<float> out, std::span<float> mean,
                std::span<float> inverse_deviation, float epsilon, cudaStream_t stream) {
  require_values(scale, "scale", in.cols, "a row of in");
  require_values(shift, "shift", in.cols, "a row of in");
  require_values(mean, "mean", in.rows, "a column of in");
  require_values(inverse_deviation, "inverse_deviation", in.rows, "a column of in");
  launch_norm<true>(in, {scale.data(), shift.data(), mean.data(), inverse_deviation.data()}, out,
                    epsilon, stream);
}

void rms_norm(MatrixView<const float> in, std::span<const float> scale, MatrixView<float> out,
              std::span<float> inverse_rms, float epsilon, cudaStream_t stream) {
  require_values(scale, "scale", in.cols, "a row of in");
  require_values(inverse_rms, "inverse_rms", in.rows, "a column of in");
  launch_norm<false>(in, {scale.data(), nullptr, nullptr, inverse_rms.data()}, out, epsilon,
                     stream);
}

}  // namespace tut::ch08
