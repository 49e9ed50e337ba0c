/// \file
/// Layers that work element by element, in any layout and type.
#pragma once

#include <cstdint>

#include "14_layers_and_fusion/dropout.hpp"
#include "14_layers_and_fusion/relu.hpp"
#include "14_layers_and_fusion/sigmoid.hpp"
#include "16_cnn_trainer/trainer/network/stage.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch16 {

template <class T>
Launches relu(const Stage<T>& s) {
  Launches launches;
  launches.forward = {
      [s](const Pass& pass) { ch14::relu(s.inputs(pass), s.outputs(pass), pass.stream); }};
  launches.backward = {[s](const Pass& pass) {
    ch14::relu_backward(values<const T>(s.out, pass.images, s.last.out), s.d_outputs(pass),
                        s.d_inputs(pass), pass.stream);
  }};
  return launches;
}

template <class T>
Launches sigmoid(const Stage<T>& s) {
  Launches launches;
  launches.forward = {
      [s](const Pass& pass) { ch14::sigmoid(s.inputs(pass), s.outputs(pass), pass.stream); }};
  launches.backward = {[s](const Pass& pass) {
    ch14::sigmoid_backward(values<const T>(s.out, pass.images, s.last.out), s.d_outputs(pass),
                           s.d_inputs(pass), pass.stream);
  }};
  return launches;
}

/// The stage's place tells the masks of a step apart.
template <class T>
Launches dropout(const Stage<T>& s) {
  constexpr std::uint64_t places = 1024;  // more than a network has layers
  const auto drop = [rate = s.first.rate, place = s.place](std::span<const T> in, std::span<T> out,
                                                           const Pass& pass) {
    //! [mask]
    ch14::dropout(in, out, {rate, pass.seed, pass.step * places + place}, pass.stream);
    //! [mask]
  };
  Launches launches;
  launches.forward = {[s, drop](const Pass& pass) {
    const std::span<const T> in = s.inputs(pass);
    if (pass.training) return drop(in, s.outputs(pass), pass);
    if (in.data() == s.out) return;
    check(
        cudaMemcpyAsync(s.out, in.data(), in.size_bytes(), cudaMemcpyDeviceToDevice, pass.stream));
  }};
  launches.backward = {
      [s, drop](const Pass& pass) { drop(s.d_outputs(pass), s.d_inputs(pass), pass); }};
  return launches;
}

}  // namespace tut::ch16
