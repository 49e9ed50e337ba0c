/// @file
/// The calls of the driver API with the versions of CUDA that brought them in the form that they
/// have here.
#ifndef SIMT_DRIVER_VERSIONS_HPP
#define SIMT_DRIVER_VERSIONS_HPP

#define SIMT_DRIVER_CALLS(CALL)        \
  CALL(cuGetErrorName, 6000)           \
  CALL(cuGetErrorString, 6000)         \
  CALL(cuInit, 2000)                   \
  CALL(cuDriverGetVersion, 2020)       \
  CALL(cuDeviceGetCount, 2000)         \
  CALL(cuDeviceGet, 2000)              \
  CALL(cuDeviceGetName, 2000)          \
  CALL(cuDeviceGetAttribute, 2000)     \
  CALL(cuDeviceTotalMem, 3020)         \
  CALL(cuCtxSynchronize, 2000)         \
  CALL(cuStreamSynchronize, 2000)      \
  CALL(cuMemAlloc, 3020)               \
  CALL(cuMemFree, 3020)                \
  CALL(cuMemcpyHtoD, 3020)             \
  CALL(cuMemcpyDtoH, 3020)             \
  CALL(cuMemcpyDtoD, 3020)             \
  CALL(cuMemsetD8, 3020)               \
  CALL(cuMemsetD32, 3020)              \
  CALL(cuMemGetInfo, 3020)             \
  CALL(cuTensorMapEncodeTiled, 12000)  \
  CALL(cuTensorMapEncodeIm2col, 12000) \
  CALL(cuTensorMapReplaceAddress, 12000)

#endif
