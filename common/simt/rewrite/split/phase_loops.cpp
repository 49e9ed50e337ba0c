// Strided loops, and variables that count up from thread to thread.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "split/phase.hpp"
#include "split/phase_text.hpp"

namespace simt::rewrite::split {

void PhaseWriter::enter(const StridedLoop& loop, Pieces& out) {
  const std::string name(loop.variable->name);
  const Declarator& d = loop.header.variable;
  add(out, " {");
  if (loop.variable->has_type(list_, "auto")) {
    add(out,
        " const auto simt_first_value = [&] { constexpr ::std::ptrdiff_t simt_first = 0,"
        " simt_lane = 0, simt_x = 0, simt_y = 0, simt_z = 0;"
        " constexpr ::uint3 threadIdx{0, 0, 0}; static_cast<void>(simt_first + simt_lane +"
        " simt_x + simt_y + simt_z + threadIdx.x);");
    std::vector<bool> needed(variables_.all().size(), false);
    need(d.init_first, d.init_last, needed);
    prologue(needed, {}, out);
    add(out, " return ");
    add(out, d.init_first + 1, d.init_last);
    add(out, "; }; using simt_type_" + name + " = decltype(simt_first_value())");
  } else {
    add(out, " using simt_type_" + name + " = ::std::remove_cv_t<");
    add(out, d.type_first, d.type_last);
    add(out, ">");
  }
  add(out, "; static_assert(::std::is_integral_v<simt_type_" + name + ">" + kConfirmed +
               " static_assert(::std::is_integral_v<::std::remove_cvref_t<decltype(");
  add(out, loop.header.step_first, loop.header.step_last);
  add(out, std::string(")>>") + kConfirmed + " bool* const simt_in_" + name +
               " = simt_block.per_thread<bool>(" +
               std::to_string(variables_.all().size() + 1 + number(*loop.variable)) +
               "); simt_type_" + name + " simt_offset_" + name + " = 0;");
  write_begins(loop, out);
  add(out, " for (;; simt_offset_" + name + " = ::simt::stepped(simt_offset_" + name +
               ", static_cast<simt_type_" + name + ">(");
  add(out, loop.header.step_first, loop.header.step_last);
  add(out, "))) {");
  write_activity(loop, out);
  confirm_linear(*loop.variable, {}, out);
  loops_.push_back(loop);
  masks_.push_back("simt_in_" + name);
}

void PhaseWriter::enter_if(const Statement& s, int number, Pieces& out) {
  const std::string flags = "simt_then_" + std::to_string(number), around = mask();
  const std::string count = "simt_nx * simt_ny * simt_nz";
  add(out, " { bool* const " + flags + " = simt_block.per_thread<bool>(" + std::to_string(number) +
               "); ::simt::copy_flags(" + flags + ", " + (around.empty() ? "nullptr" : around) +
               ", " + count + ");" + kRows +
               " for (::std::ptrdiff_t simt_x = 0; simt_x < simt_nx; ++simt_x) if (" + flags +
               kOwn + ") " + flags + kOwn + " = ");
  write_condition(s, "", out);
  add(out, "(simt_x, 0); if (::simt::any_inside(" + flags + ", " + count + "))");
  masks_.push_back(flags);
}

/// Appends a lambda that tells a thread what the condition of an `if` says, negated or not.
void PhaseWriter::write_condition(const Statement& s, const std::string& negation,
                                  Pieces& out) const {
  std::vector<bool> needed(variables_.all().size(), false);
  need(s.open + 1, s.close, needed);
  Pieces body;
  prologue(needed, {}, body);
  add(body, " return " + negation + "static_cast<bool>(");
  tokens(s.open + 1, s.close, body);
  add(body, "); }");
  write_thread(std::move(body), out);
}

void PhaseWriter::write_leaving(const Statement& s, Pieces& out) const {
  add(out, std::string(kRows) +
               " for (::std::ptrdiff_t simt_x = 0; simt_x < simt_nx; ++simt_x) if (simt_inside" +
               kOwn + ") simt_inside" + kOwn + " = ");
  write_condition(s, "!", out);
  add(out,
      "(simt_x, 0); if (!::simt::any_inside(simt_inside, simt_nx * simt_ny * simt_nz)) "
      "return;");
}

void PhaseWriter::enter_else(int number, Pieces& out) {
  const std::string then = "simt_then_" + std::to_string(number);
  const std::string flags = "simt_else_" + std::to_string(number), around = mask();
  add(out, " bool* const " + flags + " = simt_block.per_thread<bool>(" +
               std::to_string(number + 1) + "); if (::simt::other_flags(" + flags + ", " +
               (around.empty() ? "nullptr" : around) + ", " + then +
               ", simt_nx * simt_ny * simt_nz))");
  masks_.push_back(flags);
}

/// Sets the flags of the threads that come to the loop, and finds between which values they begin.
void PhaseWriter::write_begins(const StridedLoop& loop, Pieces& out) const {
  const std::string name(loop.variable->name), flags = mask();
  add(out, " ::simt::StrideRange simt_range_" + name + "; ::simt::copy_flags(simt_in_" + name +
               ", " + (flags.empty() ? "nullptr" : flags) + ", simt_nx * simt_ny * simt_nz);" +
               kRows +
               " for (::std::ptrdiff_t simt_x = 0; simt_x < simt_nx; ++simt_x)"
               " if (simt_in_" +
               name + kOwn + ") simt_range_" + name + ".add(");
  std::vector<bool> needed(variables_.all().size(), false);
  needed[number(*loop.variable)] = true;
  need(loop.header.variable.init_first, loop.header.variable.init_last, needed);
  Pieces body;
  prologue(needed, {}, body);
  add(body, " return " + name + "; }");
  write_thread(std::move(body), out);
  add(out, "(simt_x, 0));");
}

/// Ends the loop if no thread is left in it. Who has left it stays out, wherever the variable that
/// the thread no longer has would wrap round to.
void PhaseWriter::write_activity(const StridedLoop& loop, Pieces& out) const {
  const std::string name(loop.variable->name), type = "simt_type_" + name;
  const auto condition = [&](Pieces& to) {
    add(to, loop.header.condition_first, loop.header.condition_last);
  };
  add(out, " { ");
  add(out, type + " " + name + "; if (!simt_range_" + name + ".highest(simt_offset_" + name + ", " +
               name + ") || !(");
  condition(out);
  add(out, ")) { bool simt_active = false;" + std::string(kRows) +
               " for (::std::ptrdiff_t simt_x = 0; simt_x < simt_nx; ++simt_x) simt_active |= ");
  std::vector<bool> needed(variables_.all().size(), false);
  need(loop.header.variable.init_first, loop.header.variable.init_last, needed);
  need(loop.header.condition_first + 1, loop.header.condition_last, needed);
  needed[number(*loop.variable)] = false;
  Pieces body;
  add(body, " bool& simt_in = simt_in_" + name + kOwn + "; if (!simt_in) return false;");
  prologue(needed, {}, body);
  add(body, " const " + type + " simt_begin = ");
  add(body, loop.header.variable.init_first + 1, loop.header.variable.init_last);
  add(body, "; const " + type + " " + name + " = ::simt::stepped(simt_begin, simt_offset_" + name +
                "); return simt_in = (");
  condition(body);
  add(body, "); }");
  write_thread(std::move(body), out);
  add(out, "(simt_x, 0); simt_range_" + name + ".leave(); if (!simt_active) break; } }");
}

/// Is it `threadIdx.x` itself?
bool PhaseWriter::counts_threads(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  return list_.is(d.init_first + 1, "threadIdx") && d.init_last == d.init_first + 4 &&
         variable.carrier != Carrier::strided;
}

/// Is it `blockIdx.x * blockDim.x + threadIdx.x`, which is below 2^31 in a small grid?
bool PhaseWriter::counts_grid(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  if (variable.carrier == Carrier::strided || d.init_last != d.init_first + 12) return false;
  std::string text;
  for (Index i = d.init_first + 1; i < d.init_last; ++i) text += list_.view(i);
  return text == "blockIdx.x*blockDim.x+threadIdx.x" ||
         text == "blockDim.x*blockIdx.x+threadIdx.x" ||
         text == "threadIdx.x+blockIdx.x*blockDim.x" || text == "threadIdx.x+blockDim.x*blockIdx.x";
}

/// Appends `, FLAGS`: whether the linear variables that a phase has count up in every row.
void PhaseWriter::write_counts(const std::vector<PhaseItem>& items, const std::vector<bool>& needed,
                               Pieces& out) const {
  std::string flags;
  for (const Variable& variable : variables_.all()) {
    const bool here = needed[number(variable)] ||
                      std::any_of(items.begin(), items.end(), [&](const PhaseItem& item) {
                        return item.variable == &variable;
                      });
    if (!here || !linear_[number(variable)] || counts_threads(variable)) continue;
    flags +=
        (flags.empty() ? ", " : " && ") +
        (counts_grid(variable) ? "simt_small_grid" : "simt_counts_" + std::string(variable.name));
  }
  add(out, flags);
}

/// Asks whether a variable counts up in every row of the block, where that is not known.
void PhaseWriter::confirm_linear(const Variable& variable,
                                 const std::vector<const Variable*>& deferred, Pieces& out) const {
  if (!linear_[number(variable)] || counts_threads(variable) || counts_grid(variable)) return;
  const std::string name(variable.name);
  std::vector<bool> mentioned(variables_.all().size(), false);
  const std::function<void(const Variable&)> mention = [&](const Variable& v) {
    mentioned[number(v)] = true;
    for (Index i = v.declarator.init_first; i < v.declarator.init_last; ++i) {
      const Variable* operand = variables_.find(i);
      if (operand == nullptr || mentioned[number(*operand)]) continue;
      const bool known = operand->carrier == Carrier::uniform &&
                         std::find(deferred.begin(), deferred.end(), operand) == deferred.end();
      if (!known) mention(*operand);
    }
  };
  mention(variable);
  add(out, " bool simt_counts_" + name + " = true;" + kRows + " { const auto simt_value = ");
  add(out,
      "[&](const ::std::ptrdiff_t simt_first) __attribute__((always_inline)) {"
      " constexpr ::std::ptrdiff_t simt_lane = 0; [[maybe_unused]] const ::uint3 threadIdx{"
      "static_cast<unsigned>(simt_first), static_cast<unsigned>(simt_y),"
      " static_cast<unsigned>(simt_z)}; static_cast<void>(simt_lane);");
  for (const Variable& v : variables_.all()) {
    if (!mentioned[number(v)]) continue;
    if (v.carrier == Carrier::strided) {
      write_strided(v, out);
    } else {
      add(out, " [[maybe_unused]]");
      write_declaration(v, out);
    }
  }
  add(out, " return " + name + "; }; simt_counts_" + name +
               " &= ::simt::counts_up(simt_value(0), simt_value(simt_nx - 1), simt_nx); }");
}

/// Where the thread began, and how far the block has come since.
void PhaseWriter::write_strided(const Variable& variable, Pieces& out) const {
  const std::string name(variable.name);
  const Declarator& d = variable.declarator;
  if (linear_[number(variable)]) {
    add(out, " const");
    write_linear(variable, "simt_begin_" + name, out);
    add(out, " [[maybe_unused]] const simt_type_" + name + " " + name +
                 " = ::simt::in_row<simt_type_" + name +
                 ">(::simt::stepped(::simt::in_row<simt_type_" + name + ">(simt_first_simt_begin_" +
                 name + ", 0), simt_offset_" + name + "), simt_lane);");
    return;
  }
  add(out, " const simt_type_" + name + " simt_begin_" + name + " ");
  add(out, d.init_first, d.init_last);
  add(out, "; [[maybe_unused]] const simt_type_" + name + " " + name +
               " = ::simt::stepped(simt_begin_" + name + ", simt_offset_" + name + ");");
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
  if (variable.carrier != Carrier::local && !variable.has_type(list_, "const")) {
    add(out, "const ");
  }
  const bool by_initialiser = variable.has_type(list_, "auto");
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
