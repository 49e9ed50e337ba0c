/// \file
/// What follows a convolution, in one pass: bias, ReLU and max-pooling.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "tut/matrix/tensor_view.hpp"

namespace tut::ch14 {

/// Which element of a window of 2 x 2 its gradient goes to: 0 to 3 in row-major order, or none,
/// where the ReLU has cut the largest off.
enum class Winner : std::uint8_t { upper_left, upper_right, lower_left, lower_right, none };

/// out = max_pool(relu(in + bias)), with the same bits for float. in is read once, out is written
/// once, and nothing else moves but a byte for each window.
///
/// \param in       (N, C, H, W), device memory; read only; H and W are at least 2
/// \param bias     (C), device memory; read only
/// \param out      (N, C, H / 2, W / 2), rounded down, device memory; overwritten
/// \param winners  as many as out has elements, for the backward pass, device memory; overwritten;
///                 or none, if there will be no backward pass
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread a window; blocks of up to 256 columns and 256 threads.
///
/// **Cost**: for even W 21 bytes a window of float: 16 read, 5 written (4 without winners).
/// add_bias, relu and max_pool one after the other move 84.
///
/// **Source**: the definitions of the three.
void bias_relu_max_pool(TensorView<const float> in, const float* bias, TensorView<float> out,
                        std::span<Winner> winners, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void bias_relu_max_pool(TensorView<const __half> in, const float* bias, TensorView<__half> out,
                        std::span<Winner> winners, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void bias_relu_max_pool(TensorView<const __nv_bfloat16> in, const float* bias,
                        TensorView<__nv_bfloat16> out, std::span<Winner> winners,
                        cudaStream_t stream = nullptr);

/// Device memory in which the blocks of bias_relu_max_pool_backward add up d_bias. Calls that may
/// run at the same time need separate memory.
struct BiasSums {
  float* partial = nullptr;      ///< bias_sums_size(C) floats; overwritten
  unsigned* finished = nullptr;  ///< C counters, 0; they are 0 again when the work is done
};

/// The number of blocks that the kernel aims at where the device has many multiprocessors, if there
/// are enough windows.
inline constexpr int BIAS_BLOCKS = 512;

/// How many floats BiasSums::partial needs for this number of channels.
constexpr std::size_t bias_sums_size(int channels) {
  return static_cast<std::size_t>(BIAS_BLOCKS) + static_cast<std::size_t>(channels);
}

/// Given the gradient of a loss with respect to bias_relu_max_pool's output, computes those with
/// respect to its input and its bias:
///
///     d_in   = d_out at each window's winner, 0 elsewhere
///     d_bias = sum over n, y, x of d_out where the window has a winner
///
/// \param winners  what bias_relu_max_pool left there; read only
/// \param d_out    (N, C, H / 2, W / 2), rounded down, device memory; read only
/// \param d_in     (N, C, H, W), device memory; overwritten
/// \param d_bias   (C), device memory; overwritten; a null pointer if it is not wanted
/// \param sums     memory for d_bias's sums; none is needed without it
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails.
///
/// **Launch**: grid (C, slices of a channel), about 4 blocks of 256 threads for each
/// multiprocessor, and at most about 512, if there are windows for them; a thread has two
/// neighbouring windows where W is a multiple of 4 and the tensors begin at multiples of four
/// elements. The last block of a channel adds up its slices, in an order that depends on the shape,
/// on where the tensors begin and on how many multiprocessors the device has, alone. Where a side
/// is odd, d_in is set to 0 before.
///
/// **Cost**: for even W 21 bytes a window of float (5 read, 16 written). max_pool_backward,
/// relu_backward and bias_backward one after the other move 100.
///
/// **Source**: the chain rule; chapter 08 for the last block.
void bias_relu_max_pool_backward(std::span<const Winner> winners, TensorView<const float> d_out,
                                 TensorView<float> d_in, float* d_bias, const BiasSums& sums = {},
                                 cudaStream_t stream = nullptr);
/// The same for this type of elements.
void bias_relu_max_pool_backward(std::span<const Winner> winners, TensorView<const __half> d_out,
                                 TensorView<__half> d_in, float* d_bias, const BiasSums& sums = {},
                                 cudaStream_t stream = nullptr);
/// The same for this type of elements.
void bias_relu_max_pool_backward(std::span<const Winner> winners,
                                 TensorView<const __nv_bfloat16> d_out,
                                 TensorView<__nv_bfloat16> d_in, float* d_bias,
                                 const BiasSums& sums = {}, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
