#pragma once

#include <string>
#include <vector>

#include "13_convolution/convolution_shape.hpp"
#include "guarded_device.hpp"

/// The definition of a convolution in double, and what the tests of the chapter share.
namespace tut::test {

using ch13::ConvolutionShape;

inline std::string text_of(const ConvolutionShape& s) {
  return std::to_string(s.n) + " images (" + std::to_string(s.c) + ", " + std::to_string(s.h) +
         ", " + std::to_string(s.w) + "), " + std::to_string(s.k) + " filters of side " +
         std::to_string(s.f) + ", padding " + std::to_string(s.padding) + ", stride " +
         std::to_string(s.stride);
}

template <class T>
TensorView<T> in_view(const ConvolutionShape& s, T* data) {
  return {data, s.n, s.c, s.h, s.w};
}
template <class T>
TensorView<T> weights_view(const ConvolutionShape& s, T* data) {
  return {data, s.k, s.c, s.f, s.f};
}
template <class T>
TensorView<T> out_view(const ConvolutionShape& s, T* data) {
  return {data, s.n, s.k, s.out_h(), s.out_w()};
}
inline ch13::Conv2dOptions options_of(const ConvolutionShape& s) { return {s.padding, s.stride}; }

/// Every product that the definition adds up, as visit(index in out, index in in, index in
/// weights), for tensors in NCHW order. Written without the chapter's index maps: it judges them.
template <class Visit>
void for_each_product(const ConvolutionShape& s, const Visit& visit) {
  const int out_h = s.out_h(), out_w = s.out_w();
  for (int n = 0; n < s.n; ++n)
    for (int k = 0; k < s.k; ++k)
      for (int c = 0; c < s.c; ++c)
        for (int i = 0; i < s.f; ++i)
          for (int j = 0; j < s.f; ++j)
            for (int y = 0; y < out_h; ++y)
              for (int x = 0; x < out_w; ++x) {
                const int in_y = y * s.stride + i - s.padding, in_x = x * s.stride + j - s.padding;
                if (in_y < 0 || in_y >= s.h || in_x < 0 || in_x >= s.w) continue;
                visit(static_cast<std::size_t>(((n * s.k + k) * out_h + y) * out_w + x),
                      static_cast<std::size_t>(((n * s.c + c) * s.h + in_y) * s.w + in_x),
                      static_cast<std::size_t>(((k * s.c + c) * s.f + i) * s.f + j));
              }
}

/// Random inputs of a convolution and of its gradients, NCHW, on the host.
struct ConvolutionInputs {
  explicit ConvolutionInputs(const ConvolutionShape& s)
      : in(random_values(static_cast<std::size_t>(s.in_size()), 1)),
        weights(random_values(static_cast<std::size_t>(s.weights_size()), 2)),
        bias(random_values(static_cast<std::size_t>(s.k), 3)),
        d_out(random_values(static_cast<std::size_t>(s.out_size()), 4)) {}
  std::vector<float> in, weights, bias, d_out;
};

/// What conv2d must compute.
inline std::vector<Sum> forward_sums(const ConvolutionShape& s, const ConvolutionInputs& host) {
  std::vector<Sum> sums(static_cast<std::size_t>(s.out_size()));
  const std::size_t area = sums.size() / static_cast<std::size_t>(s.n * s.k);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i].add(host.bias[i / area % static_cast<std::size_t>(s.k)]);
  }
  for_each_product(s, [&](std::size_t out, std::size_t in, std::size_t weight) {
    sums[out].add(double{host.in[in]} * host.weights[weight]);
  });
  return sums;
}

inline std::vector<Sum> input_gradient_sums(const ConvolutionShape& s,
                                            const ConvolutionInputs& host) {
  std::vector<Sum> sums(static_cast<std::size_t>(s.in_size()));
  for_each_product(s, [&](std::size_t out, std::size_t in, std::size_t weight) {
    sums[in].add(double{host.d_out[out]} * host.weights[weight]);
  });
  return sums;
}

inline std::vector<Sum> weight_gradient_sums(const ConvolutionShape& s,
                                             const ConvolutionInputs& host) {
  std::vector<Sum> sums(static_cast<std::size_t>(s.weights_size()));
  for_each_product(s, [&](std::size_t out, std::size_t in, std::size_t weight) {
    sums[weight].add(double{host.d_out[out]} * host.in[in]);
  });
  return sums;
}

inline std::vector<Sum> bias_gradient_sums(const ConvolutionShape& s,
                                           const ConvolutionInputs& host) {
  std::vector<Sum> sums(static_cast<std::size_t>(s.k));
  const std::size_t area = static_cast<std::size_t>(s.out_h() * s.out_w());
  for (std::size_t i = 0; i < host.d_out.size(); ++i) {
    sums[i / area % sums.size()].add(host.d_out[i]);
  }
  return sums;
}

inline std::string error_of(const auto& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tut::test
