/// \file
/// The chain rule on one neuron, a convolution of one dimension with its gradients, and how to
/// check a gradient: the lesson's examples by hand, on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tut::ch13 {

//! [neuron]
/// The loss of one neuron, and its derivatives with respect to w, b and x.
struct NeuronGradient {
  double loss, d_w, d_b, d_x;
};

inline NeuronGradient neuron(double w, double b, double x, double target) {
  // Forward.
  const double z = w * x + b;
  const double y = std::max(z, 0.0);
  const double loss = (y - target) * (y - target);
  // Backward: the same lines from the last to the first.
  const double d_y = 2 * (y - target);
  const double d_z = z > 0 ? d_y : 0.0;
  return {loss, d_z * x, d_z, d_z * w};
}
//! [neuron]

using Vector = std::vector<double>;

//! [forward]
/// out[y] = the sum of x[y + i] * w[i] over the taps i of the filter w.
inline Vector convolve(const Vector& x, const Vector& w) {
  Vector out(x.size() - w.size() + 1, 0.0);
  for (std::size_t y = 0; y < out.size(); ++y) {
    for (std::size_t i = 0; i < w.size(); ++i) out[y] += x[y + i] * w[i];
  }
  return out;
}
//! [forward]

//! [backward]
/// The gradient of the loss with respect to the filter, from that with respect to the output.
inline Vector gradient_of_filter(const Vector& x, const Vector& d_out) {
  Vector d_w(x.size() - d_out.size() + 1, 0.0);
  for (std::size_t y = 0; y < d_out.size(); ++y) {
    for (std::size_t i = 0; i < d_w.size(); ++i) d_w[i] += d_out[y] * x[y + i];
  }
  return d_w;
}

/// The same with respect to the input.
inline Vector gradient_of_input(const Vector& w, const Vector& d_out) {
  Vector d_x(d_out.size() + w.size() - 1, 0.0);
  for (std::size_t y = 0; y < d_out.size(); ++y) {
    for (std::size_t i = 0; i < w.size(); ++i) d_x[y + i] += d_out[y] * w[i];
  }
  return d_x;
}
//! [backward]

//! [check]
/// The derivative of `loss` with respect to values[i], measured: from its values h to the right and
/// h to the left.
template <class Loss>
double central_difference(const Loss& loss, Vector values, std::size_t i, double h) {
  const double middle = values[i];
  values[i] = middle + h;
  const double right = loss(values);
  values[i] = middle - h;
  const double left = loss(values);
  return (right - left) / (2 * h);
}
//! [check]

}  // namespace tut::ch13
