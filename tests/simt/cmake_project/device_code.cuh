#pragma once

__device__ float offset_of(int i);
extern __device__ int calls;
