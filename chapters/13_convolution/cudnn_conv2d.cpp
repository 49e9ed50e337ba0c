#include "13_convolution/cudnn_conv2d.hpp"

#include <cudnn.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "13_convolution/cudnn_choice.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch13 {
namespace {

constexpr std::size_t kWorkspaceLimit = std::size_t{256} << 20;

void check(cudnnStatus_t status) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string("cuDNN: ") + cudnnGetErrorString(status));
}

}  // namespace

struct CudnnConvolution::State {
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t in = nullptr, out = nullptr;
  cudnnFilterDescriptor_t weights = nullptr;
  cudnnConvolutionDescriptor_t forward = nullptr, to_input = nullptr, to_weights = nullptr;
  cudnnConvolutionFwdAlgo_t forward_algorithm{};
  cudnnConvolutionBwdDataAlgo_t input_algorithm{};
  cudnnConvolutionBwdFilterAlgo_t weights_algorithm{};
  DeviceBuffer<unsigned char> workspace;

  ~State() {
    for (const auto descriptor : {forward, to_input, to_weights}) {
      if (descriptor != nullptr) cudnnDestroyConvolutionDescriptor(descriptor);
    }
    if (weights != nullptr) cudnnDestroyFilterDescriptor(weights);
    if (out != nullptr) cudnnDestroyTensorDescriptor(out);
    if (in != nullptr) cudnnDestroyTensorDescriptor(in);
    if (handle != nullptr) cudnnDestroy(handle);
  }

  void describe(const ConvolutionShape& s, CudnnKind kind) {
    const bool half = kind == CudnnKind::half;
    const auto type = half ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
    const auto layout = half ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    check(cudnnCreate(&handle));
    check(cudnnCreateTensorDescriptor(&in));
    check(cudnnCreateTensorDescriptor(&out));
    check(cudnnCreateFilterDescriptor(&weights));
    check(cudnnSetTensor4dDescriptor(in, layout, type, s.n, s.c, s.h, s.w));
    check(cudnnSetTensor4dDescriptor(out, layout, type, s.n, s.k, s.out_h(), s.out_w()));
    check(cudnnSetFilter4dDescriptor(weights, type, layout, s.k, s.c, s.f, s.f));
    for (auto* descriptor : {&forward, &to_input, &to_weights}) {
      check(cudnnCreateConvolutionDescriptor(descriptor));
      check(cudnnSetConvolution2dDescriptor(*descriptor, s.padding, s.padding, s.stride, s.stride,
                                            1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
      check(cudnnSetConvolutionMathType(*descriptor, half ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH));
    }
  }

  // Tries the algorithms. For FP32 cuDNN tries TF32 as well, whatever was asked for; for half all
  // its arithmetic adds up in FP32.
  void choose(CudnnKind kind) {
    std::vector<cudnnMathType_t> allowed = {CUDNN_FMA_MATH};
    if (kind == CudnnKind::half) {
      allowed = {CUDNN_TENSOR_OP_MATH, CUDNN_FMA_MATH, CUDNN_DEFAULT_MATH};
    }
    const auto fastest = [&](const auto& found, int tried) -> const auto& {
      const auto* best =
          fastest_of(std::span(found, tried), CUDNN_STATUS_SUCCESS, allowed, kWorkspaceLimit);
      if (best == nullptr) throw std::runtime_error("cuDNN has no algorithm for this convolution");
      return *best;
    };
    constexpr int kMany = 16;
    int count = 0;
    cudnnConvolutionFwdAlgoPerf_t f[kMany];
    check(
        cudnnFindConvolutionForwardAlgorithm(handle, in, weights, forward, out, kMany, &count, f));
    const auto& fwd = fastest(f, count);
    cudnnConvolutionBwdDataAlgoPerf_t d[kMany];
    check(cudnnFindConvolutionBackwardDataAlgorithm(handle, weights, out, to_input, in, kMany,
                                                    &count, d));
    const auto& data = fastest(d, count);
    cudnnConvolutionBwdFilterAlgoPerf_t w[kMany];
    check(cudnnFindConvolutionBackwardFilterAlgorithm(handle, in, out, to_weights, weights, kMany,
                                                      &count, w));
    const auto& filter = fastest(w, count);
    forward_algorithm = fwd.algo;
    input_algorithm = data.algo;
    weights_algorithm = filter.algo;
    check(cudnnSetConvolutionMathType(forward, fwd.mathType));
    check(cudnnSetConvolutionMathType(to_input, data.mathType));
    check(cudnnSetConvolutionMathType(to_weights, filter.mathType));
    workspace = DeviceBuffer<unsigned char>(std::max({fwd.memory, data.memory, filter.memory}));
  }
};

CudnnConvolution::CudnnConvolution(const ConvolutionShape& shape, CudnnKind kind)
    : state_(std::make_unique<State>()) {
  state_->describe(shape, kind);
  state_->choose(kind);
}
CudnnConvolution::~CudnnConvolution() = default;

void CudnnConvolution::forward(const void* in, const void* weights, void* out,
                               cudaStream_t stream) {
  const float one = 1.0f, zero = 0.0f;
  State& s = *state_;
  check(cudnnSetStream(s.handle, stream));
  check(cudnnConvolutionForward(s.handle, &one, s.in, in, s.weights, weights, s.forward,
                                s.forward_algorithm, s.workspace.data(), s.workspace.size(), &zero,
                                s.out, out));
}

void CudnnConvolution::backward_input(const void* d_out, const void* weights, void* d_in,
                                      cudaStream_t stream) {
  const float one = 1.0f, zero = 0.0f;
  State& s = *state_;
  check(cudnnSetStream(s.handle, stream));
  check(cudnnConvolutionBackwardData(s.handle, &one, s.weights, weights, s.out, d_out, s.to_input,
                                     s.input_algorithm, s.workspace.data(), s.workspace.size(),
                                     &zero, s.in, d_in));
}

void CudnnConvolution::backward_weights(const void* in, const void* d_out, void* d_weights,
                                        cudaStream_t stream) {
  const float one = 1.0f, zero = 0.0f;
  State& s = *state_;
  check(cudnnSetStream(s.handle, stream));
  check(cudnnConvolutionBackwardFilter(s.handle, &one, s.in, in, s.out, d_out, s.to_weights,
                                       s.weights_algorithm, s.workspace.data(), s.workspace.size(),
                                       &zero, s.weights, d_weights));
}

}  // namespace tut::ch13
