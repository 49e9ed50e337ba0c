"""Wrong versions that are edits of a solution: what is made of them, and what is refused."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import edits  # noqa: E402

SOLUTION = """#include <a>

void f() {
  //! [hole-f]
  one();
  //> stub();
  two();
  //! [hole-f]
  one();
  three();
}
"""
EDIT = """=== no_two
fails: race
says: two
Nobody waits.
@@
   one();
-  two();
"""


class EditsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.solution = self.root / "f.cu"
        self.solution.write_text(SOLUTION)
        self.edits = self.root / "f.edits"

    def made(self, text):
        self.edits.write_text(text)
        lines = edits.solution_lines(self.solution)
        return {version.why: edits.version_text(version, lines, self.edits)
                for version in edits.read_edits(self.edits)}

    def refused(self, text, expected):
        with self.assertRaises(edits.EditError) as caught:
            self.made(text)
        self.assertIn(expected, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_a_version_is_the_solution_with_its_edits(self):
        made = self.made(EDIT + """
=== more
fails: values
@@
 #include <a>
+#include <b>
@@
-  three();
+  four();
+
+  five();
""")
        self.assertEqual(made["no_two"], "// fails: race\n// says: two\n// Nobody waits.\n#include <a>\n\n"
                         "void f() {\n  one();\n  one();\n  three();\n}\n")
        self.assertEqual(made["more"], "// fails: values\n#include <a>\n#include <b>\n\nvoid f() {\n  one();\n"
                         "  two();\n  one();\n  four();\n\n  five();\n}\n")

    def test_an_edit_that_does_not_fit_is_refused_with_its_place(self):
        self.refused(EDIT.replace("two();", "six();"), "f.edits:5: the lines that this edit of no_two keeps "
                     "and removes stand in 0 places")
        self.refused(EDIT.replace("   one();\n-  two();", "-  one();"), "stand in 2 places")
        self.refused(EDIT.replace("   one();\n-  two();", "+  one();"), "stand in 0 places")
        self.refused(EDIT + "@@\n-  two();\n", "two edits of no_two overlap")

    def test_what_is_no_edit_is_refused(self):
        self.refused("fails: race\n" + EDIT, "f.edits:1: 'fails: race'; expected '=== WHY' first")
        self.refused(EDIT + "two();\n", "f.edits:8: 'two();'; expected a line that begins with a space")
        self.refused(EDIT + EDIT, "f.edits:8: a second version no_two")
        self.refused("=== none\nfails: race\n", "f.edits:1: none has no edit")
        self.refused(EDIT.replace("fails: race\n", ""), "f.edits:1: no_two does not begin with 'fails: KIND'")

    def test_a_misspelt_mark_is_named_with_its_line_and_the_nearest(self):
        def marked(marks):
            return EDIT.replace("fails: race\nsays: two\n", marks)

        self.refused(marked("fails: rase\n"), "f.edits:2: nothing fails by 'rase'; did you mean 'race'; expected one of")
        self.refused(marked("fails: value\n"), "did you mean 'values'")
        self.refused(marked("fails: out_of_bounds\n"), "did you mean 'out-of-bounds'")
        self.refused(marked("fails: xyzzy\n"), "f.edits:2: nothing fails by 'xyzzy'; expected one of race, ")
        self.refused(marked("fials: race\n"), "f.edits:2: unknown mark 'fials:'; did you mean 'fails'")
        self.refused(marked("fails: race\nsay: two\n"), "f.edits:3: unknown mark 'say:'; did you mean 'says'")
        self.refused(marked("fails:race\n"), "f.edits:2: 'fails:race'; expected 'fails:', a space, and")
        self.refused(marked("fails: race\nfails: leak\n"), "f.edits:1: no_two has 'fails:' twice")
        self.refused(marked("says: two\nfails: race\n"), "does not begin with 'fails: KIND'")
        self.refused(marked("fails: budget\n"), "f.edits:1: no_two fails by its budget; expected 'says: WORDS'")
        self.refused(marked("fails: race\nonly: on a cpu\n"), "expected 'only: cpu backend, because REASON'")
        self.refused(marked("fails: race\nSome words.\nsays: two\n"), "f.edits:4: 'says: two'; expected the marks before")

    def test_words_are_not_taken_for_marks(self):
        made = self.made(EDIT.replace("Nobody waits.", "Nobody waits\nonce: it is too late.\nNote: so it is."))
        self.assertIn("// once: it is too late.\n// Note: so it is.\n", made["no_two"])

    def test_a_folder_is_looked_through_and_each_file_that_has_a_fault_named(self):
        wrong = self.root / "wrong/99_x"
        wrong.mkdir(parents=True)
        (wrong / "good.edits").write_text(EDIT)
        (wrong / "bad.edits").write_text(EDIT.replace("race", "rase"))
        (wrong / "f.fine.cu").write_text("// fails: unset\n// says: x\n// Words.\nint x;\n// fails: later\n")
        (wrong / "f.own.cu").write_text("// fails: valeus\n#include <a>\n")
        (wrong / "f.none.cu").write_text("#include <a>\n// fails: values\n")
        done = subprocess.run([sys.executable, HERE / "edits.py", "--check", self.root / "wrong"],
                              capture_output=True, text=True)
        lines = done.stderr.splitlines()
        self.assertEqual((done.returncode, len(lines)), (1, 3), done.stderr)
        self.assertIn("bad.edits:2: nothing fails by 'rase'; did you mean 'race'", lines[0])
        self.assertIn("f.none.cu:1: none does not begin with 'fails: KIND'", lines[1])
        self.assertIn("f.own.cu:1: nothing fails by 'valeus'; did you mean 'values'", lines[2])

    def test_the_kinds_are_those_that_check_mode_has(self):
        findings = (HERE.parents[1] / "common/simt/inspect/check/findings.cpp").read_text()
        named = re.findall(r'case Kind::\w+:\s+return "([a-z-]+)";', findings)
        self.assertGreater(len(named), 9)
        self.assertEqual(set(edits.known_kinds()), {*named, "values", "budget", "stream", "launch", "state", "unset"})
        self.assertEqual(edits.check_folder(HERE.parents[1] / "tests/wrong"), [])

    def command(self, *arguments):
        return subprocess.run([sys.executable, HERE / "make_versions.py", "--folder", self.root / "made",
                               "--namespace", "ch99", "--exercise", "f", "--solution", self.solution,
                               "--edits", self.edits, *arguments], capture_output=True, text=True)

    def test_versions_are_joined_with_files_and_their_includes_come_first(self):
        self.edits.write_text(EDIT)
        own = self.root / "f.own.cu"
        own.write_text("#include <c>\n")
        done = self.command("--edited", "no_two", "--files", own)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.root / "made/versions.cu").read_text()
        self.assertTrue(text.startswith("#include <a>\n#include <c>\n"), text)
        self.assertIn("#define ch99 ch99_no_two\n", text)
        self.assertIn(f'#include "{own}"\n', text)
        done = self.command("--alone", "--edited", "no_two")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.root / "made/no_two.cu").read_text().startswith("#define f f_no_two\n"))

    def test_a_fault_is_one_line_and_an_exit_status(self):
        self.edits.write_text(EDIT)
        done = self.command("--edited", "other")
        self.assertEqual((done.returncode, done.stderr), (1, f"{self.edits}: there is no version other\n"))


if __name__ == "__main__":
    unittest.main()
