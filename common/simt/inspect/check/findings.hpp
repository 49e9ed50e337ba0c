/// \file
/// What check mode found: printed once each, in the compilers' form, and counted.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "source_lines.hpp"
#include "status.hpp"

namespace simt::inspect {

enum class Kind {
  race,
  out_of_bounds,
  misaligned,
  overflow,
  uninitialised,
  divergent_barrier,
  invalid_sync,
  host_access,
  use_after_free,
  leak,
  unchecked_error
};

const char* name_of(Kind kind);

struct Finding {
  Kind kind;
  SourceLine at;
  SourceLine other;  ///< of the earlier access, if there is one
  const char* other_is = "the other access";
  SourceLine arrival;   ///< at an mbarrier, if it let a copy begin that came too early
  std::string message;  ///< one line
  std::string kernel;
  std::string cure;  ///< one line, or empty
};

class Findings {
 public:
  static Findings& instance();

  /// Is this the first finding of its kind at these places? Asked before a message is made.
  bool is_new(Kind kind, std::uintptr_t at, std::uintptr_t other);

  /// Has this been asked for before?
  bool is_known(Kind kind, std::uintptr_t at, std::uintptr_t other) const {
    return addresses_.contains({kind, at, other});
  }

  /// A subscript on that line is wrong: what its accesses then meet, in a place where they do not
  /// belong, is no finding of its own.
  void doubt(const SourceLine& line) { doubted_.insert(line.text()); }

  /// What each finding from now on was seen with; "" if that has no name.
  void set_case(const char* text) { case_ = text == nullptr ? "" : text; }

  /// A failed call whose error the program has not looked at. It is reported before the next
  /// finding, which may follow from it, or by tell_failure(). Only the first one is kept.
  void keep_failure(Finding finding);
  void take_back_failure() { failure_.reset(); }
  void tell_failure();

  /// Prints a finding unless one of the same kind on the same lines has been printed. `is_here`:
  /// the program has just come to it, so that a debugger may stop there.
  void report(const Finding& finding, bool is_here = true);

  std::size_t count() const { return findings_.size(); }

  /// Writes the report that SIMT_REPORT names; if there are findings, ends the program with
  /// kFindingsStatus.
  void finish() const;

 private:
  Findings() = default;

  std::set<std::tuple<Kind, std::uintptr_t, std::uintptr_t>> addresses_;
  std::set<std::tuple<Kind, std::string, std::string>> lines_;
  std::set<std::string> doubted_;
  std::vector<Finding> findings_;
  std::optional<Finding> failure_;
  std::string case_;
};

}  // namespace simt::inspect
