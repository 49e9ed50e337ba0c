#!/usr/bin/env python3
"""When a run of mutants fails."""
import pathlib
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


if __name__ == "__main__":
    unittest.main()
