/// \file
/// Contract of the exercise relu_bits: a ReLU that remembers one bit an element for its gradient.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

namespace tut::ch14 {

/// out[i] = max(in[i], 0), and bit i % 32 of bits[i / 32] says whether in[i] is above 0. Bits past
/// the end are 0. A NaN stays a NaN; its bit is 0.
///
/// The gradient needs no more than that bit: one word for 32 elements in place of 128 bytes that
/// would have to be kept, and read again, for the backward pass.
///
/// \param in      device memory; read only
/// \param out     as long as `in`, device memory; overwritten; may be `in` itself
/// \param bits    ⌈size/32⌉ words, device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: at most 10⁹ elements. bits overlaps no other argument.
///
/// Errors: `std::invalid_argument` if the lengths do not fit or are 0; `tut::CudaError` if the
/// launch fails.
///
/// **Launch**: a warp for 1024 elements, 32 at a time; grid ⌈size/8192⌉, block 256. Lane k keeps
/// the k-th word, so that the warp writes its 32 words in one request.
///
/// **Cost**: 8.125 bytes an element: 4 read, 4.125 written.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Vote Functions".
void relu_bits(std::span<const float> in, std::span<float> out, std::span<std::uint32_t> bits,
               cudaStream_t stream = nullptr);

/// Given the gradient of a loss with respect to relu_bits's output, computes the gradient with
/// respect to its input: d_in[i] = d_out[i] where the bit is 1, and 0 elsewhere, also where
/// d_out[i] is infinite or NaN.
///
/// \param bits    what relu_bits left there; read only
/// \param d_out   device memory; read only
/// \param d_in    as long as `d_out`, device memory; overwritten; may be `d_out` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: at most 10⁹ elements. bits overlaps no other argument.
///
/// Errors: `std::invalid_argument` if the lengths do not fit or are 0; `tut::CudaError` if the
/// launch fails.
///
/// **Launch**: as relu_bits. Lane k fetches the k-th word, and hands it round when its turn comes.
///
/// **Cost**: 8.125 bytes an element: 4.125 read, 4 written. relu_backward moves 12.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Shuffle Functions".
void relu_bits_backward(std::span<const std::uint32_t> bits, std::span<const float> d_out,
                        std::span<float> d_in, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
