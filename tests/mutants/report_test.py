#!/usr/bin/env python3
"""When a run of mutants fails."""
import pathlib
import tempfile
import unittest

import operators
import report
from trials import Exercise

ROOT = pathlib.Path("/course")
EXERCISE = Exercise("05", "twice", ROOT / "solutions/05_tiles/twice.cu", counted=False)


def result(outcome, after="b"):
    mutant = operators.Mutant("comparison", "k", 7, "a", after, "text")
    return report.Result(EXERCISE, mutant, outcome, ROOT)


def listed(reason, after="b"):
    return {"file": "solutions/05_tiles/twice.cu", "operator": "comparison", "before": "a",
            "after": after, "reason": reason}


class Faults(unittest.TestCase):
    def faults(self, results, entries, whole=True):
        return report.faults(results, entries, 95.0, whole)

    def test_found_by_all_ways(self):
        found = [result(outcome) for outcome in ("check: race", "values", "budget", "timeout")]
        self.assertEqual(self.faults(found, []), [])

    def test_a_survivor_needs_a_reason(self):
        results = [result("values")] * 99 + [result("survived")]
        self.assertEqual(self.faults(results, [listed("harmless")]), [])
        for entries in ([], [listed("")], [listed("harmless", after="c")]):
            self.assertIn("not listed", self.faults(results, entries, whole=False)[0])

    def test_the_list_is_no_longer_than_it_must_be(self):
        faults = self.faults([result("values")], [listed("harmless")])
        self.assertIn("found now, or gone", faults[0])
        self.assertEqual(self.faults([result("values")], [listed("harmless")], whole=False), [])

    def test_enough_are_found(self):
        results = [result("values")] * 18 + [result("survived")]
        self.assertIn("18 of 19 found, 94.73 %; expected at least 95", self.faults(results, [listed("harmless")])[0])

    def of_exercise(self, results, entries):
        return report.faults(results, entries, 95.0, False, 95)

    def test_each_exercise_reaches_its_share_exactly(self):
        entries = [listed("not seen", after="c")]
        for found, passes in ((37, False), (38, True), (39, True)):
            results = [result("values")] * found + [result("survived", after="c")] * 2
            faults = self.of_exercise(results, entries)
            self.assertEqual(faults == [], passes, faults)
        # 18,999 of 20,000 is 94.995 %, which would be rounded to the bar.
        results = [result("values")] * 18999 + [result("survived", after="c")] * 1001
        self.assertEqual(self.of_exercise(results, entries),
                         ["solutions/05_tiles/twice.cu: 18999 of 20000 found, 94.99 %; expected at least 95 %"])

    def test_a_harmless_survivor_does_not_count_in_its_exercise(self):
        results = [result("values")] * 10 + [result("survived")]
        self.assertEqual(self.of_exercise(results, [{**listed("the same"), "harmless": True}]), [])
        self.assertEqual(len(self.of_exercise(results, [listed("not seen")])), 1)

    def test_a_sample_says_nothing_of_an_exercise(self):
        results = [result("values")] + [result("survived")]
        self.assertEqual(self.faults(results, [listed("not seen")], whole=False), [])

    def test_an_equivalent_one_does_not_count(self):
        row = report.figures([result("values"), result("equivalent")])
        self.assertEqual((row["found"], row["percent"]), (1, 100.0))


class Known(unittest.TestCase):
    FILE = "solutions/05_tiles/twice.cu"

    def known(self, versions):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            report.write_json([result("values"), result("survived")], path, {self.FILE: "one"})
            return report.read_known(path, versions)

    def test_what_was_written_is_known(self):
        key = (self.FILE, "comparison", "a", "b")
        self.assertEqual(self.known({self.FILE: "one"}), {key: ["values", "survived"]})

    def test_another_version_is_not(self):
        self.assertEqual(self.known({self.FILE: "two"}), {})
        self.assertEqual(self.known({}), {})

    def test_no_file_knows_nothing(self):
        self.assertEqual(report.read_known(pathlib.Path("/absent.json"), {}), {})


if __name__ == "__main__":
    unittest.main()
