"""The exercises of a course and where their files lie."""
import dataclasses
import pathlib
import re

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    tomllib = None

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHAPTER = re.compile(r"(\d\d)_[a-z0-9_]+")
NAME = re.compile(r"[a-z][a-z0-9_]*")


class AuthorError(Exception):
    """Why a command cannot be done: one line."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """What an exercise lacks: where, what, and how to mend it."""
    file: str
    line: int  # 0: none
    what: str
    cure: str

    def __str__(self):
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.what}; {self.cure}"


@dataclasses.dataclass(frozen=True)
class Entry:
    """An [[exercise]] of course.toml."""
    fields: dict
    line: int
    index: int  # its place in the file

    def get(self, field, otherwise=None):
        return self.fields.get(field, otherwise)


@dataclasses.dataclass(frozen=True)
class Exercise:
    root: pathlib.Path
    chapter: str  # 08_reductions
    name: str
    extension: str  # .cu or .cpp

    @property
    def number(self):
        return self.chapter[:2]

    @property
    def prefix(self):
        return f"ch{self.number}_{self.name}"

    @property
    def is_cuda(self):
        return self.extension == ".cu"

    @property
    def contract(self):
        return self.root / "chapters" / self.chapter / f"{self.name}.hpp"

    @property
    def lesson(self):
        return self.root / "chapters" / self.chapter / "README.md"

    @property
    def solution(self):
        return self.root / "solutions" / self.chapter / f"{self.name}{self.extension}"

    @property
    def stub(self):
        return self.root / "exercises" / self.chapter / f"{self.name}{self.extension}"

    @property
    def test(self):
        return self.root / "tests" / self.chapter / f"{self.name}_test.cpp"

    @property
    def edits(self):
        return self.root / "tests/wrong" / self.chapter / f"{self.name}.edits"

    def wrong_files(self):
        return sorted(self.edits.parent.glob(f"{self.name}.*{self.extension}"))

    def right_files(self):
        return sorted((self.root / "tests/right" / self.chapter).glob(f"{self.name}.*{self.extension}"))

    def right_file(self, why):
        return self.root / "tests/right" / self.chapter / f"{self.name}.{why}{self.extension}"

    def shown(self, path):
        """A file's name, as findings have it."""
        return str(path.relative_to(self.root))


class Course:
    """The exercises of a folder with the layout of the course: those that have a solution."""

    def __init__(self, root):
        self.root = root
        self.manifest = root / "exercises/course.toml"
        self.entries = self._read_entries()
        self.exercises = self._find_exercises()

    def _read_entries(self):
        if not self.manifest.exists():
            return {}
        if tomllib is None:
            raise AuthorError("author needs Python 3.11 or newer, which reads TOML; this one is older")
        text = self.manifest.read_text()
        try:
            tables = tomllib.loads(text).get("exercise", [])
        except tomllib.TOMLDecodeError as error:
            raise AuthorError(f"{self.manifest}: {error}") from error
        heads = [number for number, line in enumerate(text.split("\n"), 1)
                 if re.fullmatch(r"\s*\[\[exercise\]\]\s*(#.*)?", line)]
        if not isinstance(tables, list) or len(heads) != len(tables):
            raise AuthorError(f"{self.manifest}: {len(heads)} lines [[exercise]]; expected one for each exercise")
        return {table.get("name", f"number {i + 1}"): Entry(table, line, i)
                for i, (table, line) in enumerate(zip(tables, heads))}

    def _find_exercises(self):
        found = []
        for path in sorted((self.root / "solutions").glob("*/*")):
            if path.suffix in (".cu", ".cpp") and CHAPTER.fullmatch(path.parent.name):
                found.append(Exercise(self.root, path.parent.name, path.stem, path.suffix))
        order = {name: entry.index for name, entry in self.entries.items()}
        return sorted(found, key=lambda e: (e.chapter, order.get(e.name, len(order)), e.name))

    def pick(self, word):
        """The exercise that a word names: row_max, 08/row_max or the path of one of its files."""
        name = pathlib.Path(word).name.split(".")[0].removesuffix("_test")
        for exercise in self.exercises:
            if name == exercise.name:
                return exercise
        raise AuthorError(f"no exercise '{word}' under {self.root / 'solutions'}")

    def chapters(self):
        return sorted(path.name for path in (self.root / "chapters").glob("*")
                      if path.is_dir() and CHAPTER.fullmatch(path.name))

    def pick_chapter(self, word):
        """8, 08, ch08, 08_reductions or reductions."""
        word = word.rstrip("/").split("/")[-1]
        number = re.fullmatch(r"(?:ch)?(\d{1,2})", word)
        for chapter in self.chapters():
            if word in (chapter, chapter[3:]) or (number and int(number[1]) == int(chapter[:2])):
                return chapter
        raise AuthorError(f"no chapter '{word}' under {self.root / 'chapters'}; expected one of "
                          f"{', '.join(self.chapters()) or 'none that is there'}")
