// One layer by every way of this chapter: all agree, and what each asks of memory (CPU backend) or
// how fast it is (GPU).

#include "tut/bench/demo.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_direct.hpp"
#include "13_convolution/conv2d_im2col.hpp"
#include "13_convolution/conv2d_implicit.hpp"
#include "13_convolution/conv2d_wmma.hpp"
#include "13_convolution/convert_layout.hpp"
#include "tut/bench/counting.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/device/stream.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/numeric/tf32.hpp"
#include "tut/text/program.hpp"

namespace {

using namespace tut;
using namespace tut::ch13;

std::size_t size_of(std::int64_t size) { return static_cast<std::size_t>(size); }

/// The layer's tensors in FP32 on the device.
struct Layer {
  explicit Layer(const ConvolutionShape& layer)
      : s(layer),
        in(random(layer.in_size(), 1)),
        weights(random(layer.weights_size(), 2)),
        bias(random(layer.k, 3)),
        out(size_of(layer.out_size())),
        scratch(conv2d_im2col_scratch(layer)) {}

  static DeviceBuffer<float> random(std::int64_t size, std::uint64_t seed) {
    std::vector<float> values(size_of(size));
    fill_uniform(values, seed);
    return DeviceBuffer<float>(values);
  }
  TensorView<const float> in_view() const { return {in.data(), s.n, s.c, s.h, s.w}; }
  TensorView<const float> weights_view() const { return {weights.data(), s.k, s.c, s.f, s.f}; }
  TensorView<float> out_view() const { return {out.data(), s.n, s.k, s.out_h(), s.out_w()}; }
  Conv2dOptions options() const { return {s.padding, s.stride}; }

  ConvolutionShape s;
  DeviceBuffer<float> in, weights, bias, out, scratch;
};

/// The same in T, channels innermost; the output in FP32.
template <class T>
struct TensorCoreLayer {
  explicit TensorCoreLayer(const Layer& layer)
      : s(layer.s), in(layer.in.size()), weights(layer.weights.size()), out(layer.out.size()) {
    nchw_to_nhwc<T>(layer.in_view(), {in.data(), s.n, s.h, s.w, s.c});
    nchw_to_nhwc<T>(layer.weights_view(), {weights.data(), s.k, s.f, s.f, s.c});
  }
  void run(const Layer& layer) const {
    conv2d_wmma<T, float>({in.data(), s.n, s.h, s.w, s.c}, {weights.data(), s.k, s.f, s.f, s.c},
                          layer.bias.data(), out_view(), layer.options());
  }
  NhwcView<float> out_view() const { return {out.data(), s.n, s.out_h(), s.out_w(), s.k}; }

  ConvolutionShape s;
  DeviceBuffer<T> in, weights;
  DeviceBuffer<float> out;
};

/// Runs one way and prints its line. `result` brings the output to the host, NCHW. Throws if it is
/// further than `tolerance` from what is expected.
void show(const char* name, const Layer& layer, std::size_t extra_bytes, double tolerance,
          const std::vector<float>& expected, const std::function<void()>& run,
          const std::function<std::vector<float>()>& result) {
  const Counters counters = counted(run);
  const double difference = largest_difference(result(), expected);
  if (!(difference <= tolerance)) {
    throw std::runtime_error(std::string(name) + " is off by " + std::to_string(difference));
  }
  std::printf("%-18s %10.0e %12.2f", name, tolerance, 1e-6 * static_cast<double>(extra_bytes));
  if (can_count()) {
    const TrafficCounts total = counters.total();
    std::uint64_t asked = 0;
    for (const Traffic traffic : {Traffic::global_load, Traffic::global_store}) {
      asked += of(total, traffic).bytes;
    }
    std::printf(" %12.2f %12.2f\n", 1e-6 * static_cast<double>(asked),
                1e-6 * static_cast<double>(counters.bytes_moved()));
  } else {
    const float ms = best_ms(run);
    std::printf(" %12.3f %12.1f\n", static_cast<double>(ms), 1e-6 * layer.s.flops() / ms);
  }
}

template <class T>
void show_tensor_cores(const char* name, const Layer& layer, double tolerance,
                       const std::vector<float>& expected) {
  const TensorCoreLayer<T> half(layer);
  show(
      name, layer, 0, tolerance, expected, [&] { half.run(layer); },
      [&] {
        nhwc_to_nchw<float>(half.out_view(), layer.out_view());
        return layer.out.to_host();
      });
}

void convolve(const ConvolutionShape& s) {
  constexpr double TOLERANCE = 1e-4;  // of sums of 288 products in FP32
  Layer layer(s);
  const double in_mb = 4e-6 * static_cast<double>(s.in_size());
  const double out_mb = 4e-6 * static_cast<double>(s.out_size());
  std::printf("%d x (%d, %d, %d), %d filters %d x %d: %.0f MFLOP, input %.2f MB, output %.2f MB\n",
              s.n, s.c, s.h, s.w, s.k, s.f, s.f, 1e-6 * s.flops(), in_mb, out_mb);
  std::printf("%-18s %10s %12s %12s %12s\n", "", "tolerance", "MB besides",
              can_count() ? "MB asked for" : "ms", can_count() ? "MB moved" : "GFLOP/s");

  conv2d_direct(layer.in_view(), layer.weights_view(), layer.bias.data(), layer.out_view(),
                layer.options());
  const std::vector<float> expected = layer.out.to_host();
  const auto result = [&] { return layer.out.to_host(); };
  const auto run = [&](auto way) {
    return [&layer, way] {
      way(layer.in_view(), layer.weights_view(), layer.bias.data(), layer.out_view(),
          layer.options(), nullptr);
    };
  };
  show("conv2d_direct", layer, 0, TOLERANCE, expected, run(conv2d_direct), result);
  show(
      "conv2d_im2col", layer, layer.scratch.bytes(), TOLERANCE, expected,
      [&] {
        conv2d_im2col(layer.in_view(), layer.weights_view(), layer.bias.data(), layer.out_view(),
                      {layer.scratch.data(), layer.scratch.size()}, layer.options());
      },
      result);
  show("conv2d_implicit", layer, 0, TOLERANCE, expected, run(conv2d_implicit), result);
  using Conv2d = void (*)(TensorView<const float>, TensorView<const float>, const float*,
                          TensorView<float>, Conv2dOptions, cudaStream_t);
  show("conv2d", layer, 0, TOLERANCE, expected, run(static_cast<Conv2d>(conv2d)), result);
  show_tensor_cores<__half>("conv2d_wmma half", layer, 1e-2, expected);
  if (compute_capability() >= 80) {
    show_tensor_cores<__nv_bfloat16>("conv2d_wmma bf16", layer, 1e-1, expected);
    show_tensor_cores<Tf32>("conv2d_wmma tf32", layer, 1e-2, expected);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tut::run_without_arguments("ch13_demo", argc, argv, [] {
    if (on_cpu_backend) {
      convolve({1, 32, 26, 26, 64, 3});
    } else {
      convolve({64, 32, 26, 26, 64, 3});
    }
    std::printf("tolerance: no element is further than this from that of conv2d_direct.\n");
    if (can_count()) {
      std::printf(
          "Counted: what the kernels asked of global memory, and what moved in sectors of 32\n"
          "bytes. There are no caches in this count.\n");
    } else if (on_cpu_backend) {
      std::printf("These are times of the CPU backend: they say nothing about a GPU.\n");
    }
  });
}
