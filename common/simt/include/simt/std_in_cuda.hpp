/// @file
/// cuda::std: libcu++'s copy of the standard library for device code. Here every function can run
/// in a kernel, so the host's own serves.
#ifndef SIMT_STD_IN_CUDA_HPP
#define SIMT_STD_IN_CUDA_HPP

namespace std {}

namespace cuda::std {
using namespace ::std;
}  // namespace cuda::std

#endif
