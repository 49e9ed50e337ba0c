#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "guarded_device.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/compare/device_probe.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"
#include "tut/testing/outcome.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/grid_reach.hpp"
#include "tut/trial/refusal.hpp"

/// What the exercises' tests of the chapter share: a tensor is a matrix with a row for each of its
/// planes' rows, in memory between guard zones or exactly as long as it is.
namespace tut::ch13 {

enum class Fill {
  uniform,   ///< in [-1, 1): judged by the error bound
  integers,  ///< small: sums are exact in any order
  one_hot,   ///< all 0 but one element, for inputs: a swapped index puts it elsewhere
  specials,  ///< large, with infinities and a NaN in the image, and a weight of 0
};

struct Setting {
  Fill fill = Fill::uniform;
  bool dense = false;    ///< memory that ends where the tensor does
  bool shifted = false;  ///< memory that begins an element behind a multiple of 16 bytes
};

inline constexpr std::initializer_list<Setting> all_settings{
    {Fill::uniform, false}, {Fill::uniform, true},        {Fill::integers, false},
    {Fill::one_hot, true},  {Fill::uniform, false, true}, {Fill::specials, false}};
/// For a budget, and where only a size matters.
inline constexpr Setting dense_uniform{Fill::uniform, true};

/// Expects that all is well in every setting. Of failures of one kind only the first is reported:
/// the other settings have the same shape, and mostly the same to say.
template <class OutcomeOf>
void expect_in_all_settings(const OutcomeOf& outcome_of,
                            const SourceLocation& where = SourceLocation::current()) {
  std::set<std::string> reported;
  for (const Setting& setting : all_settings) {
    const Outcome found = outcome_of(setting);
    if (found.ok || reported.insert(found.kind).second) expect(found, where);
  }
}

/// Memory for a tensor of rows x cols, which has no stride; an output, still unwritten.
template <class T>
Guarded<T> tensor(int rows, int cols, const Setting& setting) {
  Guarded<T> dense(rows, cols, cols, setting.dense ? 0 : setting.shifted ? 4097 : 4096);
  dense.set_placement({.stride = 0});
  return dense;
}

/// Random values, of which an image is large and has an infinity at each end and a NaN between, and
/// of which one is 0 where it is a factor.
template <class T>
void fill_specials(HostMatrix<T>& values, std::uint64_t seed, bool is_image) {
  const float size = !is_image ? 1.0f : sizeof(T) == 2 ? 3000.0f : 1e30f;
  fill_uniform(values, seed, -size, size);
  const auto elements = values.span();
  if (!is_image) {
    elements[elements.size() / 2] = from_float<T>(0.0f);
    return;
  }
  elements[elements.size() / 3] = from_float<T>(std::numeric_limits<float>::quiet_NaN());
  elements.back() = from_float<T>(-std::numeric_limits<float>::infinity());
  elements.front() = from_float<T>(std::numeric_limits<float>::infinity());
}

/// An input. `is_image`: the tensor that a one-hot case has its one in; the others get integers.
template <class T>
Guarded<T> filled(int rows, int cols, const Setting& setting, std::uint64_t seed,
                  bool is_image = false) {
  Guarded<T> image = tensor<T>(rows, cols, setting);
  HostMatrix<T> values(rows, cols);
  if (setting.fill == Fill::uniform) {
    fill_uniform(values, seed);
  } else if (setting.fill == Fill::specials) {
    fill_specials(values, seed, is_image);
  } else if (setting.fill == Fill::integers || !is_image) {
    fill_small_integers(values, seed, 3);
  } else {
    values.fill(from_float<T>(0.0f));
    const auto size = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
    values.span()[drawn_bits(seed, size) % size] = from_float<T>(1.0f);
  }
  image.set(values);
  return image;
}

/// Element `index` of the tensor, in double.
template <class T>
double at(const Guarded<T>& image, std::int64_t index) {
  return to_double(image.cview().data[index]);
}

/// What T makes of a sum: infinity beyond the largest half.
template <class T>
double in_range_of(double value) {
  const bool beyond = sizeof(T) == 2 && std::abs(value) >= 65520;
  return beyond ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
}

/// What single pixels and single taps say of a convolution in FP32. `sums(in, weights)` is what it
/// must compute without a bias, of elements by their numbers; `call(in, weights, bias, out,
/// stream)` starts it.
template <class Sums, class Call>
std::string probe_taps(const std::vector<int>& in, const std::vector<int>& weights,
                       const std::vector<int>& out, const Sums& sums, const Call& call) {
  Probe probe{{{"in", in}, {"weights", weights}}, {"out", out}, {}, {}};
  probe.reference = [&](const std::vector<Probe::Values>& inputs) {
    const auto of = [&](std::size_t input) {
      return [&, input](int index) { return inputs[input][static_cast<std::size_t>(index)]; };
    };
    Probe::Values values;
    for (const test::Sum& sum : sums(of(0), of(1))) values.push_back(sum.value);
    return values;
  };
  const DeviceBuffer<float> bias(std::vector<float>(static_cast<std::size_t>(out[1]), 0.0f));
  probe.run = probe_on_device(
      probe.output, [&](const std::vector<const float*>& from, float* to, cudaStream_t stream) {
        call(from[0], from[1], bias.data(), to, stream);
      });
  return probe_one_hot(probe);
}

/// The elements of a tensor by their numbers.
template <class T>
auto elements_of(const Guarded<T>& image) {
  return [&](int index) { return at(image, index); };
}

/// Compares the output with its sums, in memory's order, and looks that nothing beside it changed.
/// `accumulation` is 2^-24 on CUDA cores and 2^-23 in tensor cores; `probe`: CompareOptions::probe.
template <class T>
Outcome sums_outcome(const Guarded<T>& before, const Guarded<T>& after,
                     const std::vector<test::Sum>& sums, const Setting& setting,
                     const std::string& text, double accumulation = 0x1p-24,
                     const std::function<std::string()>& probe = {}) {
  HostMatrix<double> expected(after.rows(), after.cols()), bound(after.rows(), after.cols());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const test::Sum& sum = sums[i];
    expected.span()[i] = in_range_of<T>(sum.value);
    double& limit = bound.span()[i];
    limit = (sizeof(T) < 4 ? Precision<T>::rounding : 0) * std::abs(sum.value);
    if (setting.fill != Fill::uniform && setting.fill != Fill::specials) continue;
    limit += 2 * std::sqrt(sum.terms) * accumulation * sum.magnitude +
             accumulation * std::abs(sum.value) + Precision<T>::underflow;
  }
  const bool specials = setting.fill == Fill::specials;
  CompareOptions options{
      .name = "out", .shape = text + (specials ? ", with infinities" : ""), .pattern = {}};
  options.probe = probe;
  return first_failure({compare(after.cview(), expected, bound, options),
                        only_inside_changed(before, after, "out", text)});
}

/// What there are more of in the shape of a larger number: "images", or "filters".
template <class ShapeOf>
std::string growing_size(const ShapeOf& shape_of) {
  constexpr int kFew = 1'000, kMore = 1'000'000;
  const auto few = shape_of(kFew), more = shape_of(kMore);
  if (few.n != more.n) return "images";
  if (few.h != more.h) return "rows of pixels";
  if (few.w != more.w) return "columns of pixels";
  return few.c != more.c ? "channels" : "filters";
}

/// grid_reach_outcome of a convolution in FP32 whose shape grows with a number: `start(shape, in,
/// weights, bias, out, stream)` starts it, `values(shape)` says whether it is right.
template <class ShapeOf, class Start, class Values>
Outcome shape_reach_outcome(const ShapeOf& shape_of, const Start& start, const Values& values,
                            int tried, int most = kLongSize) {
  const LongBuffer<float> in, weights, bias, out;
  const auto largest = shape_of(most);
  const std::int64_t size = std::int64_t{largest.n} * largest.k * largest.out_h() * largest.out_w();
  const MarkedParts result("out", out.data(), static_cast<std::size_t>(size));
  return grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         start(shape_of(n), in.data(), weights.data(), bias.data(), out.data(), stream);
       },
       growing_size(shape_of)},
      [&](int n) { return values(shape_of(n)); }, tried, result, most);
}

/// grid_reach_outcome of an image of up to 10^9 pixels, in rows of so many, of one channel, and one
/// filter of one tap: the last pixels come to their places, however far they have to be counted.
/// How many of them the last blocks compute is a matter of the block; the last one they do.
template <class ShapeOf, class Start, class Values>
Outcome large_image_outcome(int cols, const ShapeOf& shape_of, const Start& start,
                            const Values& values) {
  constexpr std::size_t kLast = 16;
  const auto shape_of_pixels = [&](int n) { return shape_of(std::max(1, n / cols), cols); };
  const std::size_t before = std::size_t{1} * (kLongSize / cols) * cols - kLast;
  const LongBuffer<float> in, out;
  const DeviceBuffer<float> weight(std::vector<float>{1.0f}), bias(std::vector<float>{0.0f});
  std::vector<float> pixels(kLast);
  std::iota(pixels.begin(), pixels.end(), 1.0f);
  const std::size_t bytes = kLast * sizeof(float);
  if (simt_run_ends != nullptr) {
    check(cudaMemcpy(in.data() + before, pixels.data(), bytes, cudaMemcpyHostToDevice));
    const std::vector<float> unwritten(kLast, unwritten_value<float>());
    check(cudaMemcpy(out.data() + before, unwritten.data(), bytes, cudaMemcpyHostToDevice));
  }
  const auto ends = [&]() -> Outcome {
    std::vector<float> found(kLast);
    check(cudaMemcpy(found.data(), out.data() + before, bytes, cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < kLast; ++i) {
      if (found[i] == pixels[i] || (is_unwritten(found[i]) && i + 1 < kLast)) continue;
      const std::string sides = std::to_string(kLongSize / cols) + "x" + std::to_string(cols);
      return failure("values",
                     "an image of " + sides + ", of which only the ends are run, came to " +
                         value_text(found[i]) + " at pixel " + std::to_string(before + i) +
                         "; expected " + number_text(pixels[i]) +
                         ": are pixels counted in whole numbers? A float cannot hold "
                         "so many digits");
    }
    return {};
  };
  return grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         start(shape_of_pixels(n), in.data(), weight.data(), bias.data(), out.data(), stream);
       },
       "pixels"},
      [&](int n) { return values(shape_of_pixels(n)); }, kLongSize, kLongSize, ends);
}

/// The sizes of in, weights and out, in the order of their views' members.
using Sizes = std::array<std::array<int, 4>, 3>;

/// Whether `call(in, weights, bias, out)` throws std::invalid_argument whenever a single size is
/// one more or one less than in `right`, for `empty` sizes, which fit but for a 0, and whenever one
/// of the four has no data. View is a TensorView or an NhwcView.
template <class View, class Call>
Outcome refusals_outcome(const Sizes& right, std::initializer_list<Sizes> empty, const Call& call) {
  using T = std::remove_pointer_t<decltype(View::data)>;
  constexpr std::array NAMES{"in", "weights", "out"};
  const DeviceBuffer<T> memory(3 * 4096);
  const DeviceBuffer<float> bias(4096);
  // `without`: the number of the argument that has no data; 3 is the bias.
  const auto refused = [&](const Sizes& sizes, std::size_t without) {
    const auto view = [&](std::size_t i) {
      const auto& [a, b, c, d] = sizes[i];
      return View{i == without ? nullptr : memory.data() + 4096 * i, a, b, c, d};
    };
    const int findings = findings_so_far();
    try {
      call(view(0), view(1), without == 3 ? nullptr : bias.data(), view(2));
    } catch (const std::invalid_argument&) {
      return true;
    }
    leave_out_findings_since(findings);
    return false;
  };
  const auto taken = [](const std::string& what) {
    return failure("values", what + ", and nothing was thrown; expected std::invalid_argument");
  };
  for (std::size_t tensor = 0; tensor < right.size(); ++tensor) {
    for (std::size_t side = 0; side < right[tensor].size(); ++side) {
      for (const int more : {-1, 1}) {
        Sizes sizes = right;
        sizes[tensor][side] += more;
        if (refused(sizes, 4)) continue;
        return taken("size " + std::to_string(side) + " of " + NAMES[tensor] + " was " +
                     std::to_string(sizes[tensor][side]) + " where " +
                     std::to_string(right[tensor][side]) + " fits");
      }
    }
    if (!refused(right, tensor)) return taken(NAMES[tensor] + std::string(" was a null pointer"));
  }
  for (const Sizes& sizes : empty) {
    if (refused(sizes, 4)) continue;
    return taken("sizes fitted, but there were no images, filters or pixels");
  }
  return refused(right, 3) ? Outcome{} : taken("the bias was a null pointer");
}

}  // namespace tut::ch13
