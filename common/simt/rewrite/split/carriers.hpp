/// \file
/// How each variable of a kernel gets over the barriers.
#pragma once

#include "split/checks.hpp"

namespace simt::rewrite::split {

/// Sets `carrier` and `stable` of all variables. Throws NotSplittable where one of them cannot be
/// carried. With `hoist`, loops without barriers are cut too.
void choose_carriers(const TokenList& list, const Statement& body, const Checks& checks,
                     Variables& variables, bool hoist);

}  // namespace simt::rewrite::split
