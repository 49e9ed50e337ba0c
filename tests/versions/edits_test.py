"""Wrong versions that are edits of a solution: what is made of them, and what is refused."""
import pathlib
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
        self.refused(EDIT.replace("fails: race\n", ""), "f.edits:1: no_two has no edit or does not begin with")

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
