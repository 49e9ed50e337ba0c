// Fused kernels beside the same work in separate passes, and beside a plain copy; the dense layer
// and its gradients.

#include "tut/bench.hpp"

#include <memory>

#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/dropout.hpp"
#include "14_layers_and_fusion/fusion_cases.hpp"
#include "tut/backend.hpp"

namespace tut::ch14 {
namespace {

/// A dense layer of the size that PyTorch's MNIST example has.
struct DenseCase {
  static constexpr int n = 64, i = 9216, j = 128;

  static MatrixView<float> view(const DeviceBuffer<float>& data, int rows, int cols) {
    return {data.data(), rows, cols, cols};
  }
  void forward(cudaStream_t stream) const {
    dense(view(in, n, i), view(weights, j, i), bias.data(), view(out, n, j),
          {scratch.data(), scratch.size()}, stream);
  }
  void backward(cudaStream_t stream) const {
    dense_backward(view(in, n, i), view(weights, j, i), view(out, n, j), view(d_in, n, i),
                   view(d_weights, j, i), bias.data(), stream);
  }

  DeviceBuffer<float> in = random_on_device(std::size_t{n} * i, 1);
  DeviceBuffer<float> weights = random_on_device(std::size_t{j} * i, 2);
  DeviceBuffer<float> bias = random_on_device(j, 3);
  DeviceBuffer<float> out = random_on_device(std::size_t{n} * j, 4);
  DeviceBuffer<float> d_in = DeviceBuffer<float>(std::size_t{n} * i);
  DeviceBuffer<float> d_weights = DeviceBuffer<float>(std::size_t{j} * i);
  DeviceBuffer<float> scratch = DeviceBuffer<float>(dense_scratch(n, i, j));
};

void add(const std::string& name, const BenchCost& cost,
         const std::function<void(cudaStream_t)>& run) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 measure_device(state, cost,
                                                [&](std::int64_t, cudaStream_t s) { run(s); });
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

[[maybe_unused]] const bool registered = [] {
  // On a GPU all vectors are larger than twice its L2 cache.
  const auto cases = on_cpu_backend ? fusion_cases(16, 1 << 12, 1 << 16)
                                    : fusion_cases(1000, 1 << 21, std::size_t{1} << 23);
  for (const FusionCase& work : cases) {
    for (const Way& way : work.ways) {
      add(work.title + "/" + way.name, {.flops = 0, .bytes = way.bytes}, way.run);
    }
  }
  const auto chain = std::make_shared<PooledChain>(on_cpu_backend ? 16 : 1000);
  const double all = 8.0 * static_cast<double>(chain->size);
  add("dropout", {.flops = 0, .bytes = all}, [chain](cudaStream_t stream) {
    dropout(chain->all(chain->in), chain->all(chain->biased), {.seed = 1}, stream);
  });
  add("cudaMemcpy", {.flops = 0, .bytes = all}, [chain](cudaStream_t stream) {
    check(cudaMemcpyAsync(chain->biased.data(), chain->in.data(), chain->in.bytes(),
                          cudaMemcpyDeviceToDevice, stream));
  });
  const auto layer = std::make_shared<DenseCase>();
  const double flops = 2.0 * DenseCase::n * DenseCase::i * DenseCase::j;
  add("dense 64x9216 to 128", {.flops = flops, .bytes = 0},
      [layer](cudaStream_t stream) { layer->forward(stream); });
  add("dense 64x9216 to 128, gradients", {.flops = 2 * flops, .bytes = 0},
      [layer](cudaStream_t stream) { layer->backward(stream); });
  return true;
}();

}  // namespace
}  // namespace tut::ch14
