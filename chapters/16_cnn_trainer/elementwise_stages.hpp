/// \file
/// Stages that work element by element, in any layout and type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "14_layers_and_fusion/dropout.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/sigmoid.hpp"
#include "16_cnn_trainer/stage.hpp"
#include "tut/check.hpp"

namespace tut::ch16 {

template <class T>
std::span<T> values(T* data, int n, const ImageShape& shape) {
  return {data, static_cast<std::size_t>(n) * shape.size()};
}

struct Relu {
  static constexpr bool in_place = true;
  static constexpr bool keeps_output = false;
  static void forward(auto in, auto out, cudaStream_t stream) { ch14::relu(in, out, stream); }
  static void backward(auto out, auto d_out, auto d_in, cudaStream_t stream) {
    ch14::relu_backward(out, d_out, d_in, stream);
  }
};

struct Sigmoid {
  // It is above 0 everywhere: over a ReLU's output it would hide where that was 0.
  static constexpr bool in_place = false;
  static constexpr bool keeps_output = true;
  static void forward(auto in, auto out, cudaStream_t stream) { ch14::sigmoid(in, out, stream); }
  static void backward(auto out, auto d_out, auto d_in, cudaStream_t stream) {
    ch14::sigmoid_backward(out, d_out, d_in, stream);
  }
};

/// A function of each element, whose derivative its output tells.
template <class T, class Activation>
class ActivationStage : public Stage<T> {
 public:
  explicit ActivationStage(const Layer& layer) : shape_(layer.in) {}
  bool in_place() const override { return Activation::in_place; }
  bool keeps_output() const override { return Activation::keeps_output; }
  void forward(const T* in, T* out, const Pass& pass) override {
    Activation::forward(values(in, pass.images, shape_), values(out, pass.images, shape_),
                        pass.stream);
  }
  void backward(const T*, const T* out, const T* d_out, T* d_in, const Pass& pass) override {
    Activation::backward(values(out, pass.images, shape_), values(d_out, pass.images, shape_),
                         values(d_in, pass.images, shape_), pass.stream);
  }

 private:
  ImageShape shape_;
};

/// `place` tells the masks of a step apart.
template <class T>
class DropoutStage : public Stage<T> {
 public:
  DropoutStage(const Layer& layer, std::size_t place) : layer_(layer), place_(place) {}
  bool in_place() const override { return true; }
  void forward(const T* in, T* out, const Pass& pass) override {
    if (pass.training) return drop(in, out, pass);
    if (in == out) return;
    const std::size_t bytes = values(in, pass.images, layer_.in).size_bytes();
    check(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, pass.stream));
  }
  void backward(const T*, const T*, const T* d_out, T* d_in, const Pass& pass) override {
    drop(d_out, d_in, pass);
  }

 private:
  static constexpr std::uint64_t kPlaces = 1024;  // more than a network has layers

  void drop(const T* in, T* out, const Pass& pass) const {
    //! [mask]
    ch14::dropout(values(in, pass.images, layer_.in), values(out, pass.images, layer_.in),
                  {layer_.rate, pass.seed, pass.step * kPlaces + place_}, pass.stream);
    //! [mask]
  }

  Layer layer_;
  std::uint64_t place_;
};

}  // namespace tut::ch16
