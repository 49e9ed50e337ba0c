/// \file
/// What kernels do as far as their names tell: may a thread wait for another, and does anything
/// outside the kernel's own body read the built-in variables?
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/lambdas.hpp"
#include "frontend/source.hpp"
#include "passes/polling.hpp"

namespace simt::rewrite {

using NameSet = std::set<std::string, std::less<>>;

/// What one body, or everything it can reach, does.
struct Facts {
  bool blocks = false;    ///< may wait for other threads
  bool builtins = false;  ///< reads threadIdx, blockIdx, blockDim or gridDim
  bool state = false;     ///< needs to know its thread otherwise: the message of an assertion
};

class Analysis {
 public:
  explicit Analysis(const Source& source);

  /// The facts of tokens [first, last) alone; `except` are names that do not count.
  Facts direct(Index first, Index last, const NameSet& except = {}) const;

  /// The facts of what tokens [first, last) can reach by name, itself not counted.
  Facts reached(Index first, Index last, const NameSet& except = {}) const;

  /// Functions of this source that may block, directly or not.
  NameSet blocking_names() const;

  /// Loops that wait for memory to change; they count as blocking.
  const std::vector<PollingLoop>& polling_loops() const { return polling_loops_; }

  /// Does token i name a variable of a function's own?
  bool is_local(Index i) const { return local_[i]; }

  /// Does a nested lambda without a default capture, or a local class, mention a built-in variable?
  /// Such a body cannot name the kernel's own parameters.
  bool needs_global_builtins(Index first, Index last) const;

  /// Does a lambda or a local class in tokens [first, last) reach what asks which thread runs it?
  bool own_code_asks(Index first, Index last, const NameSet& except) const;

 private:
  struct Node {
    Facts facts;
    NameSet names;
  };

  void add_node(const std::string& name, Index first, Index last);
  void find_unseen();
  bool is_called(Index i) const;
  Facts facts_of(Index i) const;
  Index local_class_body(Index i, Index last) const;
  NameSet mentioned(Index first, Index last) const;
  Facts walk(NameSet names) const;

  const Source& source_;
  const TokenList& list_;
  std::map<std::string, Node, std::less<>> nodes_;
  std::vector<PollingLoop> polling_loops_;
  std::vector<bool> local_;  ///< by token: what names a variable of a function's own
  /// What runs where no name leads to it: code of classes, of lambdas in functions, of
  /// initialisers, and functions that are mentioned without being called. Whatever a kernel does
  /// may reach it.
  Node unseen_;
};

/// Is this an asm statement with an instruction? It may be any, and ask which thread runs it.
/// (assembly.cpp)
bool is_instruction(const TokenList& list, Index i);

/// Is this one of CUDA's names whose call may wait for other threads?
bool is_blocking_word(std::string_view word);

bool is_builtin_variable(std::string_view word);

}  // namespace simt::rewrite
