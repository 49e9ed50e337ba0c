/// \file
/// Exercises in the trainer's operations. Each file that is named after an exercise shows how its
/// solution is called there (use_...), and tries it beside the course's kernels (..._agrees).
#pragma once

#include <cuda_runtime.h>

#include "16_cnn_trainer/trainer/formats/fp32_kernels.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch16::mine {

using Matmul = void (*)(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream);

void use_conv2d_dilated(Kernels& kernels);
void use_conv2d_transposed(Kernels& kernels);
/// The gradient of a convolution's weights: im2col_nhwc, then matmul_transposed_a.
void use_im2col_nhwc(Kernels& kernels);
void use_linear_relu(Kernels& kernels);
/// A dense layer by one of the products C = AB.
void use_in_dense(Matmul product, Kernels& kernels);
/// A dense layer's gradients by one of these and matmul_transposed_a.
void use_in_dense_backward(Matmul product, Kernels& kernels);
void use_relu_bits(Kernels& kernels);
void use_smoothed_cross_entropy(Kernels& kernels);
void use_lion(Kernels& kernels);

bool matmul_transposed_a_agrees();
bool matmul_padded_agrees();
bool matmul_rectangular_agrees();
bool linear_relu_agrees();
bool im2col_nhwc_agrees();
bool conv2d_dilated_agrees();
bool conv2d_transposed_agrees();
bool relu_bits_agrees();
bool lion_agrees();
bool smoothed_cross_entropy_agrees();

}  // namespace tut::ch16::mine
