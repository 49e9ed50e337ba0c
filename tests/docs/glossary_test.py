"""The glossary and the lessons are held to each other."""
import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tools"
sys.path.insert(0, str(TOOLS))
import glossary  # noqa: E402

GRID = """### grid

All threads of a launch.

First stands in [03](../chapters/03_first/README.md).

"""
WARP = """### warp
Also: lockstep group, SIMT unit.

A few threads of a [grid](#grid).

First stands in [03](../chapters/03_first/README.md).
"""
PAGE = "# Glossary\n\n" + GRID + WARP
LINK = "[{}](../../docs/glossary.md#{})"
# Where the two terms are linked as they should be.
GOOD = f"## Goal\n\nWarps.\n\n## Idea\n\nA {LINK.format('grid', 'grid')} has {LINK.format('warps', 'warp')}.\n"


def faults_of(page, *lessons):
    """What is wrong with a glossary and the lessons 02_before, 03_first and 04_after."""
    faults = []
    names = ("02_before", "03_first", "04_after")
    entries = glossary.check_entries(page, lambda at, what: faults.append(what))
    glossary.check_first_places(entries, list(zip(names, lessons)),
                                lambda folder, at, what: faults.append(f"{folder}: {what}"),
                                lambda at, what: faults.append(what))
    return faults


class Glossary(unittest.TestCase):
    def expect_fault(self, words, page, *lessons):
        faults = faults_of(page, *lessons)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])

    def test_terms_that_are_links_where_they_stand_first_are_right(self):
        self.assertEqual(faults_of(PAGE, "None of them.", GOOD, "A warp of a grid.\n"), [])

    def test_what_is_not_prose_does_not_count(self):
        before = ("# A warp\n\n```cpp\nwarp\n```\n`a grid` ![a warp](grid.svg) [picture](grid.svg)\n"
                  "<!-- a grid -->\nA warped gridlock, warp-level and grid-stride.\n\n## Sources\n\n*The warp*.\n")
        self.assertEqual(faults_of(PAGE, before, GOOD), [])

    def test_a_term_that_is_used_in_an_earlier_lesson_is_a_fault(self):
        for use in ("a warp", "Warps", "a lockstep\ngroup", "the SIMT unit"):
            self.expect_fault("02_before: '", PAGE, f"## Goal\n\nThis has {use}.\n", GOOD)
        self.assertEqual(faults_of(PAGE, "A simt unit.\n", GOOD), [])

    def test_a_first_place_that_is_no_link_or_another_entrys_is_a_fault(self):
        plain = "## Idea\n\nA warp. " + GOOD[GOOD.index("A ["):]
        self.expect_fault("03_first: 'warp' is used here first and is no link", PAGE, "", plain)
        self.expect_fault("03_first: 'warps' is used here first and is no link", PAGE, "",
                          GOOD.replace("#warp)", "#grid)"))

    def test_a_term_within_a_longer_term_does_not_count(self):
        page = PAGE.replace("### warp", GRID.replace("### grid", "### grid of blocks") + "### warp")
        longer = LINK.format("grid of blocks", "grid-of-blocks")
        self.assertEqual(faults_of(page, "", f"## Idea\n\nA {longer}. {GOOD[GOOD.index('A ['):]}"), [])

    def test_an_entry_that_no_lesson_uses_is_a_fault(self):
        self.expect_fault("no lesson uses 'warp'", PAGE, "", GOOD.replace("warps", "lanes"))

    def test_entries_are_sorted_and_whole(self):
        self.expect_fault("entries are sorted", "# Glossary\n\n" + WARP + "\n" + GRID, "", GOOD)
        self.expect_fault("has no definition", PAGE.replace("All threads of a launch.\n\n", ""), "", GOOD)
        self.expect_fault("has no line 'First", PAGE.replace("First stands in [03]", "In [03]", 1), "", GOOD)
        self.expect_fault("no entry '#mesh'", PAGE.replace("(#grid)", "(#mesh)"), "", GOOD)
        self.assertIn("'grid' has two entries", faults_of(PAGE.replace("SIMT unit", "grid"), "", GOOD))

    def test_a_link_needs_its_entry(self):
        faults = []
        entries = glossary.entries_of(PAGE)
        glossary.check_glossary_links(GOOD, entries, lambda at, what: faults.append(what))
        self.assertEqual(faults, [])
        glossary.check_glossary_links(GOOD.replace("#grid", "#mesh"), entries,
                                      lambda at, what: faults.append(what))
        self.assertEqual(faults, ["docs/glossary.md has no entry '#mesh'"])

    def test_anchors_are_those_that_headings_get(self):
        self.assertEqual(glossary.anchor_of("FP8 (E4M3, E5M2)"), "fp8-e4m3-e5m2")


if __name__ == "__main__":
    unittest.main()
