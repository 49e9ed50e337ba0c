#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tut::learn {

/// A test's report for a learner: without doctest's frame and its places in the test's source, with
/// paths from the root of the checkout. Of failed checks it has the first two, whole, and the
/// number of the others; of a long report it has the start and the end.
std::string readable_report(std::string_view output, const std::filesystem::path& root);

}  // namespace tut::learn
