/// \file
/// The passes over one translation unit. Each adds its edits; none reads another's, but that
/// rewrite_kernels() wants the prologues that rewrite_shared_variables() found.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/analysis.hpp"
#include "frontend/edits.hpp"
#include "frontend/source.hpp"
#include "passes/rewrite.hpp"

namespace simt::rewrite {

/// What every pass gets.
struct Context {
  const TokenList& list;
  const Source& source;
  const Analysis& analysis;
  const Options& options;
  Edits& edits;
  std::vector<std::string>& errors;
  /// Declarations for the head of a kernel's body, by the token of its `{`.
  std::map<Index, Pieces>& prologues;

  /// Notes an unsupported construct at token i.
  void error(Index i, const std::string& message) const {
    errors.push_back(list.place(i) + ": error: " + message);
  }
};

/// Kernels become launch stubs around a lambda; says how each runs. (kernels.cpp)
std::vector<KernelReport> rewrite_kernels(const Context& context);
/// `k<<<...>>>(...)` and `(void*)k`. (launches.cpp)
void rewrite_launches(const Context& context);
/// `__shared__` declarations, inside functions and at namespace scope. (shared_variables.cpp)
void rewrite_shared_variables(const Context& context);
/// `__device__`, `__constant__` and `__managed__` variables, linkage. (device_variables.cpp)
void rewrite_device_variables(const Context& context);
/// `__device__` and the other words, `#pragma unroll`. (attributes.cpp)
void rewrite_attributes(const Context& context);
/// Loops that add products to a thread's sums, as vectors; adds their tokens to `found`.
/// (products.cpp)
void rewrite_products(const Context& context, std::vector<Index>& found);
/// Loops that add products to a row of sums, as vectors; adds their tokens to `found`.
/// (row_products.cpp)
void rewrite_row_products(const Context& context, std::vector<Index>& found);
/// Functions of such loops whose sums are their callers' run in the callers' places: the sums can
/// then be in registers, which nothing that the function reads may be. (inlining.cpp)
void inline_products(const Context& context, const std::vector<Index>& loops);
/// `x == y ? value : 0.0f`, without a jump. (selections.cpp)
void rewrite_selections(const Context& context);
/// Loops that poll memory let other threads run. (polling.cpp)
void rewrite_polling_loops(const Context& context);
/// Inline PTX becomes C++; what is unknown is named by file and line. clock() of device code.
/// (assembly.cpp)
void rewrite_assembly(const Context& context);
/// Calls that pass or return classes, so that what they load and store is seen; atomic operations
/// whose old value nobody uses.
/// (watched_values.cpp)
void rewrite_watched_values(const Context& context);
/// Elements and rows of arrays that references are bound to, so that one past the last is seen.
/// (referenced_elements.cpp)
void rewrite_referenced_elements(const Context& context);
/// Variables of threads that are declared without a value get one that check mode chooses.
/// (unset_variables.cpp)
void rewrite_unset_variables(const Context& context);
/// Textures, launches in device code: named by file and line. (unsupported.cpp)
void find_unsupported(const Context& context);
/// Calls of functions that the backend's headers declare to be an error, by file and line; those in
/// templates and in what headers compile only where it is used are left out. (unsupported.cpp)
std::vector<std::string> find_refused_calls(const Context& context);
/// Variables of the device in host code, references that a kernel takes. (memory_rules.cpp)
void find_misplaced_memory(const Context& context);
/// What nvcc would not compile in device code, as far as tokens tell. (refused.cpp)
void find_refused(const Context& context);

/// Does a function of a header become code only where the program uses it? (unsupported.cpp)
bool is_compiled_if_used(const TokenList& list, const Function& function);
/// The innermost function with a body that holds token i, or null.
const Function* enclosing_function(const Source& source, Index i);

}  // namespace simt::rewrite
