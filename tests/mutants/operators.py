"""The operators of mutation: each makes one small change, of the kind that people make by mistake."""
import dataclasses
import re

import barrier_operators
import index_operators
import value_operators

OPERATORS = {
    "barrier removed": barrier_operators.removed,
    "barrier into the if before": barrier_operators.into_the_if_before,
    "barrier too early": barrier_operators.too_early,
    "fewer waited for": barrier_operators.waits_for_fewer,
    "atomic made plain": barrier_operators.atomic_made_plain,
    "mask shortened": barrier_operators.mask_shortened,
    "comparison": value_operators.comparison,
    "guard removed": value_operators.guard_removed,
    "half a condition": value_operators.half_a_condition,
    "requirement removed": value_operators.requirement_removed,
    "zero dropped": value_operators.zero_dropped,
    "index off by one": index_operators.index_off_by_one,
    "loop off by one": index_operators.loop_off_by_one,
    "term dropped": index_operators.term_dropped,
    "axis swapped": index_operators.axis_swapped,
    "padding removed": index_operators.padding_removed,
    "array one short": index_operators.array_one_short,
    "grid rounded down": index_operators.grid_rounded_down,
    "grid axes swapped": index_operators.grid_axes_swapped,
}


@dataclasses.dataclass(frozen=True)
class Mutant:
    operator: str
    function: str
    line: int
    before: str  # the changed lines
    after: str
    text: str  # the whole source


def one_line(text):
    """Some lines of a source as one, without the lines that are comments."""
    lines = (line.strip() for line in text.splitlines())
    return " ".join(line for line in lines if line and not line.startswith("//"))


def apply(source, operator, function, change):
    """The mutant that replaces the characters start .. end; the lines after it keep their numbers."""
    start, end, replacement = change
    text = source.text
    replacement += "\n" * (text.count("\n", start, end) - replacement.count("\n"))
    begin_line = text.rfind("\n", 0, start) + 1
    end_line = text.find("\n", end)
    end_line = len(text) if end_line < 0 else end_line
    after = text[begin_line:start] + replacement + text[end:end_line]
    return Mutant(operator, function, text.count("\n", 0, start) + 1,
                  one_line(text[begin_line:end_line]), one_line(after),
                  text[:start] + replacement + text[end:])


def whole_file(source):
    """Masks are often named once, outside of functions."""
    return [("", 0, len(source.tokens) - 1)]


def mutants_of(source):
    """All mutants of a source, in the order of the file; no two alike."""
    found = []
    bodies = [(f.name, f.opening, f.last) for f in source.functions]
    for operator, changes in OPERATORS.items():
        places = whole_file(source) if operator == "mask shortened" else bodies
        for name, first, last in places:
            found += [(change, apply(source, operator, name, change))
                      for change in changes(source, first, last)]
    order = list(OPERATORS)
    found.sort(key=lambda pair: (pair[0][0], order.index(pair[1].operator)))
    unique = {}
    for _, mutant in found:
        unique.setdefault(re.sub(r"\s+", " ", mutant.text), mutant)
    unique.pop(re.sub(r"\s+", " ", source.text), None)
    return list(unique.values())
