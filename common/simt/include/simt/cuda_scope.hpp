/// @file
/// Among whom a primitive of libcu++ works.
#ifndef SIMT_CUDA_SCOPE_HPP
#define SIMT_CUDA_SCOPE_HPP

namespace cuda {

enum thread_scope : int {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 3,
};

}  // namespace cuda

#endif
