// Fused kernels beside the same work in separate passes, and beside a plain copy; the dense layer
// and its gradients.

#include "tut/bench/bench.hpp"

#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/dropout.hpp"
#include "14_layers_and_fusion/fusion_cases.hpp"
#include "tut/bench/counting.hpp"
#include "tut/device/backend.hpp"
#include "tut/device/cublas.hpp"

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

  /// cuBLAS's: the same products without the bias. Column-major, so everything is transposed.
  void cublas(cublasOperation_t op_a, cublasOperation_t op_b, int m, int cols, int k,
              const DeviceBuffer<float>& a, int lda, const DeviceBuffer<float>& b, int ldb,
              const DeviceBuffer<float>& c, cudaStream_t stream) const {
    const float one = 1.0f, zero = 0.0f;
    handle.set_stream(stream);
    check(cublasSgemm(handle, op_a, op_b, m, cols, k, &one, a.data(), lda, b.data(), ldb, &zero,
                      c.data(), m));
  }
  void cublas_forward(cudaStream_t stream) const {
    cublas(CUBLAS_OP_T, CUBLAS_OP_N, j, n, i, weights, i, in, i, out, stream);
  }
  void cublas_backward(cudaStream_t stream) const {
    cublas(CUBLAS_OP_N, CUBLAS_OP_N, i, n, j, weights, i, out, j, d_in, stream);
    cublas(CUBLAS_OP_N, CUBLAS_OP_T, i, j, n, in, i, out, j, d_weights, stream);
  }

  mutable CublasHandle handle;
  DeviceBuffer<float> in = random_on_device(std::size_t{n} * i, 1);
  DeviceBuffer<float> weights = random_on_device(std::size_t{j} * i, 2);
  DeviceBuffer<float> bias = random_on_device(j, 3);
  DeviceBuffer<float> out = random_on_device(std::size_t{n} * j, 4);
  DeviceBuffer<float> d_in = DeviceBuffer<float>(std::size_t{n} * i);
  DeviceBuffer<float> d_weights = DeviceBuffer<float>(std::size_t{j} * i);
  DeviceBuffer<float> scratch = DeviceBuffer<float>(dense_scratch(n, i, j));
};

/// Where the two differ by more than the tolerance, or "".
std::string difference(const std::vector<float>& got, const std::vector<float>& expected,
                       float tolerance) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (std::abs(got[k] - expected[k]) <= tolerance) continue;
    return "wrong result at " + std::to_string(k) + ": expected " + std::to_string(expected[k]) +
           ", got " + std::to_string(got[k]);
  }
  return "";
}

/// A ladder of the ways of a case, each held to the first, beside a copy of the bytes of the last.
void add_case(const std::shared_ptr<const FusionCase>& work, const std::string& size) {
  const auto result_of = [work](const Way& way) {
    work->reset();
    way.run(nullptr);
    return work->result();
  };
  for (const Way& way : work->ways) {
    add_bench_step(
        {work->title, size, way.name, {.bytes = way.bytes}},
        [=] { return difference(result_of(way), result_of(work->ways[0]), work->tolerance); },
        [way](std::int64_t, cudaStream_t stream) { way.run(stream); });
  }
  add_copy_rival(work->title, size, work->ways.back().bytes);
}

void add_dropout(int images) {
  const auto chain = made_once<PooledChain>(images);
  const std::string size = std::to_string(images) + " images";
  const double bytes = 8.0 * images * PooledChain::channels * PooledChain::side * PooledChain::side;
  const auto run = [chain](cudaStream_t stream) {
    dropout(chain().all(chain().in), chain().all(chain().biased), {.seed = 1}, stream);
  };
  const auto verify = [=]() -> std::string {
    run(nullptr);
    const std::vector<float> in = chain().in.to_host(), out = chain().biased.to_host();
    std::size_t dropped = 0;
    for (std::size_t k = 0; k < in.size(); ++k) {
      dropped += out[k] == 0.0f ? 1 : 0;
      if (out[k] != 0.0f && out[k] != 2 * in[k]) return "wrong result at " + std::to_string(k);
    }
    const double share = static_cast<double>(dropped) / static_cast<double>(in.size());
    return std::abs(share - 0.5) < 0.05 ? "" : "drops a share of " + std::to_string(share);
  };
  add_bench_step({"dropout", size, "dropout", {.bytes = bytes}}, verify,
                 [=](std::int64_t, cudaStream_t stream) { run(stream); });
  add_copy_rival("dropout", size, bytes);
}

/// The layer and its gradients beside cuBLAS's products, and held to them.
void add_dense() {
  const auto layer = made_once<DenseCase>();
  const std::string size = "64x9216 to 128";
  const double in = 1.0 * DenseCase::n * DenseCase::i, weights = 1.0 * DenseCase::j * DenseCase::i;
  const double out = 1.0 * DenseCase::n * DenseCase::j;
  const BenchCost forward{.flops = 2.0 * out * DenseCase::i, .bytes = 4 * (in + weights + out)};
  const BenchCost backward{.flops = 2 * forward.flops, .bytes = 4 * (2 * in + 2 * weights + out)};
  const auto verify = [=] {
    DenseCase& l = layer();
    l.cublas_forward(nullptr);
    std::vector<float> expected = l.out.to_host();
    const std::vector<float> bias = l.bias.to_host();
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k] += bias[k % bias.size()];
    l.forward(nullptr);
    return difference(l.out.to_host(), expected, 1e-3f);
  };
  const auto verify_backward = [=] {
    DenseCase& l = layer();
    l.cublas_backward(nullptr);
    const std::vector<float> d_in = l.d_in.to_host(), d_weights = l.d_weights.to_host();
    l.backward(nullptr);
    const std::string wrong = difference(l.d_in.to_host(), d_in, 1e-2f);
    return wrong.empty() ? difference(l.d_weights.to_host(), d_weights, 1e-2f) : wrong;
  };
  add_bench_step({"dense", size, "dense", forward}, verify,
                 [=](std::int64_t, cudaStream_t s) { layer().forward(s); });
  add_bench_step({"dense", size, "cublasSgemm", forward, true}, nullptr,
                 [=](std::int64_t, cudaStream_t s) { layer().cublas_forward(s); });
  add_bench_step({"dense, gradients", size, "dense_backward", backward}, verify_backward,
                 [=](std::int64_t, cudaStream_t s) { layer().backward(s); });
  add_bench_step({"dense, gradients", size, "cublasSgemm", backward, true}, nullptr,
                 [=](std::int64_t, cudaStream_t s) { layer().cublas_backward(s); });
}

const BenchRows rows_of_chapter([] {
  // On a GPU all vectors are larger than twice its L2 cache. Counted are few elements.
  const int images = can_count() ? 2 : on_cpu_backend ? 16 : 1000;
  const int rows = can_count() ? 256 : on_cpu_backend ? 1 << 12 : 1 << 21;
  const std::size_t parameters = std::size_t{1} << (can_count() ? 12 : on_cpu_backend ? 16 : 23);
  const std::string sizes[] = {std::to_string(images) + " images",
                               std::to_string(images) + " images",
                               std::to_string(images) + " images", std::to_string(rows) + " rows",
                               std::to_string(8 * parameters) + " parameters"};
  const auto cases = fusion_cases(images, rows, parameters);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    add_case(std::make_shared<const FusionCase>(cases[k]), sizes[k]);
  }
  add_dropout(images);
  add_dense();
});

}  // namespace
}  // namespace tut::ch14
