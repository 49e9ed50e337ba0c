/// \file
/// What each way to multiply loses, measured against double.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tut/matrix/host_matrix.hpp"

namespace tut::ch12 {

/// One way to compute C = AB from float matrices on the host; shorter inputs are rounded first.
struct Method {
  std::string name;
  std::function<HostMatrix<float>(const HostMatrix<float>& a, const HostMatrix<float>& b)> multiply;
};

/// On the device: TF32, bfloat16, half with float and with half sums, and three TF32 products.
std::vector<Method> device_methods();

/// On the host, each in the arithmetic it is named for: FP32 sums one product after the other, and
/// three TF32 products on a tensor core that cuts, as tensor_core_model.hpp has it: with its sum
/// taken over every 16 products, and without.
std::vector<Method> model_methods();

/// The root mean square of C's errors, in units of the root mean square of C. C's elements are
/// those of (rows, k) times (k, cols), uniform in [-1, 1], drawn from `seed`.
double relative_error(const Method& method, int rows, int cols, int k, std::uint64_t seed = 1);

/// Errors of a method for each length of the sums.
struct ErrorCurve {
  std::string name;
  std::vector<double> errors;
};

/// Every method on products of 32 x k and k x 32.
std::vector<ErrorCurve> error_curves(std::span<const int> lengths);

}  // namespace tut::ch12
