#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// One line of a disassembly or of assembly text.
struct CodeLine {
  int source_line = 0;  ///< of the learner's file; 0: of another file, or unknown
  std::string text;     ///< an instruction, or a label
};

/// What a kernel was compiled to.
struct KernelCode {
  std::string kernel;  ///< its name with template arguments: matmul_padded_kernel<32>
  std::string symbol;  ///< mangled
  std::vector<CodeLine> lines;
};

/// What ptxas says of a kernel.
struct KernelResources {
  std::string symbol;
  int registers = 0;
  int spill_bytes = 0;  ///< stored and loaded
  int stack_bytes = 0;
  int shared_bytes = 0;  ///< static
};

/// The name of a kernel in a demangled symbol, without namespaces and parameters.
std::string kernel_in(std::string_view demangled);

/// `nvdisasm -g -c`. `file` is the learner's.
std::vector<KernelCode> parse_sass(std::string_view text, const std::filesystem::path& file);

/// PTX with line information.
std::vector<KernelCode> parse_ptx(std::string_view text, const std::filesystem::path& file);

/// Assembly text of the CPU backend (`cucc -S -g1`): what runs kernels' threads.
std::vector<KernelCode> parse_cpu_assembly(std::string_view text,
                                           const std::filesystem::path& file);

/// `-Xptxas -v`.
std::vector<KernelResources> parse_resources(std::string_view text);

/// How often each instruction stands in a kernel's code, by what it is about: one line each, such
/// as "shared memory   LDS.128 16, STS 2". For SASS and PTX.
std::vector<std::string> instruction_table(const KernelCode& code);

/// The code below the lines of the source that it comes from.
std::string listing(const KernelCode& code, const std::filesystem::path& file,
                    std::string_view source);

}  // namespace tut::learn
