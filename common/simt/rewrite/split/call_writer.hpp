/// \file
/// Writes the calls in which threads meet: each is made once, for all threads of the block.
#pragma once

#include <string>
#include <string_view>

#include "split/confirmations.hpp"
#include "split/phase.hpp"

namespace simt::rewrite::split {

class CallWriter {
 public:
  CallWriter(const TokenList& list, const KernelContext& context, const Variables& variables,
             const Statement& body, const ConfirmationWriter& confirmations, PhaseWriter& phases)
      : list_(list),
        context_(context),
        variables_(variables),
        body_(body),
        confirmations_(confirmations),
        phases_(phases) {}

  /// Appends the call; where it stood, its result of this thread is read from now on.
  void write(const CollectiveCall& call, Pieces& out);

  /// Is it all that a function's `return CALL;` has? Then its results can be the function's own.
  bool is_returned(const CollectiveCall& call) const;
  /// What then tells that they are: a constant.
  std::string has_results_in_place(const CollectiveCall& call) const;

  /// A place of its own for what is not one of the kernel's variables. Slots of variables come
  /// first, and the flags of strided loops. Throws NotSplittable if there are too many.
  int next_slot();

 private:
  void write_argument(const CollectiveCall& call, std::size_t number, const std::string& name,
                      Pieces& out);
  bool is_lent(const Variable& variable, std::string_view callee) const;

  const TokenList& list_;
  const KernelContext& context_;
  const Variables& variables_;
  const Statement& body_;
  const ConfirmationWriter& confirmations_;
  PhaseWriter& phases_;
  int more_slots_ = 0;
};

}  // namespace simt::rewrite::split
