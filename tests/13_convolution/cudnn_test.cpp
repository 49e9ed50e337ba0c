#include <doctest/doctest.h>

#include "13_convolution/conv2d_wmma.hpp"
#include "nhwc_case.hpp"
#ifdef TUT_HAS_CUDNN
#include "13_convolution/cudnn_conv2d.hpp"
#endif

// cuDNN and this chapter are held to the same bounds, but for one thing: in single precision cuDNN
// may choose Winograd's transforms, whose factors enlarge rounding errors (arXiv:1803.10986).
TEST_CASE("cuDNN computes the same convolutions") {
#ifdef TUT_HAS_CUDNN
  using namespace tut;
  using namespace tut::test;
  for (const ConvolutionShape& s :
       {ConvolutionShape{3, 8, 12, 12, 16, 5}, ConvolutionShape{2, 16, 9, 7, 8, 3, 1, 2}}) {
    CAPTURE(text_of(s));
    ConvolutionInputs host(s);
    host.bias.assign(host.bias.size(), 0.0f);
    round_factors<__half>(host);
    const GuardedDevice in(host.in), weights(host.weights), d_out(host.d_out);
    const GuardedDevice out(host.d_out.size()), d_in(host.in.size());
    const GuardedDevice d_weights(host.weights.size());
    ch13::CudnnConvolution convolution(s, ch13::CudnnKind::fp32);
    convolution.forward(in.data(), weights.data(), out.data());
    convolution.backward_input(d_out.data(), weights.data(), d_in.data());
    convolution.backward_weights(in.data(), d_out.data(), d_weights.data());
    constexpr double transformed = 16;
    check_tensor_sums<float>(out.read(), forward_sums(s, host), transformed);
    check_tensor_sums<float>(d_in.read(), input_gradient_sums(s, host), transformed);
    check_tensor_sums<float>(d_weights.read(), weight_gradient_sums(s, host), transformed);

    const GuardedElements<__half> half_in(to_nhwc<__half>(host.in, s.c, s.h, s.w));
    const GuardedElements<__half> half_weights(to_nhwc<__half>(host.weights, s.c, s.f, s.f));
    const GuardedElements<__half> half_out(host.d_out.size());
    ch13::CudnnConvolution half(s, ch13::CudnnKind::half);
    half.forward(half_in.data(), half_weights.data(), half_out.data());
    check_tensor_sums<__half>(from_nhwc(half_out.read(), s.k, s.out_h(), s.out_w()),
                              forward_sums(s, host));
  }
#else
  MESSAGE("skipped: this build has no cuDNN");
#endif
}
