#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "16_cnn_trainer/trainer/own_kernels/mine/matmul_trial.hpp"

namespace tut::ch16::mine {

bool matmul_transposed_a_agrees() { return product_agrees(ch04::matmul_transposed_a, true); }

}  // namespace tut::ch16::mine
