/// \file
/// cuDNN's convolutions, the rival in the benchmark and one more judge in the tests. Part of builds
/// where CMake finds cuDNN.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "13_convolution/convolution_shape.hpp"

namespace tut::ch13 {

/// The layout and type of a cuDNN convolution: FP32 in NCHW without TF32, or half in NHWC with sums
/// in FP32.
enum class CudnnKind { fp32, half };

/// One convolution by cuDNN, which has tried its algorithms for these sizes and taken the fastest
/// that fits into 256 MiB of workspace. Pointers are to float or __half, in device memory; the bias
/// is not added. Throws std::runtime_error with cuDNN's text.
class CudnnConvolution {
 public:
  CudnnConvolution(const ConvolutionShape& shape, CudnnKind kind);
  ~CudnnConvolution();

  void forward(const void* in, const void* weights, void* out, cudaStream_t stream = nullptr);
  void backward_input(const void* d_out, const void* weights, void* d_in,
                      cudaStream_t stream = nullptr);
  void backward_weights(const void* in, const void* d_out, void* d_weights,
                        cudaStream_t stream = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tut::ch13
