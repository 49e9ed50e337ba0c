// Strided loops, and variables that count up from thread to thread.
#include <string>

#include "phase.hpp"
#include "phase_text.hpp"

namespace simt::rewrite::split {

/// A phase in strided loops: the threads that passed the guards and have not left the loops.
void PhaseWriter::write_in_loops(const std::vector<PhaseItem>& items, Pieces& out) const {
  add(out, kRows);
  if (context_.needs_thread_state || has_long_loop(items)) {
    add(out, " ::simt::for_each_lane(simt_nx, ");
    thread_body(items, nullptr, true, out);
  } else {
    add(out, " ::simt::for_guarded_lanes(simt_nx, ");
    open_thread(out);
    if (masked_) add(out, " if (!" + std::string(kInside) + ") return false;");
    for (const StridedLoop& loop : loops_) {
      std::vector<bool> needed(variables_.all().size(), false);
      need(loop.header.condition_first, loop.header.condition_last, needed);
      add(out, " {");
      prologue(needed, out);
      add(out, " if (!(");
      add(out, loop.header.condition_first, loop.header.condition_last);
      add(out, ")) return false; }");
    }
    add(out, " return true; }, ");
    thread_body(items, nullptr, false, out);
    add(out, ", ");
    thread_body(items, nullptr, true, out);
  }
  add(out, ");");
}

void PhaseWriter::enter(const StridedLoop& loop, Pieces& out) {
  const std::string name(loop.variable->name);
  const Declarator& d = loop.header.variable;
  add(out, " {");
  add(out, d.type_first, d.type_last);
  add(out, " simt_lowest_" + name +
               " = __extension__({ constexpr ::std::ptrdiff_t simt_first = 0, simt_lane = 0,"
               " simt_x = 0, simt_y = 0, simt_z = 0; constexpr ::uint3 threadIdx{0, 0, 0};"
               " static_cast<void>(simt_first + simt_lane + simt_x + simt_y + simt_z +"
               " threadIdx.x);");
  std::vector<bool> needed(variables_.all().size(), false);
  need(d.init_first, d.init_last, needed);
  prologue(needed, out);
  add(out, " ");
  add(out, d.init_first + 1, d.init_last);
  add(out, "; }); using simt_type_" + name + " = ::std::remove_cv_t<decltype(simt_lowest_" + name +
               ")>; simt_type_" + name + " simt_offset_" + name + " = 0; bool simt_regular_" +
               name + " = true;" + kRows + " simt_regular_" + name +
               " &= ::simt::all_lanes(simt_nx, ");
  test_body(loop, true, out);
  add(out, "); for (;; simt_offset_" + name + " += (");
  add(out, loop.header.step_first, loop.header.step_last);
  add(out, ")) {");
  write_activity(loop, out);
  loops_.push_back(loop);
}

/// Ends the loop if no thread is left in it. Where the block's first thread begins lowest, it is
/// the last to leave.
void PhaseWriter::write_activity(const StridedLoop& loop, Pieces& out) const {
  const std::string name(loop.variable->name);
  add(out, " bool simt_active; if (simt_regular_" + name + ") { const simt_type_" + name + " " +
               name + " = simt_lowest_" + name + " + simt_offset_" + name + "; simt_active = ");
  add(out, loop.header.condition_first, loop.header.condition_last);
  add(out, std::string("; } else { simt_active = false;") + kRows +
               " simt_active |= !::simt::all_lanes(simt_nx, ");
  test_body(loop, false, out);
  add(out, "); } if (!simt_active) break;");
}

/// A lambda that tells whether a thread begins no lower than the block's first one; or, if not
/// `first`, whether it has left the loop.
void PhaseWriter::test_body(const StridedLoop& loop, bool first, Pieces& out) const {
  std::vector<bool> needed(variables_.all().size(), false);
  const std::string name(loop.variable->name);
  needed[number(*loop.variable)] = true;
  need(loop.header.variable.init_first, loop.header.variable.init_last, needed);
  open_thread(out);
  prologue(needed, out);
  if (first) {
    add(out, " return " + name + " >= simt_lowest_" + name + "; }");
  } else {
    add(out, masked_ ? " return !" + std::string(kInside) + " || !(" : " return !(");
    add(out, loop.header.condition_first, loop.header.condition_last);
    add(out, "); }");
  }
}

/// Where the thread began, and how far the block has come since.
void PhaseWriter::write_strided(const Variable& variable, Pieces& out) const {
  const std::string name(variable.name);
  const Declarator& d = variable.declarator;
  if (linear_[number(variable)]) {
    add(out, " const");
    write_linear(variable, "simt_begin_" + name, out);
  } else {
    add(out, " const simt_type_" + name + " simt_begin_" + name + " ");
    add(out, d.init_first, d.init_last);
    add(out, ";");
  }
  add(out, " [[maybe_unused]] const simt_type_" + name + " " + name + " = static_cast<simt_type_" +
               name + ">(simt_begin_" + name + " + simt_offset_" + name + ");");
}

/// Declares a linear variable as `name`: the value of the strip's first thread, then this thread's.
void PhaseWriter::write_linear(const Variable& variable, const std::string& name,
                               Pieces& out) const {
  const Declarator& d = variable.declarator;
  const std::string first = "simt_first_" + name;
  add(out, " auto " + first +
               " = __extension__({ [[maybe_unused]] const ::uint3 threadIdx{static_cast<unsigned>("
               "simt_first), static_cast<unsigned>(simt_y), static_cast<unsigned>(simt_z)};");
  for (Index i = d.init_first; i < d.init_last; ++i) {
    const Variable* term = variables_.find(i);
    if (term == nullptr || !linear_[number(*term)]) continue;
    const std::string term_name(term->name);
    add(out, " const auto simt_term = ::simt::in_row<decltype(" + term_name + ")>(simt_first_" +
                 term_name + ", 0); const auto " + term_name + " = simt_term;");
  }
  add(out, " ::simt::integer(");
  add(out, d.init_first + 1, d.init_last);
  add(out, "); }); [[maybe_unused]] ");
  if (variable.carrier != Carrier::local && !variable.type_has(list_, "const")) {
    add(out, "const ");
  }
  const bool by_initialiser = variable.type_has(list_, "auto");
  const auto type = [&] {
    if (by_initialiser) {
      add(out, "decltype(" + first + ")");
    } else {
      add(out, d.type_first, d.type_last);
    }
  };
  type();
  add(out, " " + name + " = ::simt::in_row<");
  type();
  add(out, ">(" + first + ", simt_lane);");
}

}  // namespace simt::rewrite::split
