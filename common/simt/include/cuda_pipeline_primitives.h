/// @file
/// The pipeline primitives by themselves.
#pragma once

#include "cuda_pipeline.h"
