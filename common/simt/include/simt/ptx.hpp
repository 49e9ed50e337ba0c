/// @file
/// What inline PTX becomes: each instruction a call, each register a variable.
/// Source: PTX ISA, "Instruction Set".
#ifndef SIMT_PTX_HPP
#define SIMT_PTX_HPP

#include "simt/ptx/arithmetic.hpp"
#include "simt/ptx/bits.hpp"
#include "simt/ptx/bulk_copy.hpp"
#include "simt/ptx/compare.hpp"
#include "simt/ptx/matrix_transfer.hpp"
#include "simt/ptx/memory.hpp"
#include "simt/ptx/mma.hpp"
#include "simt/ptx/registers.hpp"
#include "simt/ptx/threads.hpp"
#include "simt/ptx/warpgroup.hpp"

#endif
