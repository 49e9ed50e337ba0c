/// \file
/// Contract of the exercise bias_leaky_relu: bias and leaky ReLU in one pass.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/tensor_view.hpp"

namespace tut::ch14 {

/// out(n, c, y, x) = leaky(in(n, c, y, x) + bias[c]), where leaky(v) = v for v above 0 and
/// slope * v for the rest. A NaN stays a NaN. Each element is right to 1e-6 of its size.
///
/// \param in      (N, C, H, W), device memory; read only
/// \param bias    (C), device memory; read only
/// \param slope   what is left of negative values; finite
/// \param out     (N, C, H, W), device memory; overwritten; may be `in` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: bias overlaps no output. N * C and H * W are at most 10⁹ each, so that offsets
/// need 64 bits.
///
/// Errors: `std::invalid_argument` if the shapes differ, a size is below 1 or `bias` is null;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: a row of 32 threads for each plane of H * W elements; grid ⌈NC/8⌉, block (32, 8).
///
/// **Cost**: 8 bytes an element, 4 a plane for the bias. A kernel for the bias and one for the
/// leaky ReLU would move 16.
///
/// **Source**: Maas, Hannun, Ng, "Rectifier nonlinearities improve neural network acoustic models"
/// (2013).
void bias_leaky_relu(TensorView<const float> in, const float* bias, float slope,
                     TensorView<float> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
