"""Operators on conditions and on initial values. Each yields (start, end, replacement)."""
import re

from barrier_operators import span
from index_operators import is_operand_end

SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ZERO = re.compile(r"0(\.0?)?[fFuUlL]*$")
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/="}
CHOICE_ENDS = {",", "?", ":", "return"} | ASSIGNMENTS
CONDITION_ENDS = CHOICE_ENDS | {"&&", "||"}


def comparison(source, first, last):
    for i in range(first, last):
        if source.word(i) in SWAPPED and source.spaced(i):
            yield (*span(source, i, i), SWAPPED[source.word(i)])


def guard_removed(source, first, last):
    for i in range(first, last):
        if source.word(i) != "if" or source.word(i + 1) != "(" or source.word(i - 1) == "else":
            continue
        body = source.partner[i + 1] + 1
        end = source.statement_end(body)
        if source.word(end + 1) == "else":
            continue
        leaves = source.word(body) in ("return", "continue", "break")
        if leaves or (source.word(body) == "{" and source.word(body + 1) == "return"):
            yield (*span(source, i, end), "")
        else:
            yield source.tokens[i].start, source.tokens[body].start, ""


def half_a_condition(source, first, last):
    for i in range(first, last):
        if source.word(i) not in ("&&", "||") or not source.spaced(i):
            continue
        left = source.start_of(i - 1, CONDITION_ENDS)
        right = source.end_of(i + 1, CONDITION_ENDS)
        yield source.tokens[left].start, source.tokens[i + 1].start, ""
        yield source.tokens[i - 1].end, source.tokens[right].end, ""


def requirement_removed(source, first, last):
    for i in range(first, last):
        if (source.word(i).startswith("require") and source.word(i + 1) == "(" and
                source.word(i - 1) in (";", "{", "}")):
            yield (*span(source, i, source.statement_end(i)), "")


def zero_dropped(source, first, last):
    yield from zero_of_an_assignment(source, first, last)
    yield from zero_of_a_choice(source, first, last)


def is_zero(source, first, last):
    if first == last:
        return bool(ZERO.match(source.word(first)))
    return last == first + 1 and source.word(first) == "{" and source.word(last) == "}"


def zero_of_an_assignment(source, first, last):
    """`float sum = 0.0f;` becomes `float sum;`, and `tile[i] = 0.0f;` goes."""
    for i in range(first, last):
        if source.word(i) != "=" or not is_operand_end(source, i - 1):
            continue
        end = i + 1
        while source.word(end) not in (";", ""):
            end += 1
        start = source.start_of(i - 1, {"return"} | ASSIGNMENTS)
        if not is_zero(source, i + 1, end - 1) or source.word(start - 1) == "(":
            continue
        words = {source.word(k) for k in range(start, i)}
        if source.tokens[start].kind == "name" and source.tokens[start + 1].kind == "name":
            if not words & {"const", "constexpr"}:
                yield source.tokens[i - 1].end, source.tokens[end - 1].end, ""
        else:
            yield (*span(source, start, end - 1), "")


def zero_of_a_choice(source, first, last):
    """`inside ? a[i] : 0.0f` becomes `a[i]`."""
    for i in range(first, last):
        if source.word(i) != "?":
            continue
        colon = source.end_of(i + 1, {":", "?"}) + 1
        if source.word(colon) != ":":
            continue
        start = source.start_of(i - 1, CHOICE_ENDS)
        end = source.end_of(colon + 1, {",", "?", ":"})
        if is_zero(source, colon + 1, end):
            kept = source.slice(i + 1, colon - 1)
        elif is_zero(source, i + 1, colon - 1):
            kept = source.slice(colon + 1, end)
        else:
            continue
        yield (*span(source, start, end), kept)
