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
        self.assertIn("94.74 % found", self.faults(results, [listed("harmless")])[0])

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
