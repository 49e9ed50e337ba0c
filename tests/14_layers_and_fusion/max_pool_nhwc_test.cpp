#include "14_layers_and_fusion/max_pool_nhwc.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "tut/device/device_buffer.hpp"
#include "tut/numeric/random.hpp"
#include "tut/numeric/tf32.hpp"

namespace {

using namespace tut;
using ch13::NhwcView;
using ch14::BeforePool;
using ch14::Winner;

struct Shape {
  int n, h, w, c;
};

// Pools random values, with as many below 0 as above, and sends a gradient back.
template <class T>
void check_pooling(const Shape& s, BeforePool before) {
  const std::size_t size = std::size_t{1} * s.n * s.h * s.w * s.c;
  const int oh = s.h / 2, ow = s.w / 2;
  const std::size_t pooled = std::size_t{1} * s.n * oh * ow * s.c;
  std::vector<float> values(size), gradient(pooled);
  fill_uniform(values, 1);
  fill_uniform(gradient, 2);
  const auto rounded = [](const std::vector<float>& from) {
    std::vector<T> to;
    for (const float value : from) to.push_back(static_cast<T>(value));
    return to;
  };
  const std::vector<T> host = rounded(values), d_host = rounded(gradient);
  const DeviceBuffer<T> in(host), d_out(d_host);
  DeviceBuffer<T> out(pooled), d_in(size);
  DeviceBuffer<Winner> winners(pooled);
  d_in.fill_bytes(0xFF);
  const std::span<Winner> all{winners.data(), pooled};
  ch14::max_pool_nhwc<T>(NhwcView<const T>{in.data(), s.n, s.h, s.w, s.c},
                         {out.data(), s.n, oh, ow, s.c}, all, before);
  ch14::max_pool_nhwc_backward<T>(all, NhwcView<const T>{d_out.data(), s.n, oh, ow, s.c},
                                  {d_in.data(), s.n, s.h, s.w, s.c});

  const NhwcView<const T> from{host.data(), s.n, s.h, s.w, s.c};
  std::vector<T> expected(pooled), d_expected(size, static_cast<T>(0.0f));
  const NhwcView<T> to{expected.data(), s.n, oh, ow, s.c};
  const NhwcView<T> d_to{d_expected.data(), s.n, s.h, s.w, s.c};
  const NhwcView<const T> d_from{d_host.data(), s.n, oh, ow, s.c};
  for (int i = 0; i < s.n; ++i) {
    for (int y = 0; y < oh; ++y) {
      for (int x = 0; x < ow; ++x) {
        for (int j = 0; j < s.c; ++j) {
          int best = 0;
          const auto at = [&](int k) {
            return static_cast<float>(from(i, 2 * y + k / 2, 2 * x + k % 2, j));
          };
          for (int k = 1; k < 4; ++k) best = at(k) > at(best) ? k : best;
          const bool cut = before == BeforePool::relu && at(best) <= 0;
          to(i, y, x, j) = static_cast<T>(cut ? 0.0f : at(best));
          if (!cut) d_to(i, 2 * y + best / 2, 2 * x + best % 2, j) = d_from(i, y, x, j);
        }
      }
    }
  }
  const auto equal = [](const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) {
      return static_cast<float>(x) == static_cast<float>(y);
    });
  };
  CHECK_MESSAGE(equal(out.to_host(), expected), "kind: values: the pooled tensor is wrong");
  CHECK_MESSAGE(equal(d_in.to_host(), d_expected), "kind: values: the gradient is wrong");
}

}  // namespace

TEST_CASE("pooling with channels innermost: values and gradient, odd sides too") {
  for (const Shape& shape : {Shape{1, 2, 2, 1}, {2, 24, 24, 8}, {3, 7, 5, 13}, {1, 4, 9, 3}}) {
    CAPTURE(shape.h);
    for (const BeforePool before : {BeforePool::nothing, BeforePool::relu}) {
      check_pooling<float>(shape, before);
      check_pooling<__half>(shape, before);
      check_pooling<__nv_bfloat16>(shape, before);
      check_pooling<tut::Tf32>(shape, before);
    }
  }
}

TEST_CASE("pooling with channels innermost: a NaN is the largest, the first of equals wins") {
  const std::vector<float> values{1, NAN, 2, 3};
  const DeviceBuffer<float> in(values), equals(std::vector<float>{5, 5, 5, 5});
  DeviceBuffer<float> out(1);
  DeviceBuffer<Winner> winners(1);
  const std::span<Winner> all{winners.data(), 1};
  const auto pool = [&](const DeviceBuffer<float>& from) {
    ch14::max_pool_nhwc<float>(NhwcView<const float>{from.data(), 1, 2, 2, 1},
                               {out.data(), 1, 1, 1, 1}, all, BeforePool::relu);
  };
  pool(in);
  CHECK(std::isnan(out.to_host()[0]));
  pool(equals);
  CHECK(out.to_host()[0] == 5);
  CHECK(winners.to_host()[0] == Winner::upper_left);
}

TEST_CASE("pooling with channels innermost refuses shapes that do not fit") {
  DeviceBuffer<float> in(36), out(36);
  DeviceBuffer<Winner> winners(36);
  in.fill_bytes(0);
  const auto pool = [&](int h, int out_h, std::size_t count) {
    ch14::max_pool_nhwc<float>(NhwcView<const float>{in.data(), 1, h, 4, 1},
                               {out.data(), 1, out_h, 2, 1}, {winners.data(), count},
                               BeforePool::nothing);
  };
  CHECK_NOTHROW(pool(4, 2, 4));
  CHECK_THROWS_AS(pool(1, 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(pool(4, 3, 6), std::invalid_argument);
  CHECK_THROWS_AS(pool(4, 2, 3), std::invalid_argument);
}
