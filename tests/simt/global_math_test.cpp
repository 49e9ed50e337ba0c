#include <cuda_runtime.h>

// C++20's <math.h> would bring std::lerp to the global namespace, where this one would clash with
// it. It stands before the other includes, as only what the first brings is tested.
static float lerp(float a, float b, float t) { return a + t * (b - a) + 100.0F; }

#include <doctest/doctest.h>
#include <math.h>

#include <cmath>

TEST_CASE("a program may have its own lerp") {
  CHECK(lerp(1.0F, 3.0F, 0.5F) == 102.0F);
  CHECK(std::lerp(1.0F, 3.0F, 0.5F) == 2.0F);
}
