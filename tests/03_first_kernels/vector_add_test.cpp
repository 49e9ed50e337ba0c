#include "03_first_kernels/vector_add.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "tut/numeric/random.hpp"
#include "vector_case.hpp"

namespace tut::ch03 {
namespace {

Outcome vector_add_outcome(int n) {
  std::vector<float> a_values(static_cast<std::size_t>(n)), b_values(a_values), sum(a_values);
  fill_uniform(a_values, 1);
  fill_uniform(b_values, 2);
  std::ranges::transform(a_values, b_values, sum.begin(), std::plus<float>());
  Guarded<float> a = make_vector(a_values), b = make_vector(b_values);
  Guarded<float> c = make_vector(std::vector<float>(a_values.size(), unwritten_value<float>()));
  const Guarded<float> a_before = a, b_before = b, c_before = c;
  const std::string text = "n = " + std::to_string(n);

  Outcome run = run_on_device(
      text,
      [n](cudaStream_t stream, MatrixView<const float> av, MatrixView<const float> bv,
          MatrixView<float> cv) { vector_add(av.data, bv.data, cv.data, n, stream); },
      a, b, c);
  if (!run.ok) return run;
  return first_failure({exactly(c_before, c, sum, "c", text),
                        nothing_changed(a_before, a, "a", text, true),
                        nothing_changed(b_before, b, "b", text, true)});
}

}  // namespace

TEST_CASE("vector_add adds every element and no other") {
  for (const int n : {1, 2, 255, 256, 257, 1000, 65537}) expect(vector_add_outcome(n));
}

TEST_CASE("vector_add does nothing for no elements, and refuses a negative number") {
  CHECK_NOTHROW(vector_add(nullptr, nullptr, nullptr, 0));
  CHECK_THROWS_AS(vector_add(nullptr, nullptr, nullptr, -1), std::invalid_argument);
}

}  // namespace tut::ch03
