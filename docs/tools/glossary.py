"""Hold the glossary and the lessons to each other: check_prose.py calls this.

An entry of docs/glossary.md is

  ### warp
  Also: warps of threads, thread group.

  One to three sentences.

  First stands in [03](../chapters/03_first_kernels/README.md).

The line `Also:` is for other names of the same thing. Plurals in -s and -es need no alias; a term in
lower case may begin a sentence, and one with capitals is sought as it is. In the lessons, in course
order, the first place where the prose uses a term or an alias must be a link to its entry, such as
`[warp](../../docs/glossary.md#warp)`, and must lie in the lesson that the entry names. Code, headings,
pictures, the targets of links and the section *Sources* are not prose in this sense, and the *Goal* of
the lesson that explains a term may name it before. Within a longer term a shorter one does not count.
"""
import re

ENTRY = re.compile(r"^### ([^\n]+)\n(.*?)(?=^#{1,3} |\Z)", re.S | re.M)
ALSO = re.compile(r"^Also: (.+)\.$", re.M)
FIRST = re.compile(r"^First stands in \[(\d\d)\]\(\.\./chapters/(\1_\w+)/README\.md\)\.$", re.M)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?:[./]*docs/)?glossary\.md#([^)\s]+)\)")
SECTION = r"^## {}[ ]*\n.*?(?=^## |\Z)"
# Code and comments first: what stands in them is not Markdown.
NOT_PROSE = (r"^```.*?^```[^\n]*$", r"<!--.*?-->", r"`[^`]*`", SECTION.format("Sources"), r"^#+ [^\n]*$",
             r"!\[[^\]]*\]\([^)]*\)", r"(?<=\])\([^)\s]+(?:\s+\"[^\"]*\")?\)", r"</?[a-z][^>\n]*>")


class Entry:
    def __init__(self, term, body, position):
        also, first = ALSO.search(body), FIRST.search(body)
        self.term, self.position = term.strip(), position
        self.forms = [self.term] + (re.split(r",\s*", also.group(1)) if also else [])
        self.lesson = first.group(2) if first else None
        self.definition = FIRST.sub("", ALSO.sub("", body)).strip()
        self.anchor = anchor_of(self.term)


def anchor_of(heading):
    """The anchor that a Markdown heading gets."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))


def entries_of(glossary):
    return [Entry(m.group(1), m.group(2), m.start()) for m in ENTRY.finditer(glossary)]


def blanked(text, patterns=NOT_PROSE):
    """The text with what is not prose made spaces, everything else in its place."""
    for pattern in patterns:
        text = re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S | re.M)
    return text


def pattern_of(form):
    first = form[0]
    begin = f"[{first}{first.upper()}]" if first.islower() else re.escape(first)
    return begin + r"\s+".join(re.escape(word) for word in form[1:].split(" ")) + "(?:s|es)?"


def check_entries(glossary, say):
    """The form of the glossary itself; returns its entries."""
    entries = entries_of(glossary)
    terms = [entry.term for entry in entries]
    for before, after in zip(entries, entries[1:]):
        if before.term.casefold() > after.term.casefold():
            say(after.position, f"'{after.term}' stands after '{before.term}': entries are sorted")
    owners = {}
    for entry in entries:
        if not entry.definition:
            say(entry.position, f"'{entry.term}' has no definition")
        if entry.lesson is None:
            say(entry.position, f"'{entry.term}' has no line 'First stands in [NN](../chapters/NN_.../README.md).'")
        for form in entry.forms:
            if owners.setdefault(form, entry.term) != entry.term or terms.count(form) > 1:
                say(entry.position, f"'{form}' has two entries")
    anchors = {entry.anchor for entry in entries}
    for match in re.finditer(r"\]\(#([^)\s]+)\)", glossary):
        if match.group(1) not in anchors:
            say(match.start(), f"no entry '#{match.group(1)}'")
    return entries


def check_glossary_links(text, entries, say):
    """Each link to the glossary needs its entry."""
    anchors = {entry.anchor for entry in entries}
    for match in LINK.finditer(blanked(text, NOT_PROSE[:3])):
        if match.group(2) not in anchors:
            say(match.start(), f"docs/glossary.md has no entry '#{match.group(2)}'")


def check_first_places(entries, lessons, say, say_of_entry):
    """Terms where lessons first use them. `lessons` are (folder, text) in course order, and
    `say(folder, position, message)` tells of a fault in one."""
    owner = {form: entry for entry in entries for form in entry.forms}
    longest_first = sorted(owner, key=len, reverse=True)
    if not longest_first:
        return
    any_form = re.compile(r"(?<![\w-])(?:" + "|".join(f"({pattern_of(f)})" for f in longest_first) + r")(?![\w-])")
    firsts = {}
    for folder, text in lessons:
        links = [(m.start(1), m.end(1), m.group(2)) for m in LINK.finditer(blanked(text, NOT_PROSE[:3]))]
        goal = re.search(SECTION.format("Goal"), text, re.S | re.M)
        goal_end = goal.end() if goal else 0
        for match in any_form.finditer(blanked(text)):
            entry = owner[longest_first[match.lastindex - 1]]
            if entry.lesson == folder and match.start() < goal_end:
                continue
            if entry in firsts:
                continue
            firsts[entry] = folder
            linked = any(begin <= match.start() and match.end() <= end and anchor == entry.anchor
                         for begin, end, anchor in links)
            if entry.lesson not in (folder, None):
                say(folder, match.start(), f"'{match.group()}' is used here first, "
                    f"and the glossary says that it first stands in {entry.lesson}")
            elif not linked:
                say(folder, match.start(), f"'{match.group()}' is used here first and is no link to "
                    f"docs/glossary.md#{entry.anchor}")
    for entry in entries:
        if entry not in firsts:
            say_of_entry(entry.position, f"no lesson uses '{entry.term}'")
