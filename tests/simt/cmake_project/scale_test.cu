#include "scale.hpp"

#include <gtest/gtest.h>

TEST(Scale, MultipliesByTheFactorSetLast) {
  float* values = nullptr;
  ASSERT_EQ(cudaMallocManaged(&values, 2 * sizeof(float)), cudaSuccess);
  values[0] = 1;
  values[1] = 2;
  set_factor(3);
  scale(values, 2);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(values[0], 3);
  EXPECT_EQ(values[1], 6);
  cudaFree(values);
}
