#pragma once

/// The sum of the squares of `n` numbers in device memory.
float squared_norm(const float* values, int n);
