/// \file
/// Where lambdas begin, and what is theirs.
#pragma once

#include <vector>

#include "frontend/token.hpp"

namespace simt::rewrite {

/// Is the `[` at i the start of a lambda?
bool begins_lambda(const TokenList& list, Index i);

/// The `{` of the lambda whose `[` is at i, or kNone.
Index lambda_body(const TokenList& list, Index i);

/// The `[` of each lambda marked __device__, which may stand in host code.
std::vector<Index> device_lambdas(const TokenList& list);

}  // namespace simt::rewrite
