// Much of the standard library, templates and tables, where a line would do.
#include "03_first_kernels/reverse.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "tut/errors/check.hpp"

static constexpr int kSizes[] = {512, 64, 256};
static constexpr std::array<const char*, 3> kNames = {"large", "small", "medium"};
const double kShares[2] = {0.25, 0.75};

template <typename T>
__host__ __device__ inline void swap_two(T& a, T& b) {
  const T kept = a;
  a = b;
  b = kept;
}

template <typename T, int BLOCK>
__global__ void __launch_bounds__(BLOCK) swap_kernel(T* __restrict__ x, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n / 2) swap_two(x[i], x[n - 1 - i]);
}

struct Plan {
  int blocks = 0;
  std::string name;
};

static std::shared_ptr<Plan> make_plan(int n) {
  std::vector<int> sizes(std::begin(kSizes), std::end(kSizes));
  std::sort(sizes.begin(), sizes.end(), [](int a, int b) { return a > b; });
  std::map<int, std::string> names;
  std::unordered_map<std::string, int> counts;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    names[kSizes[i]] = kNames[i];
    ++counts[kNames[i]];
  }
  std::function<int(int)> blocks = [&](int block) { return (n / 2 + block - 1) / block; };
  std::ostringstream text;
  text << names.at(sizes[1]) << ' ' << counts.size() << ' '
       << std::accumulate(kShares, kShares + 2, 0.0);
  auto plan = std::make_shared<Plan>();
  plan->blocks = blocks(256);
  plan->name = text.str();
  return plan;
}

namespace tut::ch03 {

void reverse(float* x, int n, cudaStream_t stream) {
  if (n < 0) throw std::invalid_argument("n is negative");
  if (n < 2) return;
  const std::optional<int> none;
  const auto plan = make_plan(n);
  swap_kernel<float, 256><<<none.value_or(plan->blocks), 256, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
