"""What may be handed in for `reverse` to get marks without the work, or to do harm. None gets any.

Each is a name, words that its feedback must have (one of several, where a machine's speed decides), and the
text: most are the stub with something added, and those that would earn marks if they were taken are the solution.
"""
from course import SOURCE, replaced, version

BODY = "  constexpr int BLOCK = 256;\n"


def with_body(text, body, top=""):
    return top + replaced(text, (BODY, BODY + body + "\n"))


def attacks(marks_file, students):
    """@param marks_file where the grader writes; `students`: where all submissions lie"""
    stub, right = version("reverse", "stub"), version("reverse", "solution")
    solution = SOURCE / "solutions/03_first_kernels/reverse.cu"

    def body(text, *headers):
        return with_body(stub, "  " + text, "".join(f"#include <{header}>\n" for header in headers))

    def solved(text, *headers):
        return with_body(right, "  " + text, "".join(f"#include <{header}>\n" for header in headers))

    yield from too_much(stub, body)
    yield from ends_early(stub, body)
    yield from reaches_out(body, solved, solution, marks_file, students)
    yield from takes_names(stub, right)
    yield from includes(stub, solution)
    yield from assembles(stub, right, body, solution)
    yield from cheats(stub, right, body)
    yield "wrong_encoding", "UTF-8", stub.encode("utf-16")
    yield "a_nul", "has a NUL", stub.encode() + b"\0"
    yield "empty", "it is empty", b""


def too_much(stub, body):
    """Of time, memory, processes, output, or of the compiler's patience."""
    yield "endless_loop", "more than 6 s of work", body("for (volatile int forever = 1; forever;) {}")
    yield "endless_kernel", ("a kernel did not run to its end", "more than 6 s of work"), replaced(
        stub, ("reverse_kernel(float* x, int n) {\n", "reverse_kernel(float* x, int n) {\n  for (volatile unsigned turns = 1; turns != 0;) { turns = turns | 1; }\n"))
    yield "endless_calls", "It crashed: Segmentation fault", body(
        "struct Deep { static int go(volatile int n) { char room[4096]; room[n % 7] = 1; return n < 0 ? 0 : go(n + 1) + room[n % 5]; } };"
        " n += Deep::go(n);")
    yield "fills_memory", "MiB of memory", body(
        "std::vector<std::vector<char>> all; for (;;) all.emplace_back(64u << 20, 'x');", "vector")
    yield "fork_bomb", "calls or uses fork", body("for (;;) fork();", "unistd.h")
    yield "gigabyte_of_output", "more than 4 MiB of output", body(
        'for (long k = 0; k < 100000000; ++k) printf("0123456789\\n");', "cstdio")
    yield "deep_templates", "template instantiation depth", (
        "template <unsigned long N> struct Deep { using T = typename Deep<N - 1>::T; typename Deep<N * 3>::T t; };\n"
        "template struct Deep<999999>;\n" + stub)
    yield "endless_constexpr", "constexpr", (
        "constexpr unsigned long spin(unsigned long n) { unsigned long s = 0; for (unsigned long k = 0; k < n; ++k) s += k; return s; }\n"
        "static_assert(spin(~0ul) != 1);\n" + stub)
    yield "huge_array", "does not", "namespace { float huge[1ul << 36] = {1}; }\n" + body("x = huge;")
    doubling = "".join(f"#define A{k} A{k - 1}, A{k - 1}, A{k - 1}, A{k - 1}\n" for k in range(1, 16))
    exhausted = ("To compile it took more than", "virtual memory exhausted")  # whichever comes first
    yield "macros_without_end", exhausted, f"#define A0 0\n{doubling}const int all[] = {{A15}};\n" + stub


def ends_early(stub, body):
    """Before the tests have looked, or with an end of its own."""
    unistd = "#include <unistd.h>\n"
    yield "exit_before_tests", "ended in the middle of its test", body("exit(0);", "cstdlib")
    yield "std_exit", "ended in the middle of its test", body("std::exit(0);", "cstdlib", "cstdio")
    yield "quick_exit", "quick_exit", body("quick_exit(0);", "cstdlib")
    yield "abort_in_noexcept", "It crashed: Aborted", body("[]() noexcept { throw 1; }();")
    yield "throws_a_number", "values: 0", body("throw 42;")
    yield "exit_from_constructor", "calls or uses _exit", unistd + "struct Early { Early() { _exit(0); } };\nstatic Early early;\n" + stub
    yield "constructor_attribute", "it says constructor", (
        unistd + "__attribute__((constructor)) static void early() { _exit(0); }\n" + stub)
    yield "constructor_by_macro", "joins words by ##", (
        "#define EARLY const##ructor\n__attribute__((EARLY)) static void early() {}\n" + stub)
    yield "init_array", "it says section", "__attribute__((section(\".init_array\"))) static void (*early)() = nullptr;\n" + stub
    yield "abort_handler", "calls or uses signal", body("signal(SIGABRT, [](int) { _exit(0); }); abort();", "csignal", "cstdlib", "unistd.h")
    yield "terminate_handler", "std::set_terminate", body("std::set_terminate([] {}); throw 1;", "exception")
    yield "at_exit", "calls or uses atexit", body("atexit([] {});", "cstdlib")
    yield "long_jump", "longjmp", body("static jmp_buf back; longjmp(back, 1);", "csetjmp")


def reaches_out(body, solved, solution, marks_file, students):
    """To other processes, files, descriptors or the environment. `solved` would be right without it."""
    yield "ptrace", "calls or uses ptrace", solved("ptrace(PTRACE_ATTACH, getppid(), 0, 0);", "sys/ptrace.h", "unistd.h")
    yield "memory_of_processes", "calls or uses open", solved('(void)open("/proc/self/mem", O_RDWR);', "fcntl.h")
    yield "system_call", "it says syscall", solved("syscall(231, 0);", "unistd.h")
    yield "shell", "calls or uses system", solved('(void)!system("true");', "cstdlib")
    yield "other_threads", "std::thread", solved("std::thread([] {}).detach();", "thread")
    yield "looked_up_by_name", "calls or uses dlsym", solved('(void)dlsym(nullptr, "memcmp");', "dlfcn.h")
    yield "file_of_the_grader", "calls or uses fopen", solved(f'(void)fopen("{marks_file}", "w");', "cstdio")
    yield "environment", "calls or uses getenv", solved('(void)getenv("TUT_VERDICT");', "cstdlib")
    yield "environment_by_name", "it says environ", "extern char** environ;\n" + solved("if (!environ) return;")
    yield "file_of_output", "calls or uses stdout", solved('fputs("x", stdout); stdout->_fileno = 3;', "cstdio")
    yield "read_solution", "calls or uses files (<fstream>)", solved(f'std::ifstream("{solution}").get();', "fstream")
    yield "read_others", "calls or uses opendir", solved(f'(void)opendir("{students}");', "dirent.h")
    yield "write_course", "calls or uses files (<fstream>)", solved(f'std::ofstream("{SOURCE}/exercises/03_first_kernels/reverse.cu") << 1;', "fstream")
    # What the test program keeps of its channel lies near; the number of a stream's file can be changed.
    yield "forged_verdict", "ended in the middle of its test", with_body(
        version("reverse", "stub"), """  static int near = 7;
  const char* at = reinterpret_cast<const char*>(&near);
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  for (int k = -2000; k < 2000; ++k) {
    int digits = 0;
    while (digits < 56 && is_digit(at[k + digits])) ++digits;
    if (digits < 56) continue;
    memcpy(&stderr->_fileno, at + k - 5, 4);
    fprintf(stderr, "%.56s 5 0 0 0\\n", at + k);
    fflush(stderr);
    exit(0);
  }""", "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n")
    yield "words_of_the_tests", "values: 0", body('printf("[doctest] Status: SUCCESS!\\nkind: none\\n");', "cstdio")


def takes_names(stub, right):
    """Functions and objects in the place of the tests', the library's or the CPU backend's. All are right but for that."""
    yield "own_main", "main", right + "int main() { return 0; }\n"
    yield "own_new", "operator new", "#include <new>\n#include <cstdlib>\nvoid* operator new(std::size_t n) { return malloc(n); }\n" + right
    yield "own_malloc", "malloc", right + 'extern "C" void* malloc(unsigned long) noexcept { return nullptr; }\n'
    yield "own_memcmp", "memcmp", right + 'extern "C" int memcmp(const void*, const void*, unsigned long) noexcept { return 0; }\n'
    yield "weak_memcmp", "memcmp", right + (
        'extern "C" __attribute__((weak)) int memcmp(const void*, const void*, unsigned long) noexcept { return 0; }\n')
    yield "renamed_by_pragma", "it defines the C function", right + (
        '#pragma redefine_extname same memcmp\nextern "C" int same(const void*, const void*, unsigned long) noexcept { return 0; }\n')
    yield "variable_of_the_library", "it defines optind", right + "int optind = 7;\n"
    yield "state_of_doctest", "doctest::detail::g_cs", (
        "namespace doctest::detail { extern void* g_cs; }\n" + with_body(right, "  doctest::detail::g_cs = nullptr;"))
    yield "own_doctest", "doctest::", "namespace doctest { namespace detail { bool isDebuggerActive() { return false; } } }\n" + right
    yield "own_expect", "it defines tut::expect", right + (
        "namespace tut { struct Outcome;\nvoid expect(const Outcome&, const SourceLocation&) {} }\n")
    yield "own_runtime", "it says simt", "namespace simt { void helper() {} }\n" + right
    yield "name_of_the_tests_by_alias", "it says _ZN", right + (
        'extern "C" void _ZN3tut6expectERKNS_7OutcomeE(const void*) {}\n')
    yield "macros_of_the_tests", "values: 0", (
        "#define CHECK(...)\n#define REQUIRE(...)\n#define TEST_CASE(...) static void none()\n" + stub)


def includes(stub, solution):
    """What is not the exercise's own."""
    yield "include_solution", "No such file", f'#include "{solution}"\n'
    yield "include_solution_nearby", "No such file", '#include "../../solutions/03_first_kernels/reverse.cu"\n'
    yield "include_tests", "No such file", stub + f'#include "{SOURCE}/tests/03_first_kernels/vector_case.hpp"\n'
    yield "include_example", "it includes chapters/03_first_kernels/vector_add.cu", stub + '#include "03_first_kernels/vector_add.cu"\n'
    yield "include_device", "No such file", '#include "/dev/zero"\n' + stub
    yield "include_password", "No such file", '#include "/etc/passwd"\n' + stub
    yield "include_environment", "it includes /proc/self/environ", '#include "/proc/self/environ"\n' + stub
    yield "include_itself", "depth", "#include __FILE__\n" + stub
    yield "embed", "embed", f'static const unsigned char text[] = {{\n#embed "{solution}"\n}};\n' + stub
    yield "cublas", "cublas", "#include <cublas_v2.h>\n" + replaced(
        stub, (BODY, BODY + "  cublasHandle_t h; cublasCreate(&h);\n"))
    yield "eigen", "Eigen", "#include <Eigen/Core>\n" + replaced(
        stub, (BODY, BODY + "  Eigen::Map<Eigen::VectorXf>(x, n).reverseInPlace();\n"))
    yield "worked_example", "vector_add", '#include "03_first_kernels/vector_add.hpp"\n' + replaced(
        stub, (BODY, BODY + "  vector_add(x, x, x, n, stream);\n"))


def assembles(stub, right, body, solution):
    """Assembly for the host, wherever it hides. Most are right but for that."""
    nop = 'asm volatile("nop");'

    def solved(text):
        return with_body(right, "  " + text)
    yield "incbin", "does not compile", stub + f'asm(".incbin \\"{solution}\\"");\n'
    yield "assembly_of_the_host", "assembly for the host", solved('__asm__ volatile("nop");')
    yield "assembly_by_macro", "assembly for the host", "#define ASSEMBLE asm\n" + solved('ASSEMBLE("nop");')
    yield "assembly_behind_a_number", "assembly for the host", solved(f"int a = 1'000; {nop} int b = 1'000; (void)a; (void)b;")
    yield "assembly_by_a_joined_line", "assembly for the host", solved('a\\\nsm("nop");')
    yield "assembly_in_a_header_name", "No such file", '#include "x.h\\n\\"\\nasm(\\"nop\\");"\n' + stub
    yield "assembly_of_another_line", "it has a #line", solved(f'\n#line 1 "/usr/include/stdio.h"\n{nop}\n')
    yield "assembly_of_another_place", "assembly for the host", (
        '#ifndef AGAIN\n#define AGAIN\n#include "../03_first_kernels/reverse.cu"\n#else\n' + solved(nop) + "\n#endif\n")
    yield "assembly_as_a_name", "assembly for the host", right + 'int same(const void*) asm("memcmp");\nint same(const void*) { return 0; }\n'


def cheats(stub, right, body):
    """Ways round the work, or round what watches it."""
    yield "on_the_host", "values: 0", body(
        "for (int i = 0; i < n / 2; ++i) { const float v = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = v; }\n  return;")
    yield "copied_to_the_host", "values: 0", body(
        "std::vector<float> v(n > 0 ? n : 0); if (n > 1) { cudaMemcpy(v.data(), x, 4ul * n, cudaMemcpyDefault);"
        " std::reverse(v.begin(), v.end()); cudaMemcpy(x, v.data(), 4ul * n, cudaMemcpyDefault); return; }", "algorithm", "vector")
    remembers = ("  static float known[4096]; static int known_n = 0;\n"
                 "  if (n > 1 && n == known_n) { cudaMemcpyAsync(x, known, 4ul * n, cudaMemcpyDefault, stream); return; }")
    keeps = ("\n  known_n = n <= 4096 ? n : 0;\n"
             "  if (known_n > 0) cudaMemcpyAsync(known, x, 4ul * n, cudaMemcpyDefault, stream);\n")
    yield "remembered", "values: 0", with_body(replaced(right, ("  check_launch();\n", "  check_launch();" + keeps)), remembers)
    yield "tells_builds_apart", "it says __SIMT_WATCHED__", "#ifdef __SIMT_WATCHED__\n" + right + "\n#else\n" + right + "\n#endif\n"
    yield "raw_string", "raw string", 'static const char* text = R"(x)";\n' + right
    yield "return_address", "it says __builtin_return_address", with_body(right, "  (void)__builtin_return_address(0);")
    yield "pragma_as_an_operator", "it says _Pragma", '_Pragma("GCC optimize(\\"O0\\")")\n' + right
    yield "not_watched", "it says no_sanitize", replaced(right, ("__global__", '__attribute__((no_sanitize("thread"))) __global__'))
    yield "counters_by_another_name", "it says simt", with_body(right, "  (void)simt_memcpy;")
    yield "markup_in_messages", "]]>", '#error </failure>]]><testcase name="x"/>&amp;\x1b[31m,"=1+1"\n' + stub
