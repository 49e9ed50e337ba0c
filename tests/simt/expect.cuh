#pragma once

#include <cstdio>

/// What a conformance program found wrong; its exit code is `report()`.
inline int failures = 0;

/// Notes a result that is not what CUDA gives.
template <class Got, class Want>
void expect(const char* what, Got got, Want want) {
  if (got == static_cast<Got>(want)) return;
  std::printf("%s: expected %lld, got %lld\n", what, static_cast<long long>(want),
              static_cast<long long>(got));
  ++failures;
}

inline int report() {
  if (failures == 0) std::printf("ok\n");
  return failures == 0 ? 0 : 1;
}
