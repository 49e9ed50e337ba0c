/// @file
/// Where CUDA keeps the qualifiers.
#include "../host_defines.h"
