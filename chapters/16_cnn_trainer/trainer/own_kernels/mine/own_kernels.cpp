#include "16_cnn_trainer/trainer/own_kernels/own_kernels.hpp"

#include <string>

#include "05_shared_memory_tiling/matmul_padded.hpp"
#include "05_shared_memory_tiling/matmul_rectangular.hpp"
#include "16_cnn_trainer/trainer/own_kernels/mine/adapters.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch16 {

namespace {

// The source that this program has been linked with: `NAME=PATH|NAME=PATH|...`, from the build.
std::filesystem::path file_of(std::string_view exercise) {
  const std::string files = std::string("|") + TUT_OWN_KERNEL_FILES + "|";
  const std::size_t begin = files.find("|" + std::string(exercise) + "=");
  require(begin != std::string::npos, {"the build names no file of ", exercise, "; expected one"});
  const std::size_t path = files.find('=', begin) + 1;
  return files.substr(path, files.find('|', path) - path);
}

OwnKernel own(std::string_view exercise, bool (*agrees)()) {
  return {exercise, file_of(exercise), agrees};
}

mine::Matmul product_of(const OwnOperation& own) {
  const std::string& exercise = own.exercises.at(0);
  if (exercise == "matmul_padded") return ch05::matmul_padded;
  require(exercise == "matmul_rectangular", {"the dense layers' product is ", exercise,
                                             "; expected matmul_padded or matmul_rectangular"});
  return ch05::matmul_rectangular;
}

}  // namespace

std::span<const OwnKernel> own_kernels() {
  using namespace mine;
  static const OwnKernel kernels[] = {own("matmul_transposed_a", matmul_transposed_a_agrees),
                                      own("matmul_padded", matmul_padded_agrees),
                                      own("matmul_rectangular", matmul_rectangular_agrees),
                                      own("linear_relu", linear_relu_agrees),
                                      own("im2col_nhwc", im2col_nhwc_agrees),
                                      own("conv2d_dilated", conv2d_dilated_agrees),
                                      own("conv2d_transposed", conv2d_transposed_agrees),
                                      own("relu_bits", relu_bits_agrees),
                                      own("lion", lion_agrees),
                                      own("smoothed_cross_entropy", smoothed_cross_entropy_agrees)};
  return kernels;
}

void use_own(Kernels& kernels, std::span<const OwnOperation> operations) {
  for (const OwnOperation& own : operations) {
    switch (own.operation) {
      case Operation::conv2d:
        mine::use_conv2d_dilated(kernels);
        break;
      case Operation::conv2d_backward_input:
        mine::use_conv2d_transposed(kernels);
        break;
      case Operation::conv2d_backward_weights:
        mine::use_im2col_nhwc(kernels);
        break;
      case Operation::dense_relu:
        mine::use_linear_relu(kernels);
        break;
      case Operation::dense:
        mine::use_in_dense(product_of(own), kernels);
        break;
      case Operation::dense_backward:
        mine::use_in_dense_backward(product_of(own), kernels);
        break;
      case Operation::relu:
        mine::use_relu_bits(kernels);
        break;
      case Operation::loss:
        mine::use_smoothed_cross_entropy(kernels);
        break;
      case Operation::lion:
        mine::use_lion(kernels);
        break;
    }
  }
}

}  // namespace tut::ch16
