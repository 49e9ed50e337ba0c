#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include "16_cnn_trainer/trainer/own_kernels/mine/matmul_trial.hpp"

namespace tut::ch16::mine {

bool matmul_rectangular_agrees() { return product_agrees(ch05::matmul_rectangular); }

}  // namespace tut::ch16::mine
