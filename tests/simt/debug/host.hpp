/// \file
/// What a function of host.cpp begins with.
#pragma once

[[gnu::always_inline]] inline int first_value() {
  int value = 4;
  ++value;
  return value;
}
