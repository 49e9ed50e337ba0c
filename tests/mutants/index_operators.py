"""Operators on indices, loops and launch geometry. Each yields (start, end, replacement)."""
from barrier_operators import span
from cuda_source import CLOSING

ENDS = {",", "?", ":", "=", "&&", "||", "==", "!=", "<=", ">=", "<", ">", "<<", ">>", "&", "|", "^",
        "<<<", ">>>", "+=", "-=", "*=", "/=", "return", "case"}
FUNDAMENTAL = {"bool", "char", "short", "int", "long", "unsigned", "float", "double"}
SUM_ENDS = ENDS | {"+", "-"}
COMPARISONS = ("<", "<=", ">", ">=")


def is_operand_end(source, i):
    token = source.tokens[i]
    return token.text in (")", "]", "}") or (
        token.kind in ("name", "number", "string") and token.text not in ("return", "case"))


def off_by_one(source, first, last, steps=(1, -1)):
    operand = source.slice(first, last)
    for step in steps:
        whole = operand if first == last else f"({operand})"
        yield (*span(source, first, last), f"{whole} {'+' if step > 0 else '-'} 1")


def is_type_end(source, i):
    token = source.tokens[i]
    return (token.kind == "name" and token.text not in ("return", "case") or
            token.text == ">" and not source.spaced(i))


def is_pointer_sign(source, i):
    return source.word(i) in ("*", "&") and not source.spaced(i)


def is_declarator(source, i):
    """Whether the name i, or the name in brackets like `(&name)` that end at i, is being declared."""
    first = i
    if source.word(i) == ")":
        first = source.partner[i]
        if not is_pointer_sign(source, first + 1):
            return False
    elif source.tokens[i].kind != "name":
        return False
    while is_pointer_sign(source, first - 1):
        first -= 1
    return (is_type_end(source, first - 1) or
            source.word(first - 1) == "," and is_declaration_before(source, first - 1))


def is_declaration_before(source, comma):
    """Whether what the comma continues begins as a declaration does, with a type and a name."""
    start = comma
    while source.word(start - 1) not in (";", "{", "}", "(", ""):
        start = source.partner[start - 1] if source.word(start - 1) in CLOSING else start - 1
    end = source.end_of(start, {",", "=", ";"})
    return any(is_type_end(source, i - 1) or is_pointer_sign(source, i - 1)
               for i in range(start + 1, end + 1) if source.tokens[i].kind == "name")


def subscripts(source, first, last):
    """(bracket, is the extent of a declared array) of each `[`."""
    for i in range(first, last):
        if source.word(i) != "[" or not is_operand_end(source, i - 1):
            continue
        base = i - 1
        while source.word(base) == "]":
            base = source.partner[base] - 1
        yield i, is_declarator(source, base) or source.word(base) in FUNDAMENTAL


def index_off_by_one(source, first, last):
    for i, declared in subscripts(source, first, last):
        if not declared and source.partner[i] > i + 1:
            yield from off_by_one(source, i + 1, source.partner[i] - 1)
    for i in range(first, last):
        if (source.word(i) in source.views and source.word(i + 1) == "(" and
                source.word(i - 1) not in (">", ".", "&", "::")):
            for a, b in source.arguments(i + 1):
                yield from off_by_one(source, a, b)


def padding_removed(source, first, last):
    for i, declared in subscripts(source, first, last):
        end = source.partner[i]
        if declared and source.word(end - 2) == "+" and source.tokens[end - 1].kind == "number":
            yield (*span(source, i + 1, end - 1), source.slice(i + 1, end - 3))


def array_one_short(source, first, last):
    for i, declared in subscripts(source, first, last):
        end = source.partner[i]
        if declared and end > i + 1 and source.word(end - 2) != "+":
            yield from off_by_one(source, i + 1, end - 1, (-1,))


def loop_off_by_one(source, first, last):
    for i in range(first, last):
        if source.word(i) != "for" or source.word(i + 1) != "(":
            continue
        header = source.partner[i + 1]
        parts = [k for k in range(i + 2, header) if source.word(k) == ";"]
        if len(parts) != 2:
            continue
        starts = [k for k in range(i + 2, parts[0]) if source.word(k) == "="]
        if starts:
            yield from off_by_one(source, starts[0] + 1, parts[0] - 1)
        tests = [k for k in range(parts[0], parts[1]) if source.word(k) in COMPARISONS]
        if tests and parts[1] > tests[0] + 1:
            # The other direction is the operator "comparison".
            step = -1 if source.word(tests[0]) in ("<", ">=") else 1
            yield from off_by_one(source, tests[0] + 1, source.end_of(tests[0] + 1, ENDS), (step,))


def is_about_words(source, first, last):
    return any(source.tokens[i].kind == "string" or source.word(i) in ("string", "to_string")
               for i in range(first, last + 1))


def term_dropped(source, first, last):
    for i in range(first, last):
        if source.word(i) not in ("+", "-") or not is_operand_end(source, i - 1):
            continue
        left, right = source.start_of(i - 1, SUM_ENDS), source.end_of(i + 1, SUM_ENDS)
        if is_about_words(source, left, right):
            continue
        if source.word(i) == "+" and source.word(left - 1) not in ("+", "-"):
            yield source.tokens[left].start, source.tokens[i + 1].start, ""
        yield source.tokens[i - 1].end, source.tokens[right].end, ""


def axis_swapped(source, first, last):
    for name in ("threadIdx", "blockIdx"):
        places = [i + 2 for i in range(first, last)
                  if source.word(i) == name and source.word(i + 2) in ("x", "y")]
        if len({source.word(i) for i in places}) == 2:
            for i in places:
                yield (*span(source, i, i), "y" if source.word(i) == "x" else "x")


def grid_rounded_down(source, first, last):
    for i in range(first, last):
        if source.word(i) == "ceil_div" and source.word(i + 1) == "(":
            (a, b), (c, d) = source.arguments(i + 1)
            yield (*span(source, i, source.partner[i + 1]),
                   f"({source.slice(a, b)}) / ({source.slice(c, d)})")


def grid_axes_swapped(source, first, last):
    for i in range(first, last):
        if source.word(i) != "dim3":
            continue
        opening = i + 1 if source.word(i + 1) == "(" else i + 2
        if source.word(opening) != "(" or source.word(opening - 1) in CLOSING:
            continue
        spans = source.arguments(opening)
        if len(spans) >= 2:
            (a, b), (c, d) = spans[:2]
            if source.slice(a, b) != source.slice(c, d):
                yield (*span(source, a, d), f"{source.slice(c, d)}, {source.slice(a, b)}")
