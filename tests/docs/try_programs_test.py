"""try_programs.py with a compiler made for the test: a program's source is a shell script, which is run
with WAY set to whole, split or check."""

import pathlib
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/tools"))
import try_programs  # noqa: E402

COMPILER = """#!/bin/sh
way=split
[ "$CUCC_SPLIT" = off ] && way=whole
for word in "$@"; do
  [ "$word" = --check ] && way=check
  case "$word" in *.cu) source=$word ;; *program_*) program=$word ;; esac
done
if grep -q WRONG "$source"; then echo "$source:1: error: no such thing" >&2; exit 1; fi
{ echo '#!/bin/sh'; echo "WAY=$way"; cat "$source"; } > "$program"
chmod +x "$program"
"""
LEAK = 'if [ $WAY = check ]; then echo "k.cu:1: error: leak: 4 bytes" >&2; exit 86; fi\n'


class Outcomes(unittest.TestCase):
    """What the tool says of programs of which one way or another goes wrong."""

    def outcome(self, source, **entry):
        """Of a program of this source."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            cucc = folder / "cucc"
            cucc.write_text(COMPILER)
            cucc.chmod(cucc.stat().st_mode | stat.S_IEXEC)
            (folder / "someone+some").mkdir()
            (folder / "someone+some/k.cu").write_text(source)
            (folder / "someone+some/second.cu").write_text("echo 1\n")
            entry = {"repository": "someone/some", "file": "k.cu", **entry}
            return try_programs.Trial(entry, folder, str(cucc), 600).outcome()

    def test_right(self):
        self.assertEqual(self.outcome("echo 1.0 $1 $2\n", arguments=["1 2", "3"]), "right")

    def test_last_digits(self):
        self.assertEqual(self.outcome("[ $WAY = split ] && echo 1.000001 || echo 1.0\n"), "right")

    def test_other_value(self):
        self.assertEqual(self.outcome("[ $WAY = split ] && echo 1.1 || echo 1.0\n"),
                         "split: prints something else than whole")

    def test_other_integer(self):
        self.assertEqual(self.outcome("[ $WAY = check ] && echo 10000001 || echo 10000000\n"),
                         "check: prints something else than whole")

    def test_any_order(self):
        source = "[ $WAY = split ] && echo b a || echo a b\n"
        self.assertEqual(self.outcome(source, any_order=True), "right")
        self.assertIn("split", self.outcome(source))

    def test_finding(self):
        self.assertEqual(self.outcome("echo 1\n" + LEAK), "finding: leak")

    def test_finding_hides_no_wrong_result(self):
        self.assertEqual(self.outcome("[ $WAY = split ] && echo 2 || echo 1\n" + LEAK),
                         "finding: leak; split: prints something else than whole")

    def test_other_sources(self):
        # The compiler of this test takes the last one.
        self.assertEqual(self.outcome("exit 3\n", **{"with": ["se*.cu"]}), "right")
        self.assertEqual(self.outcome("exit 3\n", options=["{repository}/second.cu"]), "right")
        self.assertEqual(self.outcome("exit 3\n"), "whole: ended with 3")

    def test_ways(self):
        self.assertEqual(self.outcome("echo 1\n" + LEAK, ways=["whole", "split"]), "right")

    def test_status(self):
        self.assertEqual(self.outcome("[ $WAY = split ] && exit 3; exit 0\n", arguments=["7"]),
                         "split: ended with 3 7")

    def test_out_of_time(self):
        self.assertEqual(try_programs.Trial.judge(0, None, False), "out of time")

    def test_does_not_compile(self):
        self.assertEqual(self.outcome("WRONG\n"), "does not compile: no such thing")

    def test_missing(self):
        self.assertEqual(self.outcome("", file="other.cu"), "missing")

    def test_shrink(self):
        self.assertEqual(try_programs.shrink("#define N 500\nint B = 8, C = 9; srand(time(NULL));",
                                             {"N": 5, "B": 2}),
                         "#define N 5\nint B = 2, C = 9; srand(1);")
        with self.assertRaises(SystemExit):
            try_programs.shrink("int B = 8;", {"T": 1})


if __name__ == "__main__":
    unittest.main()
