"""The pages for instructors are held to the course."""
import pathlib
import re
import sys
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "tools"))
import check_classroom  # noqa: E402

COURSE = tomllib.loads((ROOT / "exercises/course.toml").read_text())
SEMESTER = (ROOT / "docs/classroom/semester.md").read_text()
FIGURES = (ROOT / "docs/classroom/figures.md").read_text()
ROW = "| [matmul_padded](../../exercises/05_shared_memory_tiling/matmul_padded.cu) | 10 | homework |\n"


class Semester(unittest.TestCase):
    def faults(self, old="", new=""):
        """What is wrong once `old`, which must be there, is `new`."""
        self.assertIn(old, SEMESTER)
        return [fault for _, fault in check_classroom.check_semester(SEMESTER.replace(old, new, 1), COURSE)]

    def only_fault(self, old, new):
        faults = self.faults(old, new)
        self.assertEqual(len(faults), 1, faults)
        return faults[0]

    def test_the_plan_agrees_with_the_course(self):
        self.assertEqual(self.faults(), [])

    def test_other_points_are_named_and_so_are_the_sums(self):
        faults = self.faults(ROW, ROW.replace("| 10 |", "| 11 |"))
        self.assertIn("matmul_padded has 11 points; the course gives 10", faults)
        self.assertTrue(any("Points of this week" in fault for fault in faults), faults)

    def test_an_exercise_from_a_blank_file_counts_double(self):
        row = "matmul_cached.cpp) | 30 | extra |"
        self.assertIn("matmul_cached has 15 points; the course gives 30", self.faults(row, row.replace("30", "15")))

    def test_points_that_the_course_has_changed_are_found(self):
        changed = {"exercise": [dict(one, points=one["points"] + (one["name"] == "gemm")) for one in COURSE["exercise"]]}
        faults = [fault for _, fault in check_classroom.check_semester(SEMESTER, changed)]
        self.assertEqual(faults, ["gemm has 5 points; the course gives 6"])

    def test_an_exercise_that_the_course_has_and_the_plan_has_not(self):
        more = {"exercise": COURSE["exercise"] + [dict(COURSE["exercise"][0], name="new_one")]}
        faults = [fault for _, fault in check_classroom.check_semester(SEMESTER, more)]
        self.assertEqual(faults, ["new_one is in no week"])

    def test_names_places_and_kinds(self):
        self.assertIn("no exercise matmul_pded in the course", self.faults("[matmul_padded]", "[matmul_pded]"))
        self.assertEqual(self.only_fault("matmul_padded.cu)", "matmul_pad.cu)").split(" lies")[0], "matmul_padded")
        self.assertTrue(any("is 'home'" in fault for fault in self.faults(ROW, ROW.replace("homework", "home"))))
        self.assertIn("matmul_padded stands in week 5 already", self.faults(ROW, ROW + ROW))
        self.assertIn("not a row '| [NAME](FILE) | POINTS | WHEN |'", self.faults(ROW, ROW.replace("| 10 |", "| ten |")))

    def test_sums_of_the_plan(self):
        row = re.search(r"\| together \| \d+ \|", SEMESTER)[0]
        self.assertIn("the plan's sums want a row", self.only_fault(row, "| together | 1 |"))

    def test_a_section_that_is_not_there(self):
        self.assertIn("has no section #the-barier", self.only_fault("#the-barrier)", "#the-barier)"))

    def test_an_exercise_before_its_lesson_is_read(self):
        week_four = "| [matmul_transposed_a]"
        faults = self.faults(week_four, ROW + week_four)
        self.assertIn("matmul_padded is of chapter 5, which is not read by then", faults)

    def test_a_week_is_missing(self):
        self.assertTrue(any(fault.startswith("weeks [") for fault in self.faults("## Week 7:", "## Weak 7:")))


class Figures(unittest.TestCase):
    def faults(self, old="", new=""):
        self.assertIn(old, FIGURES)
        return [fault for _, fault in check_classroom.check_figures(FIGURES.replace(old, new, 1))]

    def test_the_list_is_complete(self):
        self.assertEqual(self.faults(), [])

    def test_what_is_missing_or_too_much(self):
        row = next(line + "\n" for line in FIGURES.splitlines() if "/banks.svg)" in line)
        self.assertEqual(self.faults(row, ""), ["chapters/05_shared_memory_tiling/banks.svg is not listed"])
        self.assertEqual(self.faults(row, row + row), ["chapters/05_shared_memory_tiling/banks.svg is listed twice"])
        self.assertIn("chapters/05_shared_memory_tiling/bank.svg is no figure of a lesson",
                      self.faults(row, row.replace("banks.svg", "bank.svg")))
        self.assertIn("the caption of chapters/05_shared_memory_tiling/banks.svg is no sentence",
                      self.faults(row, row.replace(". |", " |")))

    def test_a_picture_of_results(self):
        name = "docs/plots/cpu_backend/04_ladder.svg"
        row = next(line + "\n" for line in FIGURES.splitlines() if "cpu_backend/04_ladder" in line)
        self.assertEqual(self.faults(row, ""), [f"{name} is not listed"])


if __name__ == "__main__":
    unittest.main()
