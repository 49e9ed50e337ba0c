#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace tut::learn {

/// Reads lines "STUDENT,2027-02-12T23:59:00+01:00"; empty lines and those that begin with # count
/// for nothing. The name is what grading shows; the moment has its offset from UTC, or Z.
/// @throws UsageError SOURCE:LINE: what is wrong, what was expected
std::map<std::string, std::chrono::sys_seconds> parse_times(std::string_view text,
                                                            const std::string& source);

}  // namespace tut::learn
