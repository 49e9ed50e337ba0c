/// @file
/// CUDA's function and variable qualifiers. The rewriter has dealt with them before the compiler
/// sees a .cu file; in plain C++ they mean nothing.
#ifndef SIMT_HOST_DEFINES_H
#define SIMT_HOST_DEFINES_H

#ifndef __CUDACC__
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif

#endif
