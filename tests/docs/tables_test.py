"""Tables of figures are made from results, and held to them."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tools"
sys.path.insert(0, str(TOOLS))
import keep_results  # noqa: E402
import make_tables  # noqa: E402

COUNTED = {"context": {"counted": "true"}, "benchmarks": [
    {"ladder": "m", "size": "8", "step": "tiled", "order": 1, "bytes": 768.0, "bytes_moved": 17408,
     "flops_per_byte": 1.9275, "bank_conflicts": 0},
    {"ladder": "m", "size": "8", "step": "naive", "order": 0, "bytes": 768.0, "bytes_moved": 9876543,
     "flops_per_byte": 0.1, "bank_conflicts": 1234},
    {"ladder": "m", "size": "8", "step": "library", "order": 2, "rival": True, "bytes": 768.0}]}
LABEL = json.dumps({"ladder": "m", "size": "8", "step": "tiled", "order": 0, "rival": False,
                    "flops": 1e6, "bytes": 10, "arithmetic": "fp32"})


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.file = self.root / "05.json"
        self.file.write_text(json.dumps(COUNTED))

    def faults(self, text, fix=False):
        faults = []
        made = make_tables.check_tables(text, lambda at, what: faults.append(what), fix)
        return made, faults

    def test_a_table_is_made_in_the_ladders_order_without_rows_that_have_no_figures(self):
        table = make_tables.table_text(f"{self.file} m bytes_moved flops_per_byte bank_conflicts")
        self.assertEqual(table, "| m, 8 | bytes moved | FLOPs a byte | bank conflicts |\n"
                                "| --- | ---: | ---: | ---: |\n"
                                "| `naive` | 9.88 MB | 0.1 | 1,234 |\n"
                                "| `tiled` | 17.4 kB | 1.93 | 0 |\n")

    def test_a_changed_table_is_a_fault_until_it_is_made_anew(self):
        mark = f"<!-- table: {self.file} m bytes_moved -->\n"
        made, faults = self.faults(f"Text.\n\n{mark}| old |\n\nMore.\n", fix=True)
        self.assertEqual(faults, [])
        self.assertIn("17.4 kB |\n\nMore.", made)
        self.assertEqual(self.faults(made)[1], [])
        _, faults = self.faults(made.replace("17.4", "17.5"))
        self.assertEqual(len(faults), 1)
        self.assertIn("is not what", faults[0])

    def test_marks_that_ask_for_what_is_not_there_are_faults(self):
        for mark, what in ((f"{self.file} m nothing", "no column 'nothing'"),
                           (f"{self.file} x bytes_moved", "no ladder 'x'"),
                           (f"{self.file} m size=9 bytes_moved", "in sizes 8, not 9"),
                           (f"{self.file} m time", "has no 'real_time'"),
                           (f"{self.file} m", "needs results, a ladder and columns"),
                           ("nowhere.json m time", "nowhere.json")):
            _, faults = self.faults(f"<!-- table: {mark} -->\n| x |\n")
            self.assertEqual(len(faults), 1, mark)
            self.assertIn(what, faults[0])

    def test_kept_results_have_medians_with_their_repetitions_and_the_labels_fields(self):
        runs = [{"name": "a", "run_name": "a", "run_type": "iteration", "real_time": time,
                 "time_unit": "us", "label": LABEL, "FLOP/s": 1e9} for time in (3.0, 1.0, 2.0)]
        median = {**runs[0], "name": "a_median", "run_type": "aggregate",
                  "aggregate_name": "median", "real_time": 2.0}
        mean = {**median, "name": "a_mean", "aggregate_name": "mean"}
        kept = keep_results.medians({"benchmarks": [*runs, mean, median]})
        self.assertEqual(len(kept), 1)
        self.assertEqual(kept[0]["repetition_times"], [3.0, 1.0, 2.0])
        self.assertEqual(kept[0]["ladder"], "m")
        self.assertEqual(kept[0]["GFLOP/s"], 1.0)
        self.file.write_text(json.dumps({"benchmarks": kept}))
        self.assertIn("| `tiled` | 2.00 µs | 500 GFLOP/s |",
                      make_tables.table_text(f"{self.file} m time flop_rate"))

    def test_kept_results_say_of_which_chapter_they_are(self):
        measured = self.root / "measured"
        measured.mkdir()
        for name, counted in (("05", "false"), ("07", "true")):
            context = {"chapter": f"{name}_x", "counted": counted, "host_name": "box"}
            (measured / f"{name}.json").write_text(
                json.dumps({"context": context, "benchmarks": []}, indent=1))
        with mock.patch.object(keep_results, "ROOT", self.root), \
                mock.patch.object(sys, "argv", ["", str(measured), "h1", "--conditions", "none"]), \
                contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(keep_results.main(), 0)
        for file in ("h1/05", "cpu_backend/07"):
            kept = json.loads((self.root / f"docs/results/{file}.json").read_text())
            self.assertEqual(kept["context"]["chapter"], f"{file[-2:]}_x")
        self.assertNotIn("host_name", (self.root / "docs/results/h1/05.json").read_text())


if __name__ == "__main__":
    unittest.main()
