#include "16_cnn_trainer/trainer/network/network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../13_convolution/guarded_device.hpp"
#include "16_cnn_trainer/architecture.hpp"
#include "16_cnn_trainer/classify.hpp"
#include "16_cnn_trainer/gather_batch.hpp"
#include "16_cnn_trainer/trainer/experiment/kernel_model.hpp"
#include "16_cnn_trainer/trainer/experiment/reference_cpu.hpp"
#include "double_network.hpp"
#include "tut/data/drawn_digits.hpp"
#include "tut/device/stream.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;
using namespace tut::test;

constexpr std::size_t kImageSize = 28 * 28;

// A batch of drawn digits with labels, on the host and on the device.
struct Batch {
  // `rows`: the images' bytes may as well be lines of another length.
  explicit Batch(int count, int rows = 28)
      : rows(rows),
        set(data::draw_digits(static_cast<std::size_t>(count), 5)),
        pixels(set.images.begin(), set.images.end()),
        labels(set.labels) {
    for (float& pixel : pixels) pixel /= 255.0f;
    images.emplace(pixels);
    for (std::size_t n = 0; n < set.size(); ++n) {
      in_double.emplace_back(pixels.begin() + n * kImageSize,
                             pixels.begin() + (n + 1) * kImageSize);
    }
  }
  TensorView<const float> view() const {
    return {images->data(), static_cast<int>(set.size()), 1, rows, 28 * 28 / rows};
  }
  std::span<const std::uint8_t> device_labels() const { return {labels.data(), labels.size()}; }

  int rows;
  data::Dataset set;
  std::vector<float> pixels;
  DeviceBuffer<std::uint8_t> labels;
  std::optional<GuardedDevice> images;
  std::vector<std::vector<double>> in_double;
};

NetworkSpec small_network() { return load_network("small"); }

// Parameters with biases that are not zero, so that they matter.
std::vector<float> some_parameters(const NetworkSpec& spec) {
  std::vector<float> values = initial_parameters(spec, 3);
  for (const Layer& layer : spec.layers) {
    for (std::size_t i = 0; i < layer.bias.size; ++i) {
      values[layer.bias.begin + i] = 0.02f * static_cast<float>(i % 8) - 0.05f;
    }
  }
  return values;
}

// One pass forwards and backwards: losses and gradient.
struct Passed {
  Passed(Network& network, const Batch& batch, const std::vector<float>& parameters,
         StepKey key = {}, const float* scale = nullptr)
      : losses(batch.set.size()) {
    network.parameters().copy_from(parameters);
    network.refresh();
    network.backward(batch.view(), batch.device_labels(), losses.span(), key, scale);
    gradient = network.gradient().to_host();
  }
  GuardedDevice losses;
  std::vector<float> gradient;
};

std::vector<float> scores_of(Network& network, const Batch& batch) {
  const auto view = network.forward(batch.view());
  std::vector<float> scores(static_cast<std::size_t>(view.rows) * view.cols);
  check(
      cudaMemcpy(scores.data(), view.data, scores.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return scores;
}

// Central differences for every bias and a sample of the weights of each layer.
void check_gradient(const NetworkSpec& spec, int images, NumberFormat format = NumberFormat::fp32,
                    double tolerance = 2e-5) {
  const Batch batch(images, spec.input.rows);
  Network network(spec, images + 2, format);
  const std::vector<float> parameters = some_parameters(spec);
  const Passed passed(network, batch, parameters);
  DoubleNetwork reference(spec, parameters);
  double largest = 0;
  for (const Layer& layer : spec.layers) {
    for (const Part& part : {layer.weights, layer.bias}) {
      const std::size_t stride = std::max<std::size_t>(1, part.size / 24);
      for (std::size_t i = part.begin; i < part.end(); i += stride) {
        CAPTURE(i);
        constexpr double step = 1e-6;
        double& parameter = reference.parameters[i];
        const double at = parameter;
        parameter = at + step;
        const double above = reference.loss(batch.in_double, batch.set.labels);
        parameter = at - step;
        const double below = reference.loss(batch.in_double, batch.set.labels);
        parameter = at;
        const double expected = (above - below) / (2 * step);
        CHECK(std::abs(passed.gradient[i] - expected) <= tolerance * (1 + std::abs(expected)));
        largest = std::max(largest, std::abs(expected));
      }
    }
  }
  CHECK(largest > 0.01);  // the tolerance is small beside the gradient
  CHECK(largest > 100 * tolerance);
}

// How far a network in this format is from FP32's: its scores at most, and its gradient as a whole.
struct FormatErrors {
  FormatErrors(const NetworkSpec& spec, const Batch& batch, NumberFormat format) {
    const std::vector<float> parameters = some_parameters(spec);
    const auto images = static_cast<int>(batch.set.size());
    Network exact(spec, images + 1), rounded(spec, images + 1, format);
    const DeviceBuffer<float> scale(std::vector<float>{256.0f});
    const Passed expected(exact, batch, parameters);
    const Passed got(rounded, batch, parameters, {}, scale.data());
    const std::vector<float> expected_scores = scores_of(exact, batch);
    const std::vector<float> got_scores = scores_of(rounded, batch);
    for (std::size_t i = 0; i < got_scores.size(); ++i) {
      scores = std::max(scores, std::abs(double{got_scores[i]} - expected_scores[i]));
    }
    double squares = 0, norm = 0;
    for (std::size_t i = 0; i < got.gradient.size(); ++i) {
      squares += std::pow(got.gradient[i] / 256.0 - expected.gradient[i], 2);
      norm += std::pow(double{expected.gradient[i]}, 2);
    }
    gradient = std::sqrt(squares / norm);
    MESSAGE(to_string(format) << ": scores " << scores << ", gradient " << gradient);
  }

  double scores = 0, gradient = 0;
};

// Errors are rounding errors: not 0, and eight times as large with three bits less. TF32 has half's
// digits.
void check_formats(const NetworkSpec& spec) {
  const Batch batch(5, spec.input.rows);
  const FormatErrors tf32(spec, batch, NumberFormat::tf32);
  const FormatErrors half(spec, batch, NumberFormat::fp16);
  const FormatErrors bf16(spec, batch, NumberFormat::bf16);
  for (const FormatErrors& errors : {tf32, half}) {
    CHECK(errors.scores > 1e-6);
    CHECK(errors.scores < 4e-3);
    CHECK(errors.gradient < 4e-3);
  }
  CHECK(bf16.scores > half.scores);
  CHECK(bf16.scores < 3e-2);
  CHECK(bf16.gradient < 3e-2);
}

// Nothing in it decides between two ways: where rounding decides otherwise, a gradient jumps. A
// dense layer after 4 x 25 pixels.
NetworkSpec smooth_network() {
  return parse_network(
      "input 1 14 56\nconv 8 5\nbatchnorm\nsigmoid\nconv 24 1\nsigmoid\n"
      "conv 4 3 stride 2\nsigmoid\ndense 20\nsigmoid\ndense 10\n",
      "smooth");
}

}  // namespace

TEST_CASE("the network's scores and losses are those of its definition") {
  const NetworkSpec spec = small_network();
  for (const int count : {1, 5, 32, 33}) {
    CAPTURE(count);
    const Batch batch(count);
    Network network(spec, 64);
    const Passed passed(network, batch, some_parameters(spec));
    const DoubleNetwork reference(spec, some_parameters(spec));
    const std::vector<float> scores = scores_of(network, batch), losses = passed.losses.read();
    const auto expected = reference.scores(batch.in_double);
    const auto expected_losses = reference.losses(batch.in_double, batch.set.labels);
    for (int n = 0; n < count; ++n) {
      for (int j = 0; j < 10; ++j) CHECK(std::abs(scores[n * 10 + j] - expected[n][j]) <= 2e-5);
      CHECK(std::abs(losses[n] - expected_losses[n]) <= 2e-5);
    }
  }
}

TEST_CASE("the small network's gradient agrees with central differences in double" *
          doctest::test_suite("unwatched")) {
  check_gradient(small_network(), 1);
  check_gradient(small_network(), 6);
}

TEST_CASE("every kind of layer, in any order, has the right gradient") {
  const std::string text =
      "input 1 28 28\n"
      "conv 4 5 padding 2 stride 2\nbatchnorm\nsigmoid\nrelu\n"
      "conv 6 3\nmaxpool 2\nconv 5 3 padding 1\nrelu\nmaxpool 2\n"
      "dense 12\nsigmoid\ndense 10\n";
  check_gradient(parse_network(text, "all"), 5);
  check_gradient(parse_network("input 1 28 28\nrelu\ndense 10\n", "relu first"), 3);
  check_gradient(parse_network("input 1 28 28\ndense 12\nrelu\nsigmoid\nconv 5 1\nrelu\n"
                               "sigmoid\ndense 10\n",
                               "one function of each element after another"),
                 3);
  check_gradient(parse_network("input 1 28 28\ndense 10\n", "dense alone"), 3);
}

TEST_CASE("the example network's gradient agrees with central differences in double" *
          doctest::test_suite("long")) {
  std::string text =
      "input 1 28 28\nconv 32 3\nrelu\nconv 64 3\nrelu\nmaxpool 2\n"
      "dense 128\nrelu\ndense 10\n";
  const NetworkSpec spec = parse_network(text, "example without dropout");
  const Batch batch(2);
  Network network(spec, 2);
  const std::vector<float> parameters = some_parameters(spec);
  const Passed passed(network, batch, parameters);
  DoubleNetwork reference(spec, parameters);
  for (const Layer& layer : spec.layers) {
    for (const Part& part : {layer.weights, layer.bias}) {
      if (part.size == 0) continue;
      double& parameter = reference.parameters[part.begin + part.size / 2];
      const double at = parameter;
      parameter = at + 1e-6;
      const double above = reference.loss(batch.in_double, batch.set.labels);
      parameter = at - 1e-6;
      const double below = reference.loss(batch.in_double, batch.set.labels);
      parameter = at;
      const double expected = (above - below) / 2e-6;
      CHECK(std::abs(passed.gradient[part.begin + part.size / 2] - expected) <=
            2e-5 * (1 + std::abs(expected)));
    }
  }
}

TEST_CASE("dropout: a step's masks are its own, and nothing is dropped in inference") {
  const NetworkSpec spec =
      parse_network("input 1 28 28\ndense 64\nsigmoid\ndropout 0.5\ndense 10\n", "dropout");
  const NetworkSpec without =
      parse_network("input 1 28 28\ndense 64\nsigmoid\ndense 10\n", "without");
  const Batch batch(8);
  const std::vector<float> parameters = some_parameters(spec);
  Network network(spec, 8), plain(without, 8);
  const Passed first(network, batch, parameters, {1, 0}), again(network, batch, parameters, {1, 0});
  const Passed next(network, batch, parameters, {1, 1}), other(network, batch, parameters, {2, 0});
  CHECK(same_bits(first.gradient, again.gradient));
  CHECK(!same_bits(first.gradient, next.gradient));
  CHECK(!same_bits(first.gradient, other.gradient));
  const Passed undropped(plain, batch, parameters);
  CHECK(same_bits(scores_of(network, batch), scores_of(plain, batch)));
}

TEST_CASE("batch norm: the running statistics move in training, and inference uses them") {
  const NetworkSpec spec =
      parse_network("input 1 28 28\nconv 4 5\nbatchnorm\nrelu\ndense 10\n", "norm");
  const Batch batch(8);
  Network network(spec, 8);
  const std::vector<float> before = network.state().to_host();
  const Passed passed(network, batch, some_parameters(spec));
  const std::vector<float> after = network.state().to_host();
  CHECK(before == initial_state(spec));
  CHECK(!same_bits(before, after));
  const auto scores = scores_of(network, batch);
  CHECK(same_bits(network.state().to_host(), after));
  CHECK(same_bits(scores_of(network, batch), scores));
}

TEST_CASE("a loss scale multiplies the gradient, and nothing else") {
  const NetworkSpec spec = small_network();
  const Batch batch(4);
  Network network(spec, 4);
  const DeviceBuffer<float> scale(std::vector<float>{1024.0f});
  const Passed plain(network, batch, some_parameters(spec));
  const Passed scaled(network, batch, some_parameters(spec), {}, scale.data());
  CHECK(same_bits(plain.losses.read(), scaled.losses.read()));
  bool exact = true;
  for (std::size_t i = 0; i < plain.gradient.size(); ++i) {
    exact = exact && std::abs(scaled.gradient[i] - 1024 * plain.gradient[i]) <=
                         1e-6f * std::abs(1024 * plain.gradient[i]);
  }
  CHECK(exact);
}

TEST_CASE("networks on tensor cores: scores and gradient are FP32's, as near as digits go" *
          doctest::test_suite("unwatched")) {
  check_formats(
      parse_network("input 1 28 28\nconv 8 5\nrelu\nmaxpool 2\nconv 16 5 padding 1\nrelu\n"
                    "dense 24\nsigmoid\ndense 10\n",
                    "mixed"));
  check_formats(smooth_network());
}

TEST_CASE("a gradient in TF32 agrees with central differences in double; FP32's is nearer" *
          doctest::test_suite("unwatched")) {
  check_gradient(smooth_network(), 3, NumberFormat::tf32, 5e-4);
  check_gradient(smooth_network(), 3);
}

TEST_CASE("batch norm on tensor cores: inference uses the running statistics") {
  const NetworkSpec spec =
      parse_network("input 1 28 28\nconv 4 5\nbatchnorm\nrelu\ndense 10\n", "norm");
  const Batch batch(8);
  Network exact(spec, 8), rounded(spec, 8, NumberFormat::tf32);
  const Passed expected(exact, batch, some_parameters(spec));
  const Passed passed(rounded, batch, some_parameters(spec));
  const auto state = exact.state().to_host(), rounded_state = rounded.state().to_host();
  CHECK(!same_bits(rounded_state, initial_state(spec)));
  for (std::size_t i = 0; i < state.size(); ++i) {
    CHECK(rounded_state[i] == doctest::Approx(state[i]).epsilon(2e-3));
  }
  const auto scores = scores_of(exact, batch), rounded_scores = scores_of(rounded, batch);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    CHECK(std::abs(rounded_scores[i] - scores[i]) < 1e-2);
  }
  CHECK(same_bits(rounded.state().to_host(), rounded_state));
}

TEST_CASE("the kernels and the plain loops take the same steps") {
  const data::Split sets{data::draw_digits(100, 1), data::draw_digits(300, 2)};
  TrainOptions options;
  options.seed = 7;
  KernelModel kernels(sets, small_network(), options);
  CpuReferenceModel loops(sets, 7);
  CHECK(kernels.parameters() == initial_parameters(small_network(), 7));
  CHECK(loops.parameters() == initial_parameters(small_network(), 7));
  const std::vector<int> order = epoch_order(100, 7, 0);
  for (const auto& [first, count] :
       std::vector<std::pair<int, int>>{{0, 32}, {32, 32}, {64, 1}, {65, 11}}) {
    const std::span indices(order.data() + first, static_cast<std::size_t>(count));
    kernels.train_batch(indices, {0.05f, 0.9f});
    loops.train_batch(indices, {0.05f, 0.9f});
    const auto a = kernels.parameters(), b = loops.parameters();
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      difference = std::max(difference, std::abs(double{a[i]} - b[i]));
    }
    CHECK(difference <= 1e-5);
    const LossSum one = kernels.take_loss(), other = loops.take_loss();
    CHECK(one.images == static_cast<std::size_t>(count));
    CHECK(other.images == one.images);
    CHECK(one.sum == doctest::Approx(other.sum).epsilon(1e-4));
  }
  const auto ours = count_correct(kernels.predict(), sets.test);
  const auto theirs = count_correct(loops.predict(), sets.test);
  CHECK(ours <= 300);
  CHECK(std::abs(static_cast<int>(ours) - static_cast<int>(theirs)) <= 1);
}

TEST_CASE("the plain loops' results do not depend on the number of threads") {
  const data::Split sets{data::draw_digits(50, 1), data::draw_digits(30, 2)};
  const std::vector<int> order = epoch_order(50, 1, 0);
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 5}) {
    CpuReferenceModel model(sets, 1, threads);
    model.train_batch(order, {0.1f, 0.9f});
    model.train_batch(order, {0.1f, 0.9f});
    results.push_back(model.parameters());
  }
  CHECK(same_bits(results[0], results[1]));
  CHECK(same_bits(results[0], results[2]));
}

// A step of a small network is as long as its launches are many.
TEST_CASE("a pass of small with all gradients is nine kernels and nothing else, in a graph") {
  const Batch batch(9);
  Network network(small_network(), 9);
  const std::vector<float> parameters = some_parameters(small_network());
  const Passed passed(network, batch, parameters);

  const Stream stream;
  cudaGraph_t graph{};
  DeviceBuffer<float> losses(9);
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  network.backward(batch.view(), batch.device_labels(), {losses.data(), 9}, {}, nullptr, stream);
  check(cudaStreamEndCapture(stream, &graph));
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count));
  CHECK(count == 9);
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type));
    CHECK(type == cudaGraphNodeTypeKernel);
  }

  network.gradient().fill_bytes(0xFF);
  cudaGraphExec_t step{};
  check(cudaGraphInstantiate(&step, graph, 0));
  check(cudaGraphLaunch(step, stream));
  stream.synchronize();
  CHECK(same_bits(network.gradient().to_host(), passed.gradient));
  CHECK(same_bits(losses.to_host(), passed.losses.read()));
  check(cudaGraphExecDestroy(step));
  check(cudaGraphDestroy(graph));
}

TEST_CASE("a batch is gathered as its indices say, and scaled") {
  const data::Dataset set = data::draw_digits(20, 4);
  const DeviceBuffer<std::uint8_t> pixels(set.images), labels(set.labels);
  const std::vector<int> host_indices{19, 0, 7, 7};
  const DeviceBuffer<int> indices(host_indices);
  const GuardedDevice batch(4 * kImageSize);
  DeviceBuffer<std::uint8_t> batch_labels(4);
  gather_batch({pixels.data(), 20, 1, 28, 28}, {labels.data(), 20}, {indices.data(), 4},
               {batch.data(), 4, 1, 28, 28}, {batch_labels.data(), 4});
  const auto got = batch.read();
  for (std::size_t n = 0; n < 4; ++n) {
    const auto image = set.image(static_cast<std::size_t>(host_indices[n]));
    bool equal = true;
    for (std::size_t i = 0; i < kImageSize; ++i) {
      equal = equal && std::abs(got[n * kImageSize + i] - image[i] / 255.0f) <= 1e-7f;
    }
    CHECK(equal);
  }
  CHECK(batch_labels.to_host() == std::vector<std::uint8_t>{9, 0, 7, 7});
}

TEST_CASE("the prediction is the first of the largest scores") {
  const GuardedDevice scores(std::vector<float>{1, 3, 2, 5, 5, 4, -3, -2, -2});
  DeviceBuffer<std::uint8_t> predictions(3);
  classify({scores.data(), 3, 3, 3}, {predictions.data(), 3});
  CHECK(predictions.to_host() == std::vector<std::uint8_t>{1, 0, 1});
}

TEST_CASE("the network refuses what does not fit") {
  Network network(small_network(), 4);
  const Batch batch(5);
  CHECK_THROWS_AS(network.forward(batch.view()), std::invalid_argument);
  data::Split sets{data::draw_digits(10, 1), data::draw_digits(10, 2)};
  TrainOptions options;
  options.batch = 4;
  KernelModel model(sets, small_network(), options);
  CHECK_THROWS_AS(model.train_batch({}, {0.1f, 0.9f}), std::invalid_argument);
  options.batch = 0;
  CHECK_THROWS_AS(KernelModel(sets, small_network(), options), std::invalid_argument);
  options.batch = 4;
  sets.test.rows = 14;
  CHECK_THROWS_AS(KernelModel(sets, small_network(), options), NetworkError);
  CHECK_THROWS_AS(CpuReferenceModel(sets, 1), std::invalid_argument);
}

TEST_CASE("the order of an epoch is a permutation, another one in every epoch and for every seed") {
  const std::vector<int> order = epoch_order(1000, 1, 0);
  std::vector<bool> seen(1000);
  for (const int index : order) seen.at(static_cast<std::size_t>(index)) = true;
  CHECK(std::count(seen.begin(), seen.end(), true) == 1000);
  CHECK(epoch_order(1000, 1, 0) == order);
  CHECK(epoch_order(1000, 1, 1) != order);
  CHECK(epoch_order(1000, 2, 0) != order);
  CHECK(initial_parameters(small_network(), 1) != initial_parameters(small_network(), 2));
}
