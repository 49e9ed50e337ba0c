#include "12_mixed_precision/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "12_mixed_precision/formats.hpp"
#include "12_mixed_precision/matmul_tensor.hpp"
#include "12_mixed_precision/memory_of_training.hpp"
#include "12_mixed_precision/quantise.hpp"
#include "12_mixed_precision/scaled_training.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch12 {
namespace {

[[gnu::format(printf, 1, 2)]] std::string line(const char* format, ...) {
  char text[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

/// The sum of `count` ones in FP16, rounded after each.
int sum_of_ones(int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = rounded(FP16, sum + 1);
  return static_cast<int>(sum);
}

/// The same by a tensor core: a row of ones times a column of ones.
template <class Sum>
int product_of_ones(int count, void (*multiply)(MatrixView<const half>, MatrixView<const half>,
                                                MatrixView<Sum>, cudaStream_t)) {
  HostMatrix<half> row(1, count), column(count, 1);
  row.fill(half(1.0f));
  column.fill(half(1.0f));
  const DeviceMatrix<half> a(row), b(column);
  DeviceMatrix<Sum> c(1, 1);
  multiply(a.cview(), b.cview(), c.view(), nullptr);
  return static_cast<int>(to_double(c.download()(0, 0)));
}

}  // namespace

std::string format_table() {
  std::string text = line("%-6s %5s %9s %12s %10s %16s %10s %18s\n", "", "bits", "exponent",
                          "significand", "largest", "smallest normal", "smallest", "1/3 becomes");
  for (const Format& f : FORMATS) {
    text += line("%-6s %5d %9d %8d + 1 %10.4g %16.3g %10.3g %18.12g\n", f.name, f.bits(),
                 f.exponent_bits, f.stored_bits, largest(f), smallest_normal(f), smallest(f),
                 rounded(f, 1.0 / 3));
  }
  return text;
}

std::string swamping() {
  constexpr int COUNT = 40000;
  std::string text = line("%d ones added up\n", COUNT);
  text += line("  %-46s %6d\n", "in FP16, one after the other", sum_of_ones(COUNT));
  text += line("  %-46s %6d\n", "on a tensor core, sums in FP16",
               product_of_ones(COUNT, matmul_half_sums));
  text += line("  %-46s %6d\n", "on a tensor core, sums in FP32",
               product_of_ones(COUNT, matmul_float_sums));
  return text;
}

std::string error_table(std::span<const ErrorCurve> curves) {
  std::string text = line("%-48s", "relative error of C = AB, K =");
  for (const int k : LENGTHS) text += line(" %8d", k);
  text += "\n";
  for (const ErrorCurve& curve : curves) {
    text += line("%-48s", curve.name.c_str());
    for (const double error : curve.errors) text += line(" %8.1e", error);
    text += "\n";
  }
  return text;
}

std::string scaling_table() {
  const LossScalePolicy moving{
      .initial = 0x1p60f, .interval = 20, .smallest = 1.0f, .largest = 0x1p60f};
  struct Row {
    const char* name;
    LossScalePolicy policy;
  };
  std::string text = line("%-30s %12s %14s %12s\n", "gradients in FP16, 200 steps", "error left",
                          "steps skipped", "last scale");
  for (const Row& row : {Row{"no scale", LossScalePolicy::fixed(1.0f)},
                         Row{"scale 2^16", LossScalePolicy::fixed(65536.0f)},
                         Row{"scale 2^60", LossScalePolicy::fixed(0x1p60f)},
                         Row{"a scale that moves, from 2^60", moving}}) {
    const ScaledTraining result = train_with_half_gradients(row.policy, 200);
    text += line("%-30s %12.1e %14d %12s\n", row.name, result.residual, result.scale.skipped_steps,
                 ("2^" + std::to_string(std::ilogb(result.scale.scale))).c_str());
  }
  return text;
}

std::string quantisation_table() {
  constexpr int N = 32, K = 256;
  // The error of the product of quantised matrices, without A's first row, relative to C.
  const auto error = [](const HostMatrix<float>& a, const HostMatrix<float>& b, bool each_row) {
    const auto largest_a = [&](int row) {
      float most = 0.0f;
      for (int r = each_row ? row : 0; r < (each_row ? row + 1 : N); ++r) {
        for (int k = 0; k < K; ++k) most = std::max(most, std::abs(a(r, k)));
      }
      return most;
    };
    const auto largest_b = [&](int col) {
      float most = 0.0f;
      for (int c = each_row ? col : 0; c < (each_row ? col + 1 : N); ++c) {
        for (int k = 0; k < K; ++k) most = std::max(most, std::abs(b(k, c)));
      }
      return most;
    };
    double errors = 0, squares = 0;
    for (int r = 1; r < N; ++r) {
      const Quantisation by_a = symmetric(largest_a(r));
      for (int c = 0; c < N; ++c) {
        const Quantisation by_b = symmetric(largest_b(c));
        int sum = 0;
        double exact = 0;
        for (int k = 0; k < K; ++k) {
          sum += quantise(a(r, k), by_a) * quantise(b(k, c), by_b);
          exact += static_cast<double>(a(r, k)) * static_cast<double>(b(k, c));
        }
        const double got = static_cast<double>(by_a.scale * by_b.scale * static_cast<float>(sum));
        errors += (got - exact) * (got - exact);
        squares += exact * exact;
      }
    }
    return std::sqrt(errors / squares);
  };
  HostMatrix<float> a(N, K), b(K, N);
  fill_uniform(a, 41);
  fill_uniform(b, 42);
  HostMatrix<float> with_outlier = a;
  with_outlier(0, 0) = 100.0f;
  std::string text = line("%-66s %14s\n", "products of 8-bit integers, K = 256", "relative error");
  text += line("%-66s %14.1e\n", "numbers in [-1, 1], a scale for each matrix", error(a, b, false));
  text += line("%-66s %14.1e\n", "the same, but one element of A is 100",
               error(with_outlier, b, false));
  text += line("%-66s %14.1e\n", "the same, a scale for each row of A and each column of B",
               error(with_outlier, b, true));
  return text;
}

std::string memory_table() {
  constexpr double USED = 4096, TRAINED = 2048;  // tokens
  std::string text =
      line("%-28s %8s %8s %10s %10s %12s %9s %8s\n", "7 billion parameters, GB", "weights",
           "master", "gradients", "optimiser", "activations", "KV cache", "in all");
  for (const TrainingRecipe& recipe : {USE_FP32, USE_16_BITS, USE_8_BITS, USE_4_BITS, SGD_FP32,
                                       SGD_MIXED, ADAM_FP32, ADAM_MIXED, ADAM_8_BIT_STATE}) {
    const TrainingMemory memory = memory_of_training(SEVEN_BILLION.parameters, recipe,
                                                     kept_activations(SEVEN_BILLION, TRAINED),
                                                     kv_cache_numbers(SEVEN_BILLION, USED));
    text += line("%-28s %8.1f %8.1f %10.1f %10.1f %12.1f %9.1f %8.1f\n", recipe.name,
                 memory.weights / 1e9, memory.master / 1e9, memory.gradients / 1e9,
                 memory.optimiser / 1e9, memory.activations / 1e9, memory.kv_cache / 1e9,
                 memory.total() / 1e9);
  }
  return text;
}

}  // namespace tut::ch12
