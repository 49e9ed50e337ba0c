#pragma once

/// Multiplies `n` numbers in device memory by the factor set last.
void set_factor(float factor);
void scale(float* values, int n);
