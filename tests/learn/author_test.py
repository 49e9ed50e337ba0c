"""What `./learn author` lays out, writes and finds, in a course of its own in a scratch folder.

  author_test.py MAKE_STUBS [CUCC CXX]    with a compiler: what it lays out compiles, too
"""
import contextlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/tools"))
from author import build_checks, command, contract, course, lesson  # noqa: E402

MAKE_STUBS, COMPILERS = None, []
README = """# Chapter 08: Sums

## Exercises

They use nothing.

1. `second`: the second one, which is *new*.

Start with `first`.

## Sources
"""


class Scratch(unittest.TestCase):
    root = None

    def file(self, path):
        return self.root / path

    def author(self, *arguments):
        """Its exit status and its lines."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = command.main(["--root", str(self.root), "--make-stubs", str(MAKE_STUBS), *arguments])
            except SystemExit as end:
                status = end.code
        return status, output.getvalue().splitlines()

    def compile(self, chapter, file, tests, right):
        """The files of an exercise, without a warning."""
        if not COMPILERS:
            return
        cucc, cxx = COMPILERS
        words = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-Wno-unused-parameter",
                 "-DTUT_BACKEND_CPU", f"-I{ROOT}/common", f"-I{self.root}/chapters", f"-I{ROOT}/chapters"]
        headers = ["-fopenmp-simd", f"-I{ROOT}/common/simt/include"]
        sources = [f"solutions/{chapter}/{file}", f"exercises/{chapter}/{file}",
                   *[f"tests/right/{chapter}/{name}" for name in right], *[f"tests/{chapter}/{name}" for name in tests]]
        for source in sources:
            if source.endswith(".cu"):
                job = [cucc, *words, "-c", self.file(source), "-o", self.root / "object.o"]
            else:
                job = [cxx, *words, *headers, "-fsyntax-only", self.file(source)]
            done = subprocess.run(job, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{job}\n{done.stderr}")


class AuthorTest(Scratch):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "my course"
        for chapter in ("08_sums", "09_more"):
            (self.root / "chapters" / chapter).mkdir(parents=True)
            (self.root / "chapters" / chapter / "README.md").write_text(README.replace("1. `second`", "- `second`"))
        (self.root / "solutions").mkdir()
        (self.root / "exercises").mkdir()
        (self.root / "exercises/course.toml").write_text("# The course.\n")

    def new(self, *arguments):
        status, lines = self.author("new", *arguments)
        self.assertEqual(status, 0, lines)
        return lines

    def change(self, path, old, new):
        """One place of a file, which must be there."""
        text = self.file(path).read_text()
        self.assertEqual(text.count(old), 1, f"{old} in {text}")
        self.file(path).write_text(text.replace(old, new))

    def finish(self, name="one"):
        """Whatever is marked TODO is written."""
        for path in self.root.rglob("*"):
            if path.is_file() and (path.name == "course.toml" or not path.is_relative_to(self.root / "exercises")):
                path.write_text(path.read_text().replace("TODO: ", "").replace("TODO", "words"))
        self.assertEqual(self.author("stub", name)[0], 0)
        self.assertEqual(self.author("lists")[0], 0)

    def findings(self, *names):
        status, lines = self.author("check", "--static", *(names or ["--all"]))
        self.assertEqual(status, 1 if len(lines) > 1 else 0, lines)
        return lines[:-1]

    def found(self, *words):
        """There is one finding, and it says so."""
        lines = self.findings()
        self.assertEqual(len(lines), 1, "\n".join(lines))
        for word in words:
            self.assertIn(word, lines[0])

    # What is laid out.

    def test_a_new_exercise_has_all_its_files_and_nothing_is_missing_but_words(self):
        for name, options, extension in (("one", (), ".cu"), ("two", ("--cpu",), ".cpp")):
            self.new("8", name, *options)
            for path in (f"chapters/08_sums/{name}.hpp", f"solutions/08_sums/{name}{extension}",
                         f"exercises/08_sums/{name}{extension}", f"tests/08_sums/{name}_test.cpp",
                         f"tests/wrong/08_sums/{name}.edits", f"tests/right/08_sums/{name}.another_way{extension}"):
                self.assertTrue(self.file(path).exists(), path)
                self.assertNotIn("@", self.file(path).read_text().replace("@@\n", ""))
            lines = self.findings(name)
            self.assertGreater(len(lines), 8)
            for line in lines:
                self.assertRegex(line, r"^\S+:\d+: left to write: .*; write it")
        self.finish("one")
        self.finish("two")
        self.assertEqual(self.findings(), [])

    def test_the_manifest_stays_in_course_order(self):
        self.new("9", "late")
        self.new("08", "early")
        self.new("sums", "second")
        self.file("exercises/course.toml").write_text(
            self.file("exercises/course.toml").read_text() + '\n[[chapter]]\nnumber = 9\nneeds = "sm_80"\n')
        self.new("09_more", "last")
        made = course.Course(self.root)
        self.assertEqual(list(made.entries), ["early", "second", "late", "last"])
        self.assertTrue(self.file("exercises/course.toml").read_text().startswith("# The course.\n\n[[exercise]]"))

    def test_a_blank_file_exercise_stays_the_last_of_its_chapter(self):
        self.new("8", "blank_one")
        self.change("exercises/course.toml", 'points = 5\n', 'points = 5\nblank = true\n')
        self.new("8", "before")
        self.assertEqual(list(course.Course(self.root).entries), ["before", "blank_one"])

    def test_nothing_is_overwritten(self):
        self.new("8", "one")
        before = {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}
        for arguments, words in ((("8", "one"), "there is an exercise one already"),
                                 (("77", "new"), "no chapter '77'"),
                                 (("8", "log_sum_exp"), "the course has an exercise log_sum_exp, too"),
                                 (("8", "New"), "'New' is no name of an exercise"),
                                 (("8", "a-b"), "'a-b' is no name of an exercise"),
                                 (("9", "one"), "there is an exercise one already")):
            status, lines = self.author("new", *arguments)
            self.assertEqual((status, len(lines)), (2, 1), lines)
            self.assertIn(words, lines[0])
        self.file("tests/08_sums/mine_test.cpp").write_text("mine")
        status, lines = self.author("new", "8", "mine")
        self.assertEqual(status, 2)
        self.assertIn("mine_test.cpp is there already; nothing was written", lines[0])
        self.file("tests/08_sums/mine_test.cpp").unlink()
        self.assertEqual(before, {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()})

    def test_what_is_laid_out_compiles_without_a_warning(self):
        self.new("8", "one")
        self.new("8", "two", "--cpu")
        self.compile("08_sums", "one.cu", ["one_test.cpp"], ["one.another_way.cu"])
        self.compile("08_sums", "two.cpp", ["two_test.cpp"], ["two.another_way.cpp"])

    # What is found: each fault alone, in an exercise that has no other.

    def ready(self, *options):
        self.new("8", "one", *options)
        self.finish()
        self.assertEqual(self.findings(), [])

    def test_contracts(self):
        self.ready()
        file = "chapters/08_sums/one.hpp"
        good = self.file(file).read_text()
        for old, new, words in (("\\param size  ", "\\param sizes  ", "no \\param size; say its shape"),
                                ("\\param stream  ", "stream ", "no \\param stream"),
                                ("**Launch**", "Launch", "no **Launch**"), ("**Cost**", "It costs", "no **Cost**"),
                                ("void one(", "void another(", "")):
            self.change(file, old, new)
            if words:
                self.found(f"{file}:25: ", words)
            else:  # as an exercise of two functions that have names of their own
                self.assertEqual(self.findings(), [])
            self.file(file).write_text(good)
        self.file(file).write_text(re.sub(r"^///.*\n", "", good, flags=re.M))
        self.found(f"{file}:7: ", "one has no comment")
        self.file(file).write_text("#pragma once\n")
        self.found("no function one is declared")
        self.file(file).unlink()
        self.found(f"{file}: the contract is missing")

    def test_parameters_of_any_form_are_found(self):
        names = contract.parameters_of("MatrixView<const float> a, const std::array<int, 3>& sizes, float (*f)(int, int),"
                                       " int n = g(1, 2), float out[], cudaStream_t stream = nullptr")
        self.assertEqual([name for name in names if name != "int"][:2] + names[-3:], ["a", "sizes", "n", "out", "stream"])
        self.assertEqual(contract.documented([" @param x, y  both", r" \param[out] z  one", " \\param w"]),
                         ["x", "y", "z", "w"])
        self.assertEqual(contract.parameters_of("void"), [])

    def test_entries(self):
        self.ready()
        file = "exercises/course.toml"
        good = self.file(file).read_text()
        hints = re.search(r"hints = \[\n(.*?)\]\n", good, re.S)
        for old, new, words in ((hints[0], "hints = []\n", "one: no hint; write two or three"),
                                (hints[1], '"one only"\n', "one: 1 hints; write two or three"),
                                (hints[1], '"one", ""\n', "a hint that says nothing"),
                                ("chapter = 8", "chapter = 7", "chapter = 7; expected 8"),
                                ("points = 5", 'points = 5\nneeds = "cpu"', 'needs = "cpu"; expected "cpu" for a .cpp'),
                                ("08_sums/one.cu", "08_sums/on.cu", 'file = "exercises/08_sums/on.cu"; expected')):
            self.change(file, old, new)
            self.found(f"{file}:3: ", words)
            self.file(file).write_text(good)
        self.new("9", "late")
        self.finish("late")
        text = self.file(file).read_text()
        first, second = [part for part in text.split("[[exercise]]")[1:]]
        self.file(file).write_text(f"[[exercise]]{second}\n[[exercise]]{first}")
        self.found("one: it stands after late of chapter 9; put it behind")
        self.file(file).write_text("[[exercise]]" + second)
        lines = self.findings()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("course.toml: no entry of one; add [[exercise]]", lines[0] + lines[1])
        self.file(file).write_text("name = \n")
        status, lines = self.author("check", "--static", "--all")
        self.assertEqual((status, len(lines)), (2, 1), lines)
        self.assertIn("course.toml: ", lines[0])

    def test_an_entry_or_a_version_of_no_exercise(self):
        self.ready()
        manifest = self.file("exercises/course.toml")
        manifest.write_text(manifest.read_text() + '\n[[exercise]]\nchapter = 8\nname = "gone"\n')
        self.file("tests/wrong/08_sums/on.edits").write_text("=== a\n")
        lines = self.findings()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("gone has no solution", lines[0])
        self.assertIn("tests/wrong/08_sums/on.edits: it belongs to no exercise", lines[1])

    def test_budgets(self):
        self.ready()
        manifest, test = "exercises/course.toml", "tests/08_sums/one_test.cpp"
        entry, case = self.file(manifest).read_text(), self.file(test).read_text()
        without_entry = entry[:entry.index("[exercise.budget]")]
        without_case = case[:case.index('TEST_CASE("budget")')] + "}\n"
        self.file(manifest).write_text(without_entry)
        self.found("no [exercise.budget] of one")
        self.file(test).write_text(without_case)
        self.found(f'{test}: no budget; add TEST_CASE("budget")')
        self.file(test).write_text("// no budget: it has no kernel\n" + without_case)
        self.assertEqual(self.findings(), [])
        self.file(test).write_text("// no budget: it has no kernel\n" + case)
        self.found("it says 'no budget', and there is one")
        self.file(manifest).write_text(entry)
        self.file(test).write_text(without_case)
        self.found(f'{test}: no test case "budget"')

    def test_an_exercise_of_plain_code_needs_no_budget(self):
        self.ready("--cpu")

    def test_wrong_and_right_versions(self):
        self.ready()
        file = "tests/wrong/08_sums/one.edits"
        good = self.file(file).read_text()
        for old, new, words in (("fails: values", "fails: valeus", f"{file}:10: nothing fails by 'valeus'; did you mean "
                                 "'values'"),
                                ("out[i] = 2.0f * in[i];\n+", "out[i] = 3.0f * in[i];\n+",
                                 f"{file}:12: the lines that this edit of not_doubled keeps"),
                                ("fails: budget", "fails: values", "no wrong version fails by the budget")):
            self.change(file, old, new)
            self.found(words)
            self.file(file).write_text(good)
        self.file(file).unlink()
        self.found(f"{file}: no wrong version; write what learners get wrong")
        self.file(file).write_text(good)
        own = self.file("tests/wrong/08_sums/one.own.cu")
        own.write_text("// fials: values\n")
        self.found("tests/wrong/08_sums/one.own.cu:1: unknown mark 'fials:'; did you mean 'fails'")
        own.unlink()
        self.file("tests/right/08_sums/one.another_way.cu").unlink()
        self.found("tests/right/08_sums/one.WHY.cu: no right version of another shape")

    def test_stubs(self):
        self.ready()
        solution, stub = "solutions/08_sums/one.cu", "exercises/08_sums/one.cu"
        good = self.file(solution).read_text()
        self.change(solution, "// Write element i,", "// Write the element i,")
        self.found(f"{stub}: the stub is not what the solution makes of it; run ./learn author stub one")
        self.file(stub).write_text("mine")
        self.assertEqual(self.author("stub", "one")[0], 0)
        self.assertIn("TODO: Write the element i,", self.file(stub).read_text())
        self.file(stub).unlink()
        self.found(f"{stub}: the stub is missing; run ./learn author stub one")
        self.file(solution).write_text(good.replace("[hole-element]", "[hole_element]"))
        self.found(f"{solution}:15: `//! [hole_element]` is no marker; expected `//! [hole-NAME]`")
        self.assertIn("no exercise 'two'", self.author("stub", "two")[1][0])

    def test_a_fault_of_one_solution_does_not_hide_another_exercise(self):
        self.ready()
        self.new("8", "two")
        self.finish("two")
        self.change("solutions/08_sums/one.cu", "//! [hole-element]\n  // ", "//! [hole_element]\n  // ")
        self.file("exercises/08_sums/two.cu").write_text("mine")
        lines = self.findings()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("is no marker", lines[0])
        self.assertIn("two.cu: the stub is not what the solution makes of it", lines[1])

    def test_a_missing_test_and_words_that_are_left(self):
        self.ready()
        self.file("tests/08_sums/one_test.cpp").unlink()
        self.found("tests/08_sums/one_test.cpp: the test is missing")

    # The lesson's list.

    def test_lists(self):
        self.ready()
        path = "chapters/08_sums/README.md"
        lines = self.file(path).read_text().split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("1. `one`: "))
        good = "\n".join(lines)
        for line, words in (("2. `one`: it.", f"{path}:{at + 1}: one is number 2 of the list, and 1 of its chapter"),
                            ("It is not listed.", "its list of exercises has no one; run ./learn author lists")):
            self.file(path).write_text("\n".join([*lines[:at], line, *lines[at + 1:]]))
            self.found(words)
            self.assertEqual(self.author("lists", "--check")[0], 1)
            self.assertEqual(self.author("lists"), (0, [f"wrote {path}"]))
            self.assertEqual(self.findings(), [])
            self.assertEqual(self.author("lists", "--check"), (0, []))
            self.file(path).write_text(good)
        self.file(path).write_text("# A lesson\n")
        status, said = self.author("lists")
        self.assertEqual(status, 2)
        self.assertIn("no section '## Exercises'", said[0])

    def test_a_list_keeps_its_words_and_gets_its_order(self):
        for name in ("first", "second", "third"):
            self.new("8", name)
        path = self.file("chapters/08_sums/README.md")
        path.write_text(README.replace("1. `second`", "1. `third`: is *kept*.\n2. `second`"))
        self.assertEqual(self.author("lists", "8")[0], 0)
        text = path.read_text()
        self.assertIn("1. `first`: TODO: what the learner builds, in one line.\n2. `second`: the second one, which is "
                      "*new*.\n3. `third`: is *kept*.\n\nStart with", text)
        self.assertEqual(self.author("lists", "8"), (0, []))

    def test_the_courses_own_lists(self):
        made = course.Course(ROOT)
        for chapter in made.chapters():
            if lesson.of_chapter(made, chapter):
                self.assertEqual(lesson.written(made, chapter), lesson.lines_of(made, chapter), chapter)

    # What only a build can tell: the parts that need none.

    def test_holes_are_empty_and_the_others_are_filled(self):
        text = ("a;\n  //! [hole-x]\n  // Say x.\n  x = 1;\n  //> x = 0;\n  //! [hole-x]\n//! [hole-y]\n// Say y.\ny;\n"
                "//> z;\n//! [hole-y]\n")
        self.assertEqual(build_checks.filled_before(text, ["hole-x"]), "a;\n  // Say x.\nx = 0;\n// Say y.\ny;\n")
        self.assertEqual(build_checks.filled_before(text, ["hole-y"]), "a;\n  // Say x.\n  x = 1;\n// Say y.\nz;\n")
        self.assertEqual(build_checks.holes_of(text), {"hole-x": 2, "hole-y": 7})

    def test_what_a_failing_test_means(self):
        one = course.Exercise(self.root, "08_sums", "one", ".cu")
        for name, said, file, words in (
                ("stub", "CMake Error\n  passed, but must fail (any):\n", "exercises/08_sums/one.cu", "the stub passes"),
                ("stub", "ended with 'Segmentation fault' instead of exit code 1", "exercises/08_sums/one.cu",
                 "does not fail as it must: ended with 'Seg"),
                ("checked", "one.cu:3: error: race: two threads", "solutions/08_sums/one.cu", "fails its test (checked)"),
                ("solution", "lower precision: y: 24 ...\ny: 24 significant bits rounded to 11 pass each of 3 comparisons "
                 "with a tolerance, with errors up to 0.5 of what is allowed: narrow the tolerance\nkind: tolerance",
                 "tests/08_sums/one_test.cpp", "y: 24 significant bits rounded to 11 pass each of 3"),
                ("solution", "no comparison by tut::compare or tut::is_right shows that\nkind: tolerance",
                 "tests/08_sums/one_test.cpp", "no comparison by tut::compare"),
                ("budget", "the budget of one: total_bytes = 9.00: the solution needs 4.00, and twice as much would pass\n",
                 "exercises/course.toml", "the budget of one: total_bytes = 9"),
                ("budget", "one.cu:3: error: budget: too much", "solutions/08_sums/one.cu", "fails its test (budget)"),
                ("wrong.no_x", "passed, but must fail (values)", "tests/wrong/08_sums/one.edits", "wrong version no_x: "),
                ("right.other.budget", "x.cu:3: error: budget: more", "tests/right/08_sums/one.other.cu",
                 "right version other is refused")):
            found = build_checks.test_finding(one, f"08.one.{name}", said)
            self.assertEqual(found.file, file)
            self.assertIn(words, found.what)

    def test_what_does_not_compile_is_named_once(self):
        one = course.Exercise(self.root, "08_sums", "one", ".cu")
        stub = one.stub
        said = f"{stub}:7:3: error: 'x' was not declared\n{stub}:7:9: error: again\n/b/edited/one/one.no_x.cu:3:1: error: y\n"
        found = build_checks.compile_findings(one, said)
        self.assertEqual([str(f).split(";")[0] for f in found],
                         ["exercises/08_sums/one.cu:7: does not compile: 'x' was not declared",
                          "tests/wrong/08_sums/one.edits: does not compile: no_x: y"])

    def test_a_build_for_other_exercises_is_configured_for_these(self):
        build = self.root / "build"
        build.mkdir()
        for tool in ("cmake", "ninja"):
            script = self.root / tool
            script.write_text(f'#!/bin/sh\necho {tool} "$@" "$LEARN_COURSE_PATH" >>"{self.root}/calls"\n')
            script.chmod(0o755)
        for known, call in (("", f"cmake -DTUT_COURSE_PATH={self.root} {build} {self.root}\n"),
                            (self.root, f"ninja -C {build} build.ninja \n")):
            (build / "CMakeCache.txt").write_text(
                f"TUT_MAINTAINER:BOOL=ON\nTUT_COURSE_PATH:PATH={known}\nCMAKE_COMMAND:INTERNAL={self.root}/cmake\n"
                f"CMAKE_MAKE_PROGRAM:FILEPATH={self.root}/ninja\n")
            build_checks.Build(build).configure(self.root)
            self.assertEqual((self.root / "calls").read_text(), call)
            (self.root / "calls").unlink()

    def test_mutants_are_of_kernels_and_of_the_course(self):
        self.new("8", "one")
        self.new("8", "two", "--cpu")
        status, lines = self.author("check", "--mutants", "one")
        self.assertEqual(status, 2, lines)
        self.assertIn("--mutants is for the course's own exercises", lines[-1])
        said = "no mutants of two: mistakes are put into kernels, and there are none"
        with unittest.mock.patch.object(build_checks, "findings", return_value=[]):
            self.assertIn(said, self.author("check", "--mutants", "one", "two")[1])
            self.assertNotIn(said, self.author("check", "one", "two")[1])
            self.assertFalse([line for line in self.author("check", "--mutants", "one")[1] if "no mutants" in line])

    # Usage.

    def test_usage(self):
        for arguments, words in ((("check",), "name exercises, or --all"),
                                 (("check", "one", "--all"), "name exercises, or --all"),
                                 (("check", "--all", "--static", "--mutants"), "--mutants builds"),
                                 (("chek",), "invalid choice: 'chek'"),
                                 (("check", "--static", "none"), "no exercise 'none'"),
                                 (("lists", "77"), "no chapter '77'")):
            status, lines = self.author(*arguments)
            self.assertEqual(status, 2, lines)
            self.assertIn(words, lines[-1])
        output = io.StringIO()
        with contextlib.redirect_stderr(output):
            self.assertEqual(command.main(["--root", "/nowhere", "lists"]), 2)
        self.assertIn("no folder /nowhere/solutions", output.getvalue())


class GuideTest(Scratch):
    """docs/new_exercise.md, word by word, in a copy of what it touches."""
    GUIDE = ROOT / "docs/new_exercise.md"
    CHAPTER = "08_reductions"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for part in ("chapters", "solutions", "exercises", "tests", "tests/wrong", "tests/right"):
            shutil.copytree(ROOT / part / self.CHAPTER, self.root / part / self.CHAPTER)
        shutil.copy(ROOT / "exercises/course.toml", self.root / "exercises")

    def steps(self):
        """What the page says to do, in its order: commands with what they print, files, an entry."""
        text = self.GUIDE.read_text()
        pattern = re.compile(r"```(console|cpp|diff|toml)\n(.*?)```|^    rm (\S+)$", re.S | re.M)
        for found in pattern.finditer(text):
            if found[3]:
                yield "rm", found[3], ""
            elif found[1] == "console":
                for command_line, output in re.findall(r"^\$ \./learn author (.*)\n((?:(?!\$ ).*\n)*)", found[2], re.M):
                    yield "run", command_line.split(), output
            elif found[1] == "toml":
                yield "entry", "", found[2]
            else:
                names = re.findall(r"`((?:chapters|solutions|tests)/\S+)`", text[:found.start()])
                yield "write", names[-1], found[2]

    def take_step(self, kind, what, text):
        if kind == "run":
            status, lines = self.author(*what)
            self.assertEqual(status, 0, lines)
            self.assertEqual("\n".join(lines).strip(), text.strip(), f"./learn author {' '.join(what)}")
        elif kind == "rm":
            self.file(what).unlink()
        elif kind == "write":
            self.file(what).write_text(text)
        else:
            manifest = self.file("exercises/course.toml")
            old = manifest.read_text()
            start = old.rindex("[[exercise]]", 0, old.index('name = "row_max"'))
            manifest.write_text(old[:start] + text + "\n" + old[old.index("[[exercise]]", start + 1):])

    def test_the_guide_can_be_followed(self):
        kinds = []
        for step in self.steps():
            self.take_step(*step)
            kinds.append(step[0])
        self.assertEqual([kinds.count(kind) for kind in ("run", "write", "rm", "entry")], [4, 5, 1, 1])
        self.compile("08_reductions", "row_max.cu", ["row_max_test.cpp"], ["row_max.tree.cu"])
        # The check has seen what was laid out: with one part less it says so.
        self.file("tests/right/08_reductions/row_max.tree.cu").unlink()
        self.assertEqual(self.author("check", "--static", "row_max")[0], 1)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).exists():
        sys.exit("usage: author_test.py MAKE_STUBS [CUCC CXX]")
    MAKE_STUBS, COMPILERS = sys.argv[1], sys.argv[2:4]
    unittest.main(argv=sys.argv[:1])
