#include "split/confirmations.hpp"

#include <algorithm>

#include "split/phase_text.hpp"

namespace simt::rewrite::split {

void ConfirmationWriter::write(Index first, Index last, Pieces& out) const {
  for (const Variables::Confirmation& c : variables_.confirmations(first, last)) {
    if (c.kind == Variables::Confirmation::constant) {
      add(out, " { constexpr auto simt_constant = (");
      add(out, c.first, c.last);
      add(out, "); static_assert(::simt::kIsSplitConstant<decltype(simt_constant)>" +
                   std::string(kConfirmed) + " }");
      continue;
    }
    const bool type = c.kind == Variables::Confirmation::number_type;
    add(out, type ? " static_assert(::simt::kIsSplitNumber<"
                  : " static_assert(::simt::kIsSplitNumber<decltype(");
    add(out, c.first, c.last);
    add(out, std::string(type ? ">" : ")>") + kConfirmed);
  }
}

void ConfirmationWriter::write_number(const Declarator& declarator, Pieces& out) const {
  add(out, " static_assert(::simt::kIsSplitNumber<decltype(");
  add(out, declarator.name, declarator.name + 1);
  add(out, std::string(")>") + kConfirmed);
}

void ConfirmationWriter::write_constant(Index first, Index last, Pieces& out) const {
  add(out, " static_assert(::simt::kIsSplitConstant<decltype(");
  add(out, first, last);
  add(out, std::string(")>") + kConfirmed);
}

void ConfirmationWriter::write_header(const Statement& s, Pieces& out) const {
  if (s.kind != StatementKind::for_statement) return write(s.open + 1, s.close, out);
  const ForHeader header = for_header(list_, s);
  for (const Declarator& d : parse_declarators(list_, s.open + 1, header.first_semicolon)) {
    const auto [first, last] = initial_value(list_, d);
    write(first, last, out);
  }
}

void ConfirmationWriter::write_inside(const Statement& s, Pieces& out) const {
  if (s.kind != StatementKind::for_statement) return;
  const ForHeader header = for_header(list_, s);
  for (const Declarator& d : parse_declarators(list_, s.open + 1, header.first_semicolon)) {
    write_number(d, out);
  }
  write(header.first_semicolon + 1, header.condition_last, out);
  write(header.second_semicolon + 1, s.close, out);
}

void ConfirmationWriter::write_types(Pieces& out) const {
  for (const auto& [first, last] : variables_.value_types()) {
    add(out, " static_assert(::simt::kIsSplitValue<");
    add(out, first, last);
    add(out, std::string(">") + kConfirmed);
  }
  if (relies_on_memory()) write_memory(out);
}

/// That memory holds no addresses matters where the address of a variable is passed on that does
/// not stay in its place, as a parameter does that the whole block shares.
bool ConfirmationWriter::relies_on_memory() const {
  const auto& all = variables_.all();
  return std::any_of(all.begin(), all.end(), [](const Variable& v) {
    return v.is_kept() && !v.stable && !(v.is_parameter && v.carrier == Carrier::uniform);
  });
}

void ConfirmationWriter::write_memory(Pieces& out) const {
  for (const auto& [first, last, pointed_at] : variables_.memory_types(body_)) {
    add(out, " static_assert(::simt::holds_no_address<");
    if (pointed_at) add(out, "::std::remove_pointer_t<");
    add(out, first, last);
    add(out, std::string(pointed_at ? ">>()" : ">()") + kConfirmed);
  }
}

void ConfirmationWriter::write_shared(const Statement& s, Pieces& out) const {
  if (!relies_on_memory()) return;
  for (const Index alias : variables_.aliases_in_shared(s)) {
    add(out, " static_assert(::simt::holds_no_address<");
    add(out, alias, alias + 1);
    add(out, std::string(">()") + kConfirmed);
  }
}

}  // namespace simt::rewrite::split
