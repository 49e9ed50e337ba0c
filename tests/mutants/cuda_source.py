"""A CUDA source as tokens and functions: as much of it as the operators of mutation need."""
import dataclasses
import functools
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?\d(?:[eEpP][+-]|['\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<<|>>>|<<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||::|<<|>>|[-+*/%&|^!<>=]=|.)
""", re.X | re.S | re.M)
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {closing: opening for opening, closing in OPENING.items()}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class Function:
    """The tokens first .. last; its body lies between the braces `opening` and `last`."""
    name: str
    first: int
    opening: int
    last: int


class Source:
    def __init__(self, text):
        self.text = text
        self.tokens = [Token(m.lastgroup, m.group(), m.start(), m.end())
                       for m in TOKEN.finditer(text) if m.lastgroup != "skip"]
        self.partner = self._match_brackets()
        self.functions = []
        self._find_functions(0, len(self.tokens))

    def word(self, i):
        """The text of token i; "" outside of the file."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def spaced(self, i):
        """White space on both sides: a binary operator, in the style of this course."""
        token = self.tokens[i]
        return (self.text[token.start - 1 : token.start].isspace() and
                self.text[token.end : token.end + 1].isspace())

    def slice(self, first, last):
        """The text of the tokens first .. last, comments included."""
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def arguments(self, opening):
        """(first, last) of each argument between a bracket and its partner."""
        spans, first, i, last = [], opening + 1, opening + 1, self.partner[opening]
        while i <= last:
            if i == last or self.word(i) == ",":
                if i > first:
                    spans.append((first, i - 1))
                first = i + 1
            i = self.partner[i] + 1 if self.word(i) in OPENING else i + 1
        return spans

    def end_of(self, i, stops):
        """The last token of the operand that begins at i and ends before one of `stops`."""
        while i < len(self.tokens):
            following = self.partner[i] + 1 if self.word(i) in OPENING else i + 1
            if following >= len(self.tokens) or self._stops(following, stops, CLOSING):
                return following - 1
            i = following
        return i - 1

    def start_of(self, i, stops):
        """The first token of the operand that ends with i."""
        while i > 0:
            before = self.partner[i] - 1 if self.word(i) in CLOSING else i - 1
            after_block = self.word(before) == "}" and self.tokens[before + 1].kind == "name"
            if before < 0 or after_block or self._stops(before, stops, OPENING):
                return before + 1
            i = before
        return i

    def statement_end(self, i):
        """The last token of the statement that begins at i."""
        if self.word(i) == "{":
            return self.partner[i]
        if self.word(i) in ("if", "for", "while", "switch"):
            condition = i + 2 if self.word(i + 1) == "constexpr" else i + 1
            last = self.statement_end(self.partner[condition] + 1)
            if self.word(i) == "if" and self.word(last + 1) == "else":
                last = self.statement_end(last + 2)
            return last
        if self.word(i) == "else":
            return self.statement_end(i + 1)
        while self.word(i) not in (";", ""):
            i = self.partner[i] + 1 if self.word(i) in OPENING else i + 1
        return i

    def statement_before(self, i):
        """The first token of the statement that ends with token i - 1, or None."""
        if self.word(i - 1) not in (";", "}"):
            return None
        start, block = i - 1, None
        if self.word(start) == "}":
            block = start = self.partner[start]
        while start > 0:
            before = start - 1
            if self.word(before) in (";", "{", "}", ""):
                break
            start = self.partner[before] if self.word(before) in CLOSING else before
        if start == i - 1 or self.word(start) in ("else", "do") or start == block:
            return None
        return start

    @functools.cached_property
    def views(self):
        """The names of variables of a type MatrixView<...>."""
        names = set()
        for i, token in enumerate(self.tokens):
            if token.text != "MatrixView" or self.word(i + 1) != "<":
                continue
            while self.word(i) not in (">", ""):
                i += 1
            while self.word(i + 1) in ("&", "const"):
                i += 1
            if i + 1 < len(self.tokens) and self.tokens[i + 1].kind == "name":
                names.add(self.word(i + 1))
        return names

    def _stops(self, i, stops, brackets):
        word = self.word(i)
        if word in ("<", ">"):
            return word in stops and self.spaced(i)
        return word in stops or word in brackets or word == ";"

    def _match_brackets(self):
        partner, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in OPENING:
                stack.append(i)
            elif token.text in CLOSING:
                j = stack.pop()
                partner[i], partner[j] = j, i
        return partner

    def _find_functions(self, i, end):
        first = i
        while i < end:
            word = self.word(i)
            if word in (";", "}"):
                first = i + 1
            elif word == "{":
                i = self._open(first, i)
                first = i + 1
            elif word in OPENING:
                i = self.partner[i]
            i += 1

    def _open(self, first, opening):
        """Notes what `{` opens, if it is a function, and goes into namespaces and classes."""
        header = [self.word(i) for i in range(first, opening)]
        last = self.partner[opening]
        calls = [i for i in range(first, opening) if self.word(i) == "(" and
                 self.tokens[i - 1].kind == "name"]
        if {"namespace", "struct", "class", "enum", "union"} & set(header) and ")" not in header:
            self._find_functions(opening + 1, last)
        elif calls and "=" not in self._outside_brackets(first, opening):
            self.functions.append(Function(self.word(calls[-1] - 1), first, opening, last))
        return last

    def _outside_brackets(self, first, end):
        words, i = [], first
        while i < end:
            words.append(self.word(i))
            i = self.partner[i] + 1 if self.word(i) in OPENING else i + 1
        return words
