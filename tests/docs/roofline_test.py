"""Chapter 01's roofline is drawn from its results."""
import json
import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tools"
sys.path.insert(0, str(TOOLS))
import draw_roofline  # noqa: E402


class Roofline(unittest.TestCase):
    def setUp(self):
        self.results = json.loads(draw_roofline.RESULTS.read_text())

    def test_the_lessons_picture_is_what_is_drawn(self):
        self.assertEqual(draw_roofline.PICTURE.read_text(), draw_roofline.draw(self.results),
                         "docs/tools/draw_roofline.py makes it anew")

    def test_each_product_stands_below_its_roof(self):
        peak, bandwidths, reached = draw_roofline.read_rates(self.results)
        limits = {"naive": bandwidths["memory"] / 32, "reordered": bandwidths["first cache"] / 6, "eigen": peak}
        for row, limit in limits.items():
            self.assertLess(reached[row], limit)
            self.assertGreater(reached[row], limit / 2)

    def test_another_result_is_another_picture(self):
        row = next(r for r in self.results["benchmarks"] if r["name"] == "naive/1024/manual_time_median")
        row["GFLOP/s"] = 0.123
        self.assertIn("i, j, k: 0.123", draw_roofline.draw(self.results))


if __name__ == "__main__":
    unittest.main()
