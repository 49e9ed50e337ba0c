#!/usr/bin/env python3
"""Grades a made-up class for one small exercise: right, wrong, racy, wasteful and hostile files.

  grade_test.py marks|hostile LEARN_CLASSROOM SOURCE [ATTACK ...]

marks: each gets the marks that it deserves, the files say why, and a run that was killed goes on.
hostile: everything that tries to get marks without the work gets none, and disturbs nobody: beside it a
right answer gets full marks, and neither the course nor this machine has changed. With ATTACK only these.
"""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import xml.etree.ElementTree
import zipfile

EXERCISE = "reverse"
FILE = "exercises/03_first_kernels/reverse.cu"
SOLUTION = "solutions/03_first_kernels/reverse.cu"
ASSIGNMENT = f"""title = "Homework 1"
secret = "not for students"
due = 2027-02-12T23:59:00+01:00
[late]
percent_per_day = 10
days = 3
[[exercise]]
name = "{EXERCISE}"
points = 10
"""
BODY = "  constexpr int BLOCK = 256;\n"
GUARD = "  if (i >= n / 2) return;\n"
faults = []


def expect(holds, text):
    if not holds:
        faults.append(text)
        print(f"FAULT: {text}", flush=True)


class Course:
    def __init__(self, program, source):
        self.program, self.source = program, pathlib.Path(source)
        self.right = (self.source / SOLUTION).read_text()
        self.stub = (self.source / FILE).read_text()

    def changed(self, *changes, top="", text=None):
        text = self.right if text is None else text
        for old, new in changes:
            if text.count(old) != 1:
                sys.exit(f"the solution has {text.count(old)} times: {old}")
            text = text.replace(old, new)
        return top + text

    def with_body(self, body, top="", text=None):
        return self.changed((BODY, BODY + body + "\n"), top=top, text=text)

    def command(self, folder, *more):
        return [self.program, "grade", "--assignment", str(folder / "assignment.toml"), "--out", str(folder / "out"),
                "--compile-seconds", "60", "--run-seconds", "20", *more, str(folder / "class")]

    def grade(self, folder, *more):
        ran = subprocess.run(self.command(folder, *more), capture_output=True, text=True, check=False)
        print(ran.stdout + ran.stderr, flush=True)
        expect(ran.returncode == 0, f"grading ended with {ran.returncode}: {ran.stderr}")
        return ran.stdout

    def state(self):
        """What a submission must not change: names, sizes and times of the course's files."""
        files = {}
        for name in ("chapters", "common", "exercises", "solutions", "tests", "learn", "build/cpu/bin"):
            place = self.source / name
            for file in [place] if place.is_file() else sorted(place.rglob("*")):
                if file.is_file() and "__pycache__" not in str(file):
                    files[str(file)] = (file.stat().st_size, file.stat().st_mtime_ns)
        return files


def write(folder, students):
    (folder / "assignment.toml").write_text(ASSIGNMENT)
    for student, text in students.items():
        place = folder / "class" / student
        place.mkdir(parents=True)
        if text is not None:
            (place / "reverse.cu").write_bytes(text if isinstance(text, bytes) else text.encode())


def marks_of(folder):
    with open(folder / "out/marks.csv", newline="", encoding="utf-8") as file:
        # A spreadsheet takes what begins with one of these for a formula, so they stand behind a mark.
        return {row["student"].removeprefix("'"): row for row in csv.DictReader(file)}


def all_bytes(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*"))
            if file.is_file() and file.parent.name != "journal"}


def check_marks(course):
    racy = course.changed((GUARD, GUARD + "  if (threadIdx.x == 0 && x[i + 1] == 12345678.5f) return;\n"))
    wasteful = course.changed((GUARD, GUARD + "  if (*(volatile float*)&x[i] == 12345678.5f) return;\n"
                               "  if (*(volatile float*)&x[n - 1 - i] == 12345678.5f) return;\n"))
    wrong = course.changed(("const int partner = n - 1 - i;", "const int partner = n - 2 - i;"))
    students = {"ann": course.right, "ben": wrong, "cay": racy, "dan": wasteful, "eve": course.stub,
                "fay": "this is no C++\n", "gus": b"", "hal": None, "ian": course.right}
    wanted = {"ann": 10, "ben": 0, "cay": 8, "dan": 8, "eve": 0, "fay": 0, "gus": 0, "hal": 0, "ian": 9}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder, students)
        with zipfile.ZipFile(folder / "class/joe.zip", "w") as archive:
            archive.writestr(f"hw/{FILE}", course.right)
        (folder / "times.csv").write_text("ian,2027-02-13T10:00:00+01:00\nann,2027-02-12T10:00:00+01:00\n")
        times = ("--times", str(folder / "times.csv"))

        # One is killed as soon as something is done; what is done stays.
        first = subprocess.Popen(course.command(folder, "--jobs", "1", *times), stdout=subprocess.DEVNULL)
        while first.poll() is None and not list(folder.glob("out/journal/*.json")):
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
        first.wait()
        before = {file: file.stat().st_mtime_ns for file in folder.glob("out/journal/*.json")}
        expect(before, "nothing was noted before the first run was killed")

        course.grade(folder, *times)
        for file, moment in before.items():
            expect(file.stat().st_mtime_ns == moment, f"{file.name} was graded again")
        marks = marks_of(folder)
        for student, points in {**wanted, "joe": 10}.items():
            expect(float(marks[student]["total"]) == points,
                   f"{student} has {marks[student]['total']} points; expected {points}")
        expect(list(marks) == sorted(marks), "the students are not in order")
        expect("10 h 01 min" in marks["ian"]["late"], f"of ian it says {marks['ian']['late']}")

        def feedback(student):
            return (folder / "out/students" / student / "feedback.txt").read_text()
        for student, words in {"ben": "expected", "cay": "race", "dan": "budget", "eve": "values: 0 of 6",
                               "fay": "reverse.cu:1", "gus": "it is empty", "hal": "not handed in",
                               "ian": "90 %", "ann": "10 of 10 points"}.items():
            expect(words in feedback(student), f"{student} is not told '{words}':\n{feedback(student)}")
        scope = json.loads((folder / "out/students/cay/results.json").read_text())
        expect(scope["score"] == 8 and len(scope["tests"]) == 3, f"Gradescope gets {scope}")
        fifty = json.loads((folder / "out/students/cay/result.json").read_text())
        expect(fifty["score"] == 8 and fifty["max-score"] == 10, f"Classroom 50 gets {fifty}")
        suites = xml.etree.ElementTree.parse(folder / "out/junit.xml").getroot()
        expect(suites.get("tests") == "30", f"JUnit's file has {suites.get('tests')} tests")

        bytes_before = all_bytes(folder / "out")
        course.grade(folder, *times)
        expect(all_bytes(folder / "out") == bytes_before, "a second run gives other bytes")


def attacks(course, folder):
    """Of each attack the file that is handed in."""
    unistd = "#include <unistd.h>\n"
    stub = course.stub
    loop = "  for (volatile int forever = 1; forever;) {}"
    own = "namespace tut::ch03 {\n"

    def body(text, top=""):
        return course.with_body("  " + text, top=top, text=stub)

    yield "endless_loop", body(loop)
    yield "fork_bomb", body("for (;;) fork();", unistd)
    yield "gigabyte_of_output", body('for (long k = 0; k < 100000000; ++k) printf("0123456789\\n");', "#include <cstdio>\n")
    yield "exit_before_tests", body("exit(0);", "#include <cstdlib>\n")
    yield "std_exit", body("std::exit(0);", "#include <cstdlib>\n")
    yield "quick_exit", body("quick_exit(0);", "#include <cstdlib>\n")
    yield "exit_from_constructor", unistd + "struct Early { Early() { _exit(0); } };\nstatic Early early;\n" + stub
    yield "constructor_attribute", unistd + "__attribute__((constructor)) static void early() { _exit(0); }\n" + stub
    yield "constructor_by_macro", "#define EARLY const##ructor\n__attribute__((EARLY)) static void early() {}\n" + stub
    yield "init_array", "__attribute__((section(\".init_array\"))) static void (*early)() = nullptr;\n" + stub
    yield "abort_handler", body("signal(SIGABRT, [](int) { _exit(0); }); abort();", "#include <csignal>\n#include <cstdlib>\n" + unistd)
    yield "terminate_handler", body("std::set_terminate([] {}); throw 1;", "#include <exception>\n")
    yield "at_exit", body("atexit([] {});", "#include <cstdlib>\n")
    yield "long_jump", body("static jmp_buf back; longjmp(back, 1);", "#include <csetjmp>\n")
    yield "ptrace", body("ptrace(PTRACE_ATTACH, getppid(), 0, 0);", "#include <sys/ptrace.h>\n" + unistd)
    yield "memory_of_processes", body('open("/proc/self/mem", O_RDWR);', "#include <fcntl.h>\n")
    yield "system_call", body("syscall(231, 0);", unistd)
    yield "shell", body('system("true");', "#include <cstdlib>\n")
    yield "other_threads", body("std::thread([] {}).detach();", "#include <thread>\n")
    yield "words_of_the_tests", body('printf("[doctest] Status: SUCCESS!\\nkind: none\\n");', "#include <cstdio>\n")
    yield "file_of_the_grader", body('fopen("%s", "w");' % (folder / "out/marks.csv"), "#include <cstdio>\n")
    yield "environment", body('getenv("TUT_VERDICT");', "#include <cstdlib>\n")
    yield "environment_by_name", own + "}\nextern char** environ;\n" + body("if (!environ) return;")
    yield "file_of_output", body('fputs("x", stdout); stdout->_fileno = 3;', "#include <cstdio>\n")
    yield "own_main", stub + "int main() { return 0; }\n"
    yield "own_new", "#include <new>\n#include <cstdlib>\nvoid* operator new(std::size_t n) { return malloc(n); }\n" + stub
    yield "own_malloc", stub + 'extern "C" void* malloc(unsigned long) noexcept { return nullptr; }\n'
    yield "own_memcmp", stub + 'extern "C" int memcmp(const void*, const void*, unsigned long) noexcept { return 0; }\n'
    yield "weak_memcmp", stub + 'extern "C" __attribute__((weak)) int memcmp(const void*, const void*, unsigned long) noexcept { return 0; }\n'
    yield "own_doctest", "namespace doctest { namespace detail { bool isDebuggerActive() { return false; } } }\n" + stub
    yield "own_expect", "namespace tut { struct Outcome; struct SourceLocation;\nvoid expect(const Outcome&, const SourceLocation&) {} }\n" + stub
    yield "own_runtime", "namespace simt { void helper() {} }\n" + stub
    yield "macros_of_the_tests", "#define CHECK(...)\n#define REQUIRE(...)\n#define TEST_CASE(...) static void none()\n#define expect(...)\n" + stub
    yield "include_solution", f'#include "{course.source / SOLUTION}"\n'
    yield "include_solution_nearby", '#include "../../solutions/03_first_kernels/reverse.cu"\n'
    yield "include_tests", stub + f'#include "{course.source}/tests/03_first_kernels/vector_case.hpp"\n'
    yield "include_example", stub + '#include "03_first_kernels/vector_add.cu"\n'
    yield "include_device", '#include "/dev/zero"\n' + stub
    yield "include_password", '#include "/etc/passwd"\n' + stub
    yield "include_itself", "#include __FILE__\n" + stub
    yield "incbin", stub + f'asm(".incbin \\"{course.source / SOLUTION}\\"");\n'
    yield "assembly_of_the_host", body('__asm__ volatile("syscall" : : "a"(231), "D"(0));')
    yield "assembly_by_macro", "#define ASSEMBLE asm\n" + body('ASSEMBLE("nop");')
    yield "assembly_behind_a_number", body("int a = 1'000; asm(\"nop\"); int b = 1'000; (void)a; (void)b;")
    yield "assembly_by_a_joined_line", body('a\\\nsm("nop");')
    yield "assembly_in_a_header_name", '#include "x.h\\n\\"\\nasm(\\"nop\\");"\n' + stub
    yield "embed", f'static const unsigned char text[] = {{\n#embed "{course.source / SOLUTION}"\n}};\n' + stub
    yield "read_solution", body(f'std::ifstream("{course.source / SOLUTION}").get();', "#include <fstream>\n")
    yield "read_others", body(f'opendir("{folder / "class"}");', "#include <dirent.h>\n")
    yield "write_course", body(f'std::ofstream("{course.source / FILE}") << 1;', "#include <fstream>\n")
    yield "cublas", body("cublasHandle_t h; cublasCreate(&h);", "#include <cublas_v2.h>\n")
    yield "eigen", body("Eigen::Map<Eigen::VectorXf>(x, n).reverseInPlace();", "#include <Eigen/Core>\n")
    yield "worked_example", body("vector_add(x, x, x, n, stream);", '#include "03_first_kernels/vector_add.hpp"\n')
    yield "on_the_host", body("for (int i = 0; i < n / 2; ++i) { const float v = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = v; }\n  return;")
    yield "copied_to_the_host", body("std::vector<float> v(n > 0 ? n : 0); if (n > 1) { cudaMemcpy(v.data(), x, 4ul * n, cudaMemcpyDefault);"
                                     " std::reverse(v.begin(), v.end()); cudaMemcpy(x, v.data(), 4ul * n, cudaMemcpyDefault); return; }",
                                     "#include <algorithm>\n#include <vector>\n")
    remembers = ("  static float known[4096]; static int known_n = 0;\n"
                 "  if (n > 1 && n == known_n) { cudaMemcpyAsync(x, known, 4ul * n, cudaMemcpyDefault, stream); return; }")
    keeps = ("\n  known_n = n <= 4096 ? n : 0;\n"
             "  if (known_n > 0) cudaMemcpyAsync(known, x, 4ul * n, cudaMemcpyDefault, stream);\n")
    yield "remembered", course.with_body(remembers, text=course.changed(("  check_launch();\n", "  check_launch();" + keeps)))
    yield "tells_builds_apart", "#ifdef __SIMT_WATCHED__\n" + course.right + "\n#else\n" + course.right + "\n#endif\n"
    yield "raw_string", 'static const char* text = R"(x)";\n' + course.right
    yield "deep_templates", "template <unsigned long N> struct Deep { using T = typename Deep<N - 1>::T; typename Deep<N * 3>::T t; };\ntemplate struct Deep<999999>;\n" + stub
    yield "huge_array", "namespace { float huge[1ul << 36] = {1}; }\n" + body("x = huge;")
    yield "endless_constexpr", "constexpr unsigned long spin(unsigned long n) { unsigned long s = 0; for (unsigned long k = 0; k < n; ++k) s += k; return s; }\nstatic_assert(spin(~0ul) != 1);\n" + stub
    yield "wrong_encoding", stub.encode("utf-16")
    yield "a_nul", stub.encode() + b"\0"
    yield "empty", b""


def check_hostile(course, only):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        students = {attack: text for attack, text in attacks(course, folder) if not only or attack in only}
        unknown = set(only) - set(students)
        if unknown:
            sys.exit(f"no such attack: {', '.join(sorted(unknown))}")
        # Macros of the tests' names do no harm to who computes.
        right = {"right answer": course.right,
                 "right_with_macros": "#define CHECK(...)\n#define TEST_CASE(...) static void none()\n" + course.right}
        write(folder, {**students, **right})
        zero = list(students)
        if not only:
            zero += add_odd_ones(course, folder / "class")
        before = course.state()
        course.grade(folder)
        expect(course.state() == before, "the course has changed")
        marks = marks_of(folder)
        expect(len(marks) == len(zero) + len(right),
               f"{len(marks)} students have marks; expected {len(zero) + len(right)}: {sorted(marks)}")
        for student in zero:
            row = marks.get(student)
            expect(row and float(row["total"]) == 0, f"{student} has {row and row['total']} points; expected 0")
            why = (folder / "out/students" / student.replace(" ", "%20").replace("-", "%2D", student[0] == "-")
                   / "feedback.txt")
            if why.exists():
                print(f"--- {student}: {' | '.join(why.read_text().split(chr(10))[3:8])[:240]}")
        for student in right:
            expect(float(marks[student]["total"]) == 10, f"{student} has {marks[student]['total']} points; expected 10")


def add_odd_ones(course, folder):
    """Students whose files are none. Returns their names."""
    (folder / "nothing").mkdir()
    place = folder / "two_files"
    (place / "a").mkdir(parents=True)
    (place / "b").mkdir()
    for part in "ab":
        (place / part / "reverse.cu").write_text(course.right)
    (folder / "a_link").mkdir()
    os.symlink(course.source / SOLUTION, folder / "a_link/reverse.cu")
    (folder / "a_pipe").mkdir()
    os.mkfifo(folder / "a_pipe/reverse.cu")
    (folder / "gigabyte").mkdir()
    with open(folder / "gigabyte/reverse.cu", "wb") as file:
        file.truncate(1 << 30)
    (folder / "-rf name").mkdir()
    (folder / "-rf name/reverse.c").write_text(course.right)
    (folder / "damaged.zip").write_bytes(b"PK\3\4 and no more")
    with tarfile.open(folder / "leads_out.tar.gz", "w:gz") as archive:
        archive.add(course.source / SOLUTION, arcname="../reverse.cu")
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("reverse.cu", b"\0" * (400 << 20))
    return ["nothing", "two_files", "a_link", "a_pipe", "gigabyte", "-rf name", "damaged", "leads_out", "bomb"]


def main():
    what, program, source, *only = sys.argv[1:]
    try:
        subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"skipped: bubblewrap does not work here: {error}")
        sys.exit(77)
    course = Course(program, source)
    check_marks(course) if what == "marks" else check_hostile(course, only)
    if faults:
        sys.exit("\n".join(["", *faults]))


if __name__ == "__main__":
    main()
