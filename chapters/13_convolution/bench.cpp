// The layers of chapter 16's networks by every way of this chapter and, where it is, by cuDNN:
// forward, and both gradients.

#include "tut/bench.hpp"

#include <cuda_fp16.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "13_convolution/conv2d_direct.hpp"
#include "13_convolution/conv2d_im2col.hpp"
#include "13_convolution/conv2d_implicit.hpp"
#include "13_convolution/conv2d_implicit_backward_input.hpp"
#include "13_convolution/conv2d_implicit_backward_weights.hpp"
#include "13_convolution/conv2d_wmma.hpp"
#include "13_convolution/conv2d_wmma_backward_input.hpp"
#include "13_convolution/conv2d_wmma_backward_weights.hpp"
#include "13_convolution/convert_layout.hpp"
#include "tut/backend.hpp"
#include "tut/device_buffer.hpp"
#include "tut/precision_cuda.hpp"
#include "tut/random.hpp"
#ifdef TUT_HAS_CUDNN
#include "13_convolution/cudnn_conv2d.hpp"
#endif

namespace tut::ch13 {
namespace {

using Buffer = DeviceBuffer<float>;
using Halves = DeviceBuffer<__half>;

/// All tensors of a layer once, in FP32 (NCHW) and half (NHWC).
struct Tensors {
  explicit Tensors(const ConvolutionShape& s)
      : in(random(s.in_size(), 1)),
        weights(random(s.weights_size(), 2)),
        bias(random(s.k, 3)),
        d_out(random(s.out_size(), 4)),
        out(d_out.size()),
        d_in(in.size()),
        d_weights(weights.size()),
        d_bias(bias.size()),
        half_in(in.size()),
        half_weights(weights.size()),
        half_d_out(d_out.size()),
        half_out(d_out.size()),
        half_d_in(in.size()),
        half_d_weights(weights.size()) {
    nchw_to_nhwc<__half>({in.data(), s.n, s.c, s.h, s.w}, {half_in.data(), s.n, s.h, s.w, s.c});
    nchw_to_nhwc<__half>({weights.data(), s.k, s.c, s.f, s.f},
                         {half_weights.data(), s.k, s.f, s.f, s.c});
    nchw_to_nhwc<__half>({d_out.data(), s.n, s.k, s.out_h(), s.out_w()},
                         {half_d_out.data(), s.n, s.out_h(), s.out_w(), s.k});
  }
  static Buffer random(std::int64_t size, std::uint64_t seed) {
    std::vector<float> values(static_cast<std::size_t>(size));
    fill_uniform(values, seed);
    return Buffer(values);
  }
  Buffer in, weights, bias, d_out, out, d_in, d_weights, d_bias;
  Halves half_in, half_weights, half_d_out, half_out, half_d_in, half_d_weights;
};

/// A layer with as many copies of its tensors as the rotation takes, and scratch memory for all
/// ways.
struct Layer {
  explicit Layer(const ConvolutionShape& shape) : s(shape) {
    const auto bytes = static_cast<std::size_t>(4 * (s.in_size() + s.out_size()));
    for (int i = 0; i < rotation_count(bytes); ++i) tensors.emplace_back(s);
    const Tensors& t = tensors[0];
    scratch = Buffer(
        std::max({conv2d_im2col_scratch(s), conv2d_backward_input_scratch(d_out(t), weights(t)),
                  conv2d_backward_weights_scratch(d_out(t), d_weights(t)),
                  conv2d_implicit_backward_weights_scratch(d_out(t), d_weights(t)),
                  conv2d_wmma_backward_weights_scratch(half_d_weights(t), s.out_pixels())}));
  }
  Conv2dOptions options() const { return {s.padding, s.stride}; }
  std::span<float> memory() const { return {scratch.data(), scratch.size()}; }
  TensorView<const float> in(const Tensors& t) const { return {t.in.data(), s.n, s.c, s.h, s.w}; }
  TensorView<float> d_in(const Tensors& t) const { return {t.d_in.data(), s.n, s.c, s.h, s.w}; }
  TensorView<const float> weights(const Tensors& t) const {
    return {t.weights.data(), s.k, s.c, s.f, s.f};
  }
  TensorView<float> d_weights(const Tensors& t) const {
    return {t.d_weights.data(), s.k, s.c, s.f, s.f};
  }
  TensorView<float> out(const Tensors& t) const {
    return {t.out.data(), s.n, s.k, s.out_h(), s.out_w()};
  }
  TensorView<const float> d_out(const Tensors& t) const {
    return {t.d_out.data(), s.n, s.k, s.out_h(), s.out_w()};
  }
  template <class T>
  NhwcView<T> nhwc_in(T* data) const {
    return {data, s.n, s.h, s.w, s.c};
  }
  template <class T>
  NhwcView<T> nhwc_weights(T* data) const {
    return {data, s.k, s.f, s.f, s.c};
  }
  template <class T>
  NhwcView<T> nhwc_out(T* data) const {
    return {data, s.n, s.out_h(), s.out_w(), s.k};
  }
  NhwcView<float> half_d_weights(const Tensors& t) const {
    return nhwc_weights(t.d_weights.data());
  }

  ConvolutionShape s;
  std::vector<Tensors> tensors;
  Buffer scratch;
};

/// The layer that was asked for last is kept: rivals share it.
std::shared_ptr<Layer> layer_of(const ConvolutionShape& s) {
  static std::shared_ptr<Layer> kept;
  const auto same = [](const ConvolutionShape& a, const ConvolutionShape& b) {
    return a.n == b.n && a.c == b.c && a.h == b.h && a.k == b.k && a.f == b.f;
  };
  if (kept == nullptr || !same(kept->s, s)) {
    kept.reset();
    kept = std::make_shared<Layer>(s);
  }
  return kept;
}

using Run = std::function<void(const Layer&, const Tensors&, cudaStream_t)>;

struct Way {
  std::string name;
  Run run;
  bool emulated = false;  ///< takes long on the CPU backend
};

std::vector<Way> ways() {
  return {
      {"forward/conv2d_direct",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_direct(l.in(t), l.weights(t), t.bias.data(), l.out(t), l.options(), stream);
       },
       true},
      {"forward/conv2d_im2col",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_im2col(l.in(t), l.weights(t), t.bias.data(), l.out(t), l.memory(), l.options(),
                       stream);
       }},
      {"forward/conv2d_implicit",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_implicit(l.in(t), l.weights(t), t.bias.data(), l.out(t), l.options(), stream);
       },
       true},
      {"forward/conv2d",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d(l.in(t), l.weights(t), t.bias.data(), l.out(t), l.options(), stream);
       }},
      {"forward/conv2d_wmma",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_wmma<__half, __half>(l.nhwc_in<const __half>(t.half_in.data()),
                                     l.nhwc_weights<const __half>(t.half_weights.data()),
                                     t.bias.data(), l.nhwc_out(t.half_out.data()), l.options(),
                                     stream);
       },
       true},
      {"backward_input/conv2d_implicit",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_implicit_backward_input(l.d_out(t), l.weights(t), l.d_in(t), l.options(), stream);
       },
       true},
      {"backward_input/conv2d",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_backward_input(l.d_out(t), l.weights(t), l.d_in(t), l.memory(), l.options(),
                               stream);
       }},
      {"backward_input/conv2d_wmma",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_wmma_backward_input<__half, __half>(
             l.nhwc_out<const __half>(t.half_d_out.data()),
             l.nhwc_weights<const __half>(t.half_weights.data()), l.nhwc_in(t.half_d_in.data()),
             l.options(), stream);
       },
       true},
      {"backward_weights/conv2d_implicit",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_implicit_backward_weights(l.in(t), l.d_out(t), l.d_weights(t), l.memory(),
                                          l.options(), stream);
       },
       true},
      {"backward_weights/conv2d",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_backward_weights(l.in(t), l.d_out(t), l.d_weights(t), t.d_bias.data(), l.memory(),
                                 l.options(), stream);
       }},
      {"backward_weights/conv2d_wmma",
       [](const Layer& l, const Tensors& t, cudaStream_t stream) {
         conv2d_wmma_backward_weights<__half>(l.nhwc_in<const __half>(t.half_in.data()),
                                              l.nhwc_out<const __half>(t.half_d_out.data()),
                                              l.half_d_weights(t), t.d_bias.data(), l.memory(),
                                              l.options(), stream);
       },
       true},
  };
}

#ifdef TUT_HAS_CUDNN
/// cuDNN's three, in one of its kinds. Its convolution is made for the layer when it is first asked
/// for.
std::vector<Way> cudnn_ways(CudnnKind kind) {
  const bool half = kind == CudnnKind::half;
  const std::string name = half ? "cudnn_half" : "cudnn";
  const auto convolution = [kind](const Layer& l) -> CudnnConvolution& {
    static std::unique_ptr<CudnnConvolution> kept[2];
    static const Layer* kept_for[2] = {};
    const int i = kind == CudnnKind::half;
    if (kept_for[i] != &l) kept[i] = std::make_unique<CudnnConvolution>(l.s, kind);
    kept_for[i] = &l;
    return *kept[i];
  };
  const auto pick = [half](const Buffer& single, const Halves& halves) -> void* {
    return half ? static_cast<void*>(halves.data()) : single.data();
  };
  return {{"forward/" + name,
           [=](const Layer& l, const Tensors& t, cudaStream_t stream) {
             convolution(l).forward(pick(t.in, t.half_in), pick(t.weights, t.half_weights),
                                    pick(t.out, t.half_out), stream);
           }},
          {"backward_input/" + name,
           [=](const Layer& l, const Tensors& t, cudaStream_t stream) {
             convolution(l).backward_input(pick(t.d_out, t.half_d_out),
                                           pick(t.weights, t.half_weights),
                                           pick(t.d_in, t.half_d_in), stream);
           }},
          {"backward_weights/" + name, [=](const Layer& l, const Tensors& t, cudaStream_t stream) {
             convolution(l).backward_weights(pick(t.in, t.half_in), pick(t.d_out, t.half_d_out),
                                             pick(t.d_weights, t.half_d_weights), stream);
           }}};
}
#endif

void add(const Way& way, const ConvolutionShape& s) {
  const std::string name = way.name + "/" + std::to_string(s.c) + "x" + std::to_string(s.h) + "x" +
                           std::to_string(s.w) + "_" + std::to_string(s.k) + "_filters_" +
                           std::to_string(s.f) + "x" + std::to_string(s.f);
  benchmark::RegisterBenchmark(
      name.c_str(),
      [way, s](benchmark::State& state) {
        const auto layer = layer_of(s);
        const auto run = [&](std::int64_t i, cudaStream_t stream) {
          const auto copies = layer->tensors.size();
          way.run(*layer, layer->tensors[static_cast<std::size_t>(i) % copies], stream);
        };
        measure_device(state, {.flops = s.flops(), .bytes = 0}, run);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

[[maybe_unused]] const bool registered = [] {
  constexpr int BATCH = 64;
  std::vector<Way> all = ways();
#ifdef TUT_HAS_CUDNN
  for (const CudnnKind kind : {CudnnKind::fp32, CudnnKind::half}) {
    for (const Way& way : cudnn_ways(kind)) all.push_back(way);
  }
#endif
  for (const ConvolutionShape& s :
       {ConvolutionShape{BATCH, 1, 28, 28, 8, 5}, ConvolutionShape{BATCH, 8, 12, 12, 16, 5},
        ConvolutionShape{BATCH, 1, 28, 28, 32, 3}, ConvolutionShape{BATCH, 32, 26, 26, 64, 3}}) {
    for (const Way& way : all) {
      const bool is_first = s.c == 1 && way.name.starts_with("backward_input");  // nobody needs it
      if (is_first || (on_cpu_backend && way.emulated)) continue;
      add(way, s);
    }
  }
  return true;
}();

}  // namespace
}  // namespace tut::ch13
