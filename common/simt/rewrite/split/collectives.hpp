/// \file
/// Calls in which threads meet and of which each gets its result: shuffles, votes, and functions
/// that are made of them. A split kernel makes such a call once, for all threads of the block.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/analysis.hpp"
#include "split/expression.hpp"
#include "split/statement.hpp"

namespace simt::rewrite::split {

/// The names of what can be called so: for each name F there is a simt_all_F.
struct CollectiveNames {
  NameSet warp;   ///< threads of a warp meet
  NameSet block;  ///< functions with a barrier of the block
  /// Of each name, which parameters are references: the call gets a thread's address of each.
  std::map<std::string, std::vector<bool>, std::less<>> references;
  /// Of each function's name, which parameters take an argument that is the same for all threads.
  std::map<std::string, std::vector<bool>, std::less<>> shared_arguments;
  /// Those that a warp's lanes have to call together, all of them; and of such functions the
  /// parameters that have to be the same in all lanes.
  NameSet whole_warp;
  std::map<std::string, std::set<std::size_t>, std::less<>> uniform;
  const Analysis* analysis = nullptr;
  NameSet all() const;
  bool contains(std::string_view name) const { return warp.contains(name) || block.contains(name); }
  /// Does token i of `list` name one, and no variable?
  bool names(const TokenList& list, Index i) const {
    return list.is_identifier(i) && contains(list.view(i)) && !analysis->is_local(i);
  }
  bool is_reference(std::string_view name, std::size_t parameter) const {
    const auto found = references.find(name);
    return found != references.end() && parameter < found->second.size() &&
           found->second[parameter];
  }
  bool takes_shared_argument(std::string_view name, std::size_t parameter) const {
    const auto found = shared_arguments.find(name);
    return found != shared_arguments.end() && parameter < found->second.size() &&
           found->second[parameter];
  }
  bool has_references(std::string_view name) const {
    const auto found = references.find(name);
    return found != references.end() &&
           std::any_of(found->second.begin(), found->second.end(), [](bool is) { return is; });
  }
  bool names_whole_warp(const TokenList& list, Index first, Index last) const;
  /// Do tokens [first, last)?
  bool names_any(const TokenList& list, Index first, Index last) const;
  bool names_any_with_barrier(const TokenList& list, Index first, Index last) const;
};

/// CUDA's own of which simt/block_collectives.hpp or simt/wmma/block_forms.hpp has the other form.
const NameSet& collective_intrinsics();

/// Of those, the ones of WMMA, with their parameters that are references.
const std::map<std::string, std::vector<bool>, std::less<>>& fragment_intrinsics();

struct CollectiveCall {
  Index first, last;  ///< tokens of the call
  Index callee_last;  ///< one past its name and template arguments
  Index name;
  std::vector<std::pair<Index, Index>> arguments;
};

/// Marks the statements of a body that have such calls, and the ifs around them. Throws
/// NotSplittable where one stands in the header of a loop or of a switch.
void mark_collectives(const TokenList& list, const CollectiveNames& names, Statement& body);

/// The calls of a marked statement, inner ones first. Throws NotSplittable where one is not made by
/// every thread that comes to the statement, or where something could be seen to happen before it
/// that comes after it.
std::vector<CollectiveCall> collective_calls(const TokenList& list, const CollectiveNames& names,
                                             const Statement& statement,
                                             const KindOfName& kind_of_name,
                                             const std::function<bool(std::string_view)>& is_pure);

}  // namespace simt::rewrite::split
