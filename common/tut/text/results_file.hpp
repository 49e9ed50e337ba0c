#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>

namespace tut {

/// Makes sure, before the work, that a program may write its results to `file`: it can be written,
/// and what is there is empty, or JSON that has a value in one of `places`, as only such results
/// have ("/benchmarks/0/shared_bytes"). `what` names them: "results of the tuner".
///
/// @throws std::runtime_error in one line that names the file and the reason.
void require_results_file(const std::filesystem::path& file, const std::string& what,
                          std::initializer_list<const char*> places);

}  // namespace tut
