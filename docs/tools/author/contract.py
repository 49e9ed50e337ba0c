"""What a contract's comment must have: each parameter, Launch and Cost."""
import re

from .course import Finding

TAG = re.compile(r"^\s*[\\@]param(?:\[[a-z,]+\])?\s+(.*)$")


def without_comments(text):
    """The code alone, every character at its place."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)


def declaration_of(code, name):
    """Where the function's declaration begins and what stands between its parentheses; None if it is not
    declared."""
    found = re.search(rf"\b{name}\s*\(", code)
    if not found:
        return None
    depth, end = 1, found.end()
    while end < len(code) and depth > 0:
        depth += {"(": 1, ")": -1}.get(code[end], 0)
        end += 1
    return found.start(), code[found.end():end - 1]


def first_documented(text, code):
    """The name of the first function whose comment has a \\param; None if there is none."""
    lines = text.split("\n")
    for found in re.finditer(r"\b([A-Za-z_]\w*)\s*\(", code):
        comment = comment_above(lines, code.count("\n", 0, found.start()))
        if any(TAG.match(line) for line in comment):
            return found[1]
    return None


def parameters_of(between):
    """The names of parameters."""
    parts, depth, part = [], 0, ""
    for c in between:
        depth += {"(": 1, "<": 1, "[": 1, "{": 1, ")": -1, ">": -1, "]": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    names = []
    for text in [*parts, part]:
        word = re.search(r"([A-Za-z_]\w*)\s*(?:\[\w*\]\s*)?$", text.split("=")[0])
        if word and text.strip() != "void":
            names.append(word[1])
    return names


def comment_above(lines, index):
    """The lines of `///` above the declaration that ends in line `index`, without their slashes."""
    while index > 0 and lines[index - 1].strip() and not lines[index - 1].lstrip().startswith("///"):
        index -= 1
    comment = []
    while index > 0 and lines[index - 1].lstrip().startswith("///"):
        index -= 1
        comment.insert(0, lines[index].lstrip()[3:])
    return comment


def documented(comment):
    """The names after \\param: one, or several with commas."""
    names = []
    for line in comment:
        tag = TAG.match(line)
        while tag:
            word = re.match(r"(\w+)(,\s*|\b)(.*)", tag[1])
            if not word:
                break
            names.append(word[1])
            tag = re.match(r"(.*)", word[3]) if word[2] else None
    return names


def contract_findings(exercise):
    file = exercise.shown(exercise.contract)
    if not exercise.contract.exists():
        return [Finding(file, 0, "the contract is missing", "write it: the function's declaration and its comment")]
    text = exercise.contract.read_text()
    code = without_comments(text)
    name = exercise.name
    found = declaration_of(code, name)
    if not found:  # an exercise may be of two functions that have names of their own
        name = first_documented(text, code)
        found = name and declaration_of(code, name)
    if not found:
        return [Finding(file, 0, f"no function {exercise.name} is declared", "declare it: it is what the test calls")]
    start, between = found
    line = text.count("\n", 0, start) + 1
    comment = comment_above(text.split("\n"), line - 1)
    if not comment:
        return [Finding(file, line, f"{name} has no comment", "say in `///` above it what it does")]
    findings = [Finding(file, line, f"no \\param {parameter}", "say its shape, layout and unit")
                for parameter in parameters_of(between) if parameter not in documented(comment)]
    words = "\n".join(comment)
    if exercise.is_cuda and "**Launch**" not in words:
        findings.append(Finding(file, line, "no **Launch**", "say grid, block and shared memory"))
    if not re.search(r"\*\*Cost\*\*|\bCost:", words):
        findings.append(Finding(file, line, "no **Cost**", "say the FLOPs, and the bytes that must move"))
    return findings
