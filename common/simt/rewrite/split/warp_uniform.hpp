/// \file
/// Which expressions have one value in all lanes of a warp. Lanes that compute a product together
/// have to go the same way.
#pragma once

#include <cstddef>
#include <set>

#include "split/variables.hpp"

namespace simt::rewrite::split {

/// A warp's lanes are neighbours in x: what depends on `threadIdx.x / 32` alone is the same for
/// them. In a block whose rows are no whole warps it may not be; then the call itself finds out.
class WarpUniform {
 public:
  WarpUniform(const TokenList& list, const KernelContext& context, const Variables& variables)
      : list_(list), context_(context), variables_(variables) {}

  /// Is it surely the same in all lanes? In a function, if the parameters that it goes by are,
  /// which are added to `context.uniform_parameters`.
  bool holds(Index first, Index last) const;

 private:
  bool known(const Node& node) const;
  bool known_variable(const Variable& variable) const;
  bool is_warp_number(const Node& node) const;
  bool is_thread_x(const Node& node) const;

  const TokenList& list_;
  const KernelContext& context_;
  const Variables& variables_;
};

}  // namespace simt::rewrite::split
