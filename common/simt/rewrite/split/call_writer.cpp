#include "split/call_writer.hpp"

#include "split/checks.hpp"
#include "split/phase_text.hpp"

namespace simt::rewrite::split {
namespace {

constexpr int kMostSlots = 1024;  // of simt::BlockRun

/// An argument and a result are copied as often as it takes, and CUDA's own functions have theirs
/// converted where they are used: neither may do anything.
void confirm_copies(const std::string& type, bool intrinsic, Pieces& out) {
  add(out, " static_assert(::simt::kIsSplitValue<" + type + ">" +
               (intrinsic ? "" : " || ::std::is_trivially_copyable_v<" + type + ">") + kConfirmed);
}

}  // namespace

void CallWriter::write(const CollectiveCall& call, Pieces& out) {
  const std::string number = std::to_string(call.first - body_.first);
  const std::string result = "simt_result_" + number, type = result + "_type";
  const std::string_view callee = list_.view(call.name);
  std::string declared, given;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string name = "simt_argument_" + number + "_" + std::to_string(i);
    write_argument(call, i, name, out);
    const bool place = context_.collectives->is_reference(callee, i);
    if (!place) confirm_copies(name + "_type", collective_intrinsics().contains(callee), out);
    declared += i == 0 ? "" : ", ";
    declared += (place ? "*::std::declval<" : "::std::declval<") + name + "_type&>()";
    given += ", " + name;
  }
  add(out, " using " + type + " = decltype(");
  add(out, call.first, call.callee_last);
  add(out, "(" + declared + "));");
  confirm_copies("::simt::Result<" + type + ">", false, out);
  add(out, " ::simt::Result<" + type + ">* const " + result + " = ");
  const std::string slot = std::to_string(next_slot());
  if (is_returned(call)) {
    add(out, "::simt::results_of_call<::simt::Result<" + type + ">>(simt_block, " + slot +
                 ", simt_results); ");
  } else {
    add(out, "simt_block.per_thread<::simt::Result<" + type + ">>(" + slot + "); ");
  }
  add(out, call.first, call.name);
  add(out, "simt_all_" + std::string(list_.view(call.name)));
  add(out, call.name + 1, call.callee_last);
  const std::string flags = phases_.mask();
  add(out, "(simt_block, " + (flags.empty() ? "::simt::detail::kAllInside.data()" : flags) + ", " +
               result + given + ");");
  phases_.replace_call(call, "::simt::result_of<" + type + ">(" + result + kOwn + ")");
}

/// Declares NAME, which has an argument's value for each thread t as NAME[t], or the address of
/// what a reference refers to, and its type NAME_type.
void CallWriter::write_argument(const CollectiveCall& call, std::size_t number,
                                const std::string& name, Pieces& out) {
  const auto [first, last] = call.arguments[number];
  const std::string_view callee = list_.view(call.name);
  const bool intrinsic = collective_intrinsics().contains(callee);
  const bool place = context_.collectives->is_reference(callee, number);
  const bool may_be_shared =
      intrinsic || context_.collectives->takes_shared_argument(callee, number);
  const Variable* variable = last == first + 1 ? variables_.find(first) : nullptr;
  if (may_be_shared && !place && variables_.is_uniform(first, last)) {
    if (variable != nullptr) {
      confirmations_.write_constant(first, last, out);
    } else {
      confirmations_.write(first, last, out);
    }
    add(out, " const ::simt::SameForAll " + name + "{");
    add(out, first, last);
    add(out, "}; using " + name + "_type = ::std::decay_t<decltype(" + name + ".value)>;");
  } else if (intrinsic && place && phases_.is_stored(first, last)) {
    phases_.write_places(name, first, last, out);
  } else if (!place && variable != nullptr && is_lent(*variable, callee)) {
    add(out, " const auto " + name + " = simt_all_" + std::string(variable->name) + "; using " +
                 name + "_type = ::std::decay_t<decltype(" + name + "[0])>;");
  } else {
    phases_.write_argument(name, first, last, place, next_slot(), out);
  }
}

bool CallWriter::is_returned(const CollectiveCall& call) const {
  return context_.is_function && list_.is(call.first - 1, "return") && list_.is(call.last, ";");
}

std::string CallWriter::has_results_in_place(const CollectiveCall& call) const {
  return "::std::is_same_v<::simt::Result<simt_result_" + std::to_string(call.first - body_.first) +
         "_type>, ::simt::Result<simt_returned>>";
}

/// May a call read a variable where it lies? It changes none, and nobody has the address of this.
bool CallWriter::is_lent(const Variable& variable, std::string_view callee) const {
  return variable.carrier == Carrier::per_thread && !variable.is_reference &&
         !variable.declarator.is_array() && !variable.is_pinned() &&
         (collective_intrinsics().contains(callee) ||
          !context_.collectives->has_references(callee));
}

int CallWriter::next_slot() {
  const auto slot = static_cast<int>(2 * variables_.all().size()) + 2 + more_slots_++;
  require(slot < kMostSlots, body_.first, "too many calls in which threads meet");
  return slot;
}

}  // namespace simt::rewrite::split
