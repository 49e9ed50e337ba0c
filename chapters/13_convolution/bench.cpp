// The layers of chapter 16's networks by every way of this chapter and, where it is, by cuDNN:
// forward, and both gradients.

#include "tut/bench/bench.hpp"

#include <cuda_fp16.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "13_convolution/bench_layer.hpp"
#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_direct.hpp"
#include "13_convolution/conv2d_implicit.hpp"
#include "13_convolution/conv2d_implicit_backward_input.hpp"
#include "13_convolution/conv2d_wmma.hpp"
#include "13_convolution/conv2d_wmma_backward_input.hpp"
#include "tut/bench/counting.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/compute_capability.hpp"
#ifdef TUT_HAS_CUDNN
#include "13_convolution/cudnn_conv2d.hpp"
#endif

namespace tut::ch13 {
namespace {

/// Every layer that was asked for is kept: rivals share it, and their repetitions come in any
/// order.
Layer& layer_of(const ConvolutionShape& s) {
  static std::vector<std::unique_ptr<Layer>> kept;
  for (const auto& layer : kept) {
    const ConvolutionShape& known = layer->s;
    if (known.n == s.n && known.c == s.c && known.h == s.h && known.k == s.k && known.f == s.f) {
      return *layer;
    }
  }
  kept.push_back(std::make_unique<Layer>(s));
  return *kept.back();
}

using Run = std::function<void(const Layer&, const Tensors&, cudaStream_t)>;

/// Which numbers a way multiplies, and where its result lies.
struct Numbers {
  std::string arithmetic;
  double rounding;
  bool inner_channels;
  std::function<std::vector<float>(const Tensors&, Pass)> result;
};

struct Way {
  Pass pass;
  std::string name;
  Numbers numbers;
  Run run;
  bool rival = false;
  bool emulated = false;  ///< takes long on the CPU backend
};

/// The buffer that a pass writes, of tensors of any kind.
template <class Kind>
const auto& made_by(const Kind& tensors, Pass pass) {
  if (pass == Pass::forward) return tensors.out;
  return pass == Pass::backward_input ? tensors.d_in : tensors.d_weights;
}

template <class T>
std::vector<float> floats(const DeviceBuffer<T>& buffer) {
  const std::vector<T> values = buffer.to_host();
  std::vector<float> result;
  for (const T value : values) result.push_back(static_cast<float>(value));
  return result;
}

Numbers single() {
  return {"fp32", 0x1p-20, false,
          [](const Tensors& t, Pass pass) { return floats(made_by(t, pass)); }};
}

/// Tensor cores' T, channels innermost. This chapter's kernels sum the weights' gradient in FP32.
template <class T>
Numbers inner(bool gradient_in_fp32) {
  return {std::is_same_v<T, Tf32> ? "tf32" : "fp16", 0x1p-11, true,
          [=](const Tensors& t, Pass pass) {
            if (gradient_in_fp32 && pass == Pass::backward_weights) return floats(t.d_weights);
            return floats(made_by(t.of<T>(), pass));
          }};
}

std::vector<Way> forward() {
  return {{Pass::forward, "conv2d_direct", single(),
           [](const Layer& l, const Tensors& t, cudaStream_t stream) {
             conv2d_direct(l.in(t), l.weights(t), t.bias.data(), l.out(t), l.options(), stream);
           },
           false, true},
          {Pass::forward, "conv2d_im2col", single(),
           [](const Layer& l, const Tensors& t, cudaStream_t stream) {
             conv2d_im2col(l.in(t), l.weights(t), t.bias.data(), l.out(t), l.memory(), l.options(),
                           stream);
           }},
          {Pass::forward, "conv2d_implicit", single(),
           [](const Layer& l, const Tensors& t, cudaStream_t stream) {
             conv2d_implicit(l.in(t), l.weights(t), t.bias.data(), l.out(t), l.options(), stream);
           }},
          {Pass::forward, "conv2d", single(),
           [](const Layer& l, const Tensors& t, cudaStream_t stream) {
             conv2d(l.in(t), l.weights(t), t.bias.data(), l.out(t), l.options(), stream);
           }}};
}

std::vector<Way> backward_input() {
  return {{Pass::backward_input, "conv2d_implicit", single(),
           [](const Layer& l, const Tensors& t, cudaStream_t stream) {
             conv2d_implicit_backward_input(l.d_out(t), l.weights(t), l.d_in(t), l.options(),
                                            stream);
           },
           false, true},
          {Pass::backward_input, "conv2d", single(),
           [](const Layer& l, const Tensors& t, cudaStream_t stream) {
             conv2d_backward_input(l.d_out(t), l.weights(t), l.d_in(t), l.memory(), l.options(),
                                   stream);
           }}};
}

std::vector<Way> backward_weights() {
  return {{Pass::backward_weights, "conv2d_implicit", single(),
           [](const Layer& l, const Tensors& t, cudaStream_t stream) {
             conv2d_implicit_backward_weights(l.in(t), l.d_out(t), l.d_weights(t), l.memory(),
                                              l.options(), stream);
           },
           false, true},
          {Pass::backward_weights, "conv2d", single(),
           [](const Layer& l, const Tensors& t, cudaStream_t stream) {
             conv2d_backward_weights(l.in(t), l.d_out(t), l.d_weights(t), t.d_bias.data(), l.sums(),
                                     l.options(), stream);
           }}};
}

/// The three on tensor cores.
template <class T>
std::vector<Way> tensor_ways() {
  const Numbers numbers = inner<T>(true);
  const std::string name = std::is_same_v<T, Tf32> ? "conv2d_wmma in TF32" : "conv2d_wmma in half";
  return {{Pass::forward, name, numbers,
           [](const Layer& l, const Tensors& tensors, cudaStream_t stream) {
             const InnerChannels<T>& t = tensors.of<T>();
             conv2d_wmma<T, T>(l.nhwc_in<const T>(t.in.data()),
                               l.nhwc_weights<const T>(t.weights.data()), tensors.bias.data(),
                               l.nhwc_out(t.out.data()), l.options(), stream);
           },
           false, true},
          {Pass::backward_input, name, numbers,
           [](const Layer& l, const Tensors& tensors, cudaStream_t stream) {
             const InnerChannels<T>& t = tensors.of<T>();
             conv2d_wmma_backward_input<T, T>(l.nhwc_out<const T>(t.d_out.data()),
                                              l.nhwc_weights<const T>(t.weights.data()),
                                              l.nhwc_in(t.d_in.data()), l.options(), stream);
           },
           false, true},
          {Pass::backward_weights, name, numbers,
           [](const Layer& l, const Tensors& tensors, cudaStream_t stream) {
             const InnerChannels<T>& t = tensors.of<T>();
             conv2d_wmma_backward_weights<T>(
                 l.nhwc_in<const T>(t.in.data()), l.nhwc_out<const T>(t.d_out.data()),
                 l.nhwc_weights(tensors.d_weights.data()), tensors.d_bias.data(), l.memory(),
                 l.options(), stream);
           },
           false, true}};
}

#ifdef TUT_HAS_CUDNN
/// cuDNN's three, in one of its kinds. Its convolution is made for the layer when it is first asked
/// for.
std::vector<Way> cudnn_ways(CudnnKind kind) {
  const bool half = kind == CudnnKind::half;
  const std::string name = half ? "cuDNN in half" : "cuDNN";
  const auto convolution = [kind](const Layer& l) -> CudnnConvolution& {
    static std::map<std::pair<const Layer*, CudnnKind>, std::unique_ptr<CudnnConvolution>> kept;
    auto& made = kept[{&l, kind}];
    if (made == nullptr) made = std::make_unique<CudnnConvolution>(l.s, kind);
    return *made;
  };
  const auto pick = [half](const Buffer& single, const DeviceBuffer<__half>& halves) -> void* {
    return half ? static_cast<void*>(halves.data()) : single.data();
  };
  const Numbers numbers = half ? inner<__half>(false) : single();
  return {{Pass::forward, name, numbers,
           [=](const Layer& l, const Tensors& t, cudaStream_t stream) {
             convolution(l).forward(pick(t.in, t.half.in), pick(t.weights, t.half.weights),
                                    pick(t.out, t.half.out), stream);
           },
           true},
          {Pass::backward_input, name, numbers,
           [=](const Layer& l, const Tensors& t, cudaStream_t stream) {
             convolution(l).backward_input(pick(t.d_out, t.half.d_out),
                                           pick(t.weights, t.half.weights),
                                           pick(t.d_in, t.half.d_in), stream);
           },
           true},
          {Pass::backward_weights, name, numbers,
           [=](const Layer& l, const Tensors& t, cudaStream_t stream) {
             convolution(l).backward_weights(pick(t.in, t.half.in), pick(t.d_out, t.half.d_out),
                                             pick(t.d_weights, t.half.d_weights), stream);
           },
           true}};
}
#endif

/// What is wrong with what the way makes of the layer.
std::string error_of(const Way& way, const ConvolutionShape& s) {
  const Layer& layer = layer_of(s);
  way.run(layer, layer.tensors[0], nullptr);
  check(cudaDeviceSynchronize());
  const std::vector<float> got = way.numbers.result(layer.tensors[0], way.pass);
  const bool adds_bias = !way.rival;  // cuDNN convolves without
  return layer_error(LayerReference(layer, adds_bias), way.pass, got, way.numbers.inner_channels,
                     way.numbers.rounding);
}

const char* name_of(Pass pass) {
  if (pass == Pass::forward) return "forward";
  return pass == Pass::backward_input ? "backward_input" : "backward_weights";
}

void add(const Way& way, const ConvolutionShape& s) {
  const std::string side = std::to_string(s.f) + "x" + std::to_string(s.f);
  // What goes in and out, once.
  const double elements = static_cast<double>(s.in_size() + s.out_size() + s.weights_size());
  const double bytes = way.numbers.arithmetic == "fp16" ? 2 : 4;
  add_bench_step(
      {.ladder = name_of(way.pass),
       .size = std::to_string(s.c) + "x" + std::to_string(s.h) + "x" + std::to_string(s.w) + "_" +
               std::to_string(s.k) + "_filters_" + side,
       .name = way.name,
       .cost = {.flops = s.flops(),
                .bytes = bytes * elements,
                .arithmetic = way.numbers.arithmetic},
       .rival = way.rival},
      [=] { return error_of(way, s); },
      [=](std::int64_t i, cudaStream_t stream) {
        const Layer& layer = layer_of(s);
        const auto copies = layer.tensors.size();
        way.run(layer, layer.tensors[static_cast<std::size_t>(i) % copies], stream);
      });
}

/// Every way, those of a ladder in its order.
std::vector<Way> all_ways() {
  std::vector<Way> all;
  const auto append = [&](const std::vector<Way>& ways) {
    all.insert(all.end(), ways.begin(), ways.end());
  };
  append(forward());
  append(backward_input());
  append(backward_weights());
  append(tensor_ways<__half>());
  int devices = 0;  // where there is none the first row says so
  const bool has_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  if (has_device && compute_capability() >= 80) append(tensor_ways<Tf32>());
#ifdef TUT_HAS_CUDNN
  append(cudnn_ways(CudnnKind::fp32));
  append(cudnn_ways(CudnnKind::half));
#endif
  return all;
}

const BenchRows rows_of_chapter([] {
  constexpr int BATCH = 64;
  std::vector<ConvolutionShape> shapes = {{BATCH, 1, 28, 28, 8, 5},
                                          {BATCH, 8, 12, 12, 16, 5},
                                          {BATCH, 1, 28, 28, 32, 3},
                                          {BATCH, 32, 26, 26, 64, 3}};
  if (can_count()) shapes = {{2, 32, 26, 26, 64, 3}};
  for (const ConvolutionShape& s : shapes) {
    for (const Way& way : all_ways()) {
      const bool is_first = s.c == 1 && way.pass == Pass::backward_input;  // nobody needs it
      const bool takes_long = on_cpu_backend && !can_count() && way.emulated;
      if (!is_first && !takes_long) add(way, s);
    }
  }
});

}  // namespace
}  // namespace tut::ch13
