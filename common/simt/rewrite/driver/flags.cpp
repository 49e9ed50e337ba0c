// What the compiler and the preprocessor are told on every run.
#include "driver/compile.hpp"
#include "driver/headers.hpp"
#include "driver/preprocess.hpp"

namespace simt::rewrite {

// Every load and store calls the checker, which takes the place of ThreadSanitizer's runtime; and
// so does every piece of code that runs from its beginning to its end. Vectors stay whole, so that
// a float4 is one access; code stays in the order of the source, as count mode takes that for the
// order in which a diverged warp goes on; and no load is sunk, as g++ 14 would do, into the branch
// that needs its value, where only half a warp would be counted. Forward propagation is off, as
// g++ 16 makes one copy of two there, which stands at the second one's line and not where memory
// was read. For check mode a subscript past an extent that the array's type has tells of itself,
// too, and memcpy is a call, which some processors' tuning would write out where nobody looks; and
// each variable has its own place in its function's frame, which can be told from the others;
// count mode goes without, as then fewer of the loads that are one become one.
std::vector<std::string> watching_flags(Mode mode, bool debug) {
  std::vector<std::string> flags = {"-fsanitize=thread",
                                    "-fsanitize-coverage=trace-pc",
                                    "-O1",
                                    "-g1",
                                    "-fno-optimize-sibling-calls",
                                    "-fno-tree-sra",
                                    "-fno-tree-forwprop",
                                    "-fno-tree-sink",
                                    "-fno-reorder-blocks",
                                    "-fno-thread-jumps",
                                    "-Wno-attributes",
                                    "--param=tsan-distinguish-volatile=1",
                                    "-Wno-tsan"};
  if (mode == Mode::check) {
    append(flags, {"-fno-omit-frame-pointer", "-fstack-reuse=none",
                   "-fsanitize=bounds-strict,signed-integer-overflow,shift-exponent",
                   "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"});
  }
  if (debug) append(flags, {"-O0", "-g"});
  return flags;
}

std::vector<std::string> preprocessor_flags(const CommandLine& line,
                                            const Installation& installation) {
  Command before;
  Command behind;
  const std::vector<std::string>& flags = line.preprocessor_flags;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool apart = (flags[i] == "-I" || flags[i] == "-isystem") && i + 1 < flags.size();
    const std::string folder = apart                        ? flags[i + 1]
                               : flags[i].starts_with("-I") ? flags[i].substr(2)
                                                            : std::string();
    if (!folder.empty() && is_toolkit_folder(folder)) {
      append(behind, {"-isystem", folder});
    } else {
      before.push_back(flags[i]);
      if (apart) before.push_back(folder);
    }
    if (apart) ++i;
  }
  append(before, {"-isystem", installation.include_folder});
  if (!installation.toolkit.empty())
    append(before, {"-isystem", installation.toolkit + "/headers"});
  append(before, behind);
  return before;
}

}  // namespace simt::rewrite
