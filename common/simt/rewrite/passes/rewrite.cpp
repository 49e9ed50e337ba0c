#include "passes/rewrite.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "driver/headers.hpp"
#include "passes/merge.hpp"
#include "passes/passes.hpp"
#include "passes/sides.hpp"

namespace simt::rewrite {

const Function* enclosing_function(const Source& source, Index i) {
  const Function* found = nullptr;
  for (const Function& function : source.functions) {
    if (!function.has_body() || i <= function.body_open || i >= function.body_close) continue;
    if (found == nullptr || function.body_open > found->body_open) found = &function;
  }
  return found;
}

namespace {

/// What copies and fills memory in the C library is seen as well.
constexpr std::string_view kWatchedLibrary =
    "extern \"C\" {"
    " void* memcpy(void*, const void*, decltype(sizeof(0))) noexcept(true) "
    "__asm__(\"simt_memcpy\");"
    " void* memmove(void*, const void*, decltype(sizeof(0))) noexcept(true) "
    "__asm__(\"simt_memmove\");"
    " void* memset(void*, int, decltype(sizeof(0))) noexcept(true) __asm__(\"simt_memset\");"
    " void* simt_memcpy(void*, const void*, decltype(sizeof(0))) noexcept(true);"
    " void* simt_memmove(void*, const void*, decltype(sizeof(0))) noexcept(true);"
    " void* simt_memset(void*, int, decltype(sizeof(0))) noexcept(true); }\n";

/// What a kernel allocates is device memory. Names of g++: no declaration can rename `new`.
constexpr std::string_view kWatchedHeap =
    "__asm__(\".set malloc, simt_malloc\\n.set free, simt_free\\n"
    ".set _Znwm, simt_new\\n.set _Znam, simt_new\\n"
    ".set _ZdlPv, simt_delete\\n.set _ZdaPv, simt_delete\\n"
    ".set _ZdlPvm, simt_delete\\n.set _ZdaPvm, simt_delete\");\n";

/// A program that replaces `operator new` and `operator delete` keeps its own.
bool replaces_new(const TokenList& list) {
  for (Index i = 0; i + 1 < list.size(); ++i) {
    if (list.is(i, "operator") && (list.is(i + 1, "new") || list.is(i + 1, "delete")) &&
        !list.is_system(i)) {
      return true;
    }
  }
  return false;
}

/// Some variables of the device cannot be made known one by one: members and templates.
bool has_nameless_variables(const Source& source) {
  return std::any_of(source.variables.begin(), source.variables.end(), [](const Variable& one) {
    const Specifiers& words = one.specifiers;
    return (words.device || words.constant || words.managed) &&
           (one.scope.in_class || one.is_template);
  });
}

constexpr std::string_view kNamelessVariables =
    "\nstatic const bool simt_nameless_variables [[maybe_unused]] = "
    "(::simt::watch_nameless_variables(), true);\n";

}  // namespace

bool Result::split() const {
  return std::any_of(kernels.begin(), kernels.end(),
                     [](const KernelReport& kernel) { return kernel.split; });
}

Result rewrite(std::string_view host, std::string_view device, const Options& options) {
  Result result;
  const std::string merged = device.empty() ? std::string() : merge_passes(host, device);
  const TokenList list = lex(device.empty() ? host : merged);
  if (list.tokens.empty()) return {std::string(host), {}, {}, {}, false};
  const Source source = parse(list);
  const Analysis analysis(source);
  Edits edits(list);
  std::map<Index, Pieces> prologues;
  const Context context{list, source, analysis, options, edits, result.errors, prologues};
  find_unsupported(context);
  result.refused_calls = find_refused_calls(context);
  find_misplaced_memory(context);
  if (options.strict_device) find_refused(context);
  rewrite_shared_variables(context);
  result.kernels = rewrite_kernels(context);
  rewrite_launches(context);
  rewrite_device_variables(context);
  rewrite_polling_loops(context);
  rewrite_assembly(context);
  rewrite_attributes(context);
  if (!options.watched && !options.as_written && !options.debug) {
    std::vector<Index> products;
    rewrite_products(context, products);
    rewrite_row_products(context, products);
    inline_products(context, products);
    rewrite_selections(context);
  }
  if (options.watched && !options.as_written) {
    rewrite_watched_values(context);
    rewrite_referenced_elements(context);
    rewrite_unset_variables(context);
  }
  if (options.mark_sides) result.sides_meet = mark_sides(context);
  result.text = edits.apply();
  if (options.watched) {
    // Behind the line that names the source file, which debuggers take from there.
    std::string head(kWatchedLibrary);
    if (!replaces_new(list)) head += kWatchedHeap;
    result.text.insert(result.text.find('\n') + 1, head);
    if (has_nameless_variables(source)) result.text += kNamelessVariables;
  }
  return result;
}

bool mentions_cuda_arch(std::string_view preprocessed) {
  std::set<std::string> seen;
  for (const EnteredFile& entered : entered_files(preprocessed)) {
    if (entered.name.ends_with("/nv/target")) return true;  // whose macros ask for it
    if (entered.system || !seen.insert(entered.name).second) continue;
    std::ifstream file(entered.name);
    std::stringstream content;
    content << file.rdbuf();
    if (content.str().find("__CUDA_ARCH__") != std::string::npos) return true;
  }
  return false;
}

}  // namespace simt::rewrite
