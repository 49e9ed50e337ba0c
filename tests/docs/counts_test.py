"""check_counts.py: what another compiler may change, and what none may."""
import copy
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs" / "tools"))
import check_counts  # noqa: E402

KEPT = {"context": {"compiler": "g++ 12.2.0"},
        "benchmarks": [{"name": "a/8/one", "flops": 8.0, "bytes_moved": 1000, "bank_conflicts": 0},
                       {"name": "a/8/two", "flops": 8.0, "bytes_moved": 500, "bank_conflicts": 3}]}


def faults(compiler, change):
    """What is found when `change` is done to the rows and `compiler` has compiled them."""
    now = copy.deepcopy(KEPT)
    now["context"]["compiler"] = compiler
    change(now["benchmarks"])
    return check_counts.check(json.dumps(KEPT), json.dumps(now))


class CheckCounts(unittest.TestCase):
    def test_the_same(self):
        self.assertEqual(faults("g++ 12.2.0", lambda rows: None), [])
        self.assertEqual(faults("g++ 14.2.0", lambda rows: None), [])

    def test_a_few_bytes(self):
        def change(rows):
            rows[0]["bytes_moved"] = 1032
        self.assertEqual(len(faults("g++ 12.2.0", change)), 1)
        self.assertEqual(faults("g++ 14.2.0", change), [])

    def test_many_bytes(self):
        def change(rows):
            rows[0]["bytes_moved"] = 2000
        self.assertEqual(len(faults("g++ 14.2.0", change)), 1)

    def test_what_no_compiler_may_change(self):
        def change(rows):
            rows[1]["bank_conflicts"] = 4
        self.assertEqual(len(faults("g++ 14.2.0", change)), 1)

    def test_rows(self):
        self.assertEqual(len(faults("g++ 14.2.0", lambda rows: rows.pop())), 1)
        self.assertEqual(len(faults("g++ 14.2.0", lambda rows: rows.append({"name": "new"}))), 1)

    def test_an_error(self):
        def change(rows):
            rows[0] = {"name": "a/8/one", "flops": 8.0, "error_occurred": True}
        self.assertEqual(len(faults("g++ 14.2.0", change)), 3)


if __name__ == "__main__":
    unittest.main()
