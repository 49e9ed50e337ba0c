// Subscripts past an extent of an array. Of an array of several dimensions the access may still be
// within the array, in another row.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "checker.hpp"
#include "sites.hpp"

namespace simt::inspect {
namespace {

/// A subscript as it stands in the source.
struct Written {
  std::string array;  ///< `a_tile`; empty if it cannot be told
  std::string text;   ///< `a_tile[k][ty]`
  int dimension = 0;  ///< from 1
};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool opens(char c) { return c == '[' || c == '('; }
bool closes(char c) { return c == ']' || c == ')'; }

/// Where the bracket at i has its partner, to the left or right; the line's size if it has none.
std::size_t partner(const std::string& line, std::size_t i) {
  const bool forward = opens(line[i]);
  int depth = 0;
  for (std::size_t k = i; k < line.size(); forward ? ++k : --k) {
    depth += opens(line[k]) ? 1 : closes(line[k]) ? -1 : 0;
    if (depth == 0) return k;
  }
  return line.size();
}

/// From the `]` at `close`.
Written read_around(const std::string& line, std::size_t close) {
  Written found;
  std::size_t first = close + 1;
  while (first > 0 && line[first - 1] == ']') {
    first = partner(line, first - 1);
    if (first == line.size()) return {};
    ++found.dimension;
  }
  std::size_t name = first;
  while (name > 0 && is_name(line[name - 1])) --name;
  if (name == first) return {};
  std::size_t last = close;
  while (last + 1 < line.size() && line[last + 1] == '[') last = partner(line, last + 1);
  found.array = line.substr(name, first - name);
  found.text = line.substr(name, last + 1 - name);
  return found;
}

Written read_source(const BadSubscript& subscript, const SourceLine& at) {
  if (subscript.line != at.line) return {};  // in a header that was inlined there
  std::ifstream file(at.file);
  std::string line;
  for (int i = 0; i < at.line; ++i) {
    if (!std::getline(file, line)) return {};
  }
  auto close = static_cast<std::size_t>(subscript.column - 1);
  if (close < line.size() && line[close] == '[') close = partner(line, close);  // of a template
  if (close >= line.size() || line[close] != ']') return {};                    // of a macro
  return read_around(line, close);
}

std::string ordinal(int dimension) {
  static constexpr const char* words[] = {"first", "second", "third", "fourth"};
  return dimension <= 4 ? words[dimension - 1] : std::to_string(dimension) + "th";
}

bool has_one_dimension(const BadSubscript& subscript, const Written& written) {
  return written.dimension == 1 && std::ranges::count(subscript.type, '[') == 1;
}

std::string message_of(const BadSubscript& subscript, const Written& written, long extent) {
  const std::string elements = std::to_string(extent) + (extent == 1 ? " element" : " elements");
  if (written.array.empty()) {
    const bool held = subscript.type.starts_with("Whole ");  // of simt::elements, not the source
    return "uses " + subscript.value + " as a subscript of an array of " + elements +
           (held ? "" : ", " + subscript.type);
  }
  std::string which, where;
  if (!has_one_dimension(subscript, written)) {
    which = ordinal(written.dimension) + " ";
    where = "dimension " + std::to_string(written.dimension) + " of ";
  }
  return "uses " + written.text + ", where the " + which + "subscript is " + subscript.value +
         "; " + where + written.array + " has " + elements;
}

std::string cure_of(const BadSubscript& subscript, const Written& written, long extent) {
  const bool one = written.array.empty() || has_one_dimension(subscript, written);
  std::string cure = std::string("subscripts ") + (one ? "" : "of that dimension ") +
                     "go from 0 to " + std::to_string(extent - 1);
  const bool goes_on = written.dimension > 1 && written.text.starts_with(written.array + "[0]");
  if (goes_on && subscript.value.front() != '-') {
    cure += "; to go through all rows as one array, use a pointer to the first element";
  }
  return cure;
}

}  // namespace

void Checker::subscript(const BadSubscript& subscript, std::uintptr_t site) {
  const detail::Block* block = detail::current_block;
  if (block == nullptr || is_backend_code(site)) return;
  const long extent = std::atol(subscript.type.c_str() + subscript.type.find('[') + 1);
  if (extent <= 1) return;  // an old way to end a struct with as many as there is room for
  if (!Findings::instance().is_new(Kind::out_of_bounds, site, 0)) return;
  Finding finding;
  finding.kind = Kind::out_of_bounds;
  finding.at = source_line(site);
  const Written written = read_source(subscript, finding.at);
  finding.message = who(block) + " " + message_of(subscript, written, extent);
  finding.cure = cure_of(subscript, written, extent);
  Findings::instance().doubt(finding.at);
  report(std::move(finding));
}

}  // namespace simt::inspect
