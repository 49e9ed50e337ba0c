/// \file
/// The file that SIMT_REPORT names: what both modes write as JSON.
#pragma once

#include <string>

namespace simt::inspect {

/// A text as a JSON string, quotes included.
std::string json_quoted(const std::string& text);

/// The compiler and its version, as in "g++ 12.2.0": what is counted may depend on it.
std::string compiler_version();

/// The path in SIMT_REPORT, or null.
const char* report_path();

/// Writes it, or says on stderr that it cannot.
void write_report(const char* path, const std::string& text);

}  // namespace simt::inspect
