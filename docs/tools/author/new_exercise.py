"""Lays out an exercise that compiles and passes, with TODO wherever its author has to write."""
import pathlib
import subprocess

from . import lesson
from .course import CHAPTER, NAME, ROOT, AuthorError, Course, Exercise

TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"


def filled(template, exercise):
    text = (TEMPLATES / template).read_text()
    for mark, value in (("@NAME@", exercise.name), ("@NN@", exercise.number), ("@CHAPTER@", exercise.chapter),
                        ("@NUMBER@", str(int(exercise.number)))):
        text = text.replace(mark, value)
    return text


def files_of(exercise):
    """What is written, but for the stub, which is made of the solution."""
    kind = exercise.extension
    return {exercise.contract: filled("contract.hpp.in" if exercise.is_cuda else "contract.cpp.in", exercise),
            exercise.solution: filled(f"solution{kind}.in", exercise),
            exercise.test: filled(f"test{kind}.in", exercise),
            exercise.edits: filled(f"edits{kind}.in", exercise),
            exercise.right_file("another_way"): filled(f"right{kind}.in", exercise)}


def with_entry(course, exercise):
    """The manifest's text with the new entry behind the last one of its chapter, or of those before it; a
    blank-file exercise stays the last of its chapter."""
    text = course.manifest.read_text() if course.manifest.exists() else ""
    entry = filled(f"entry{exercise.extension}.in", exercise)
    lines = text.split("\n")
    later = [e.line for e in course.entries.values() if e.get("chapter", 0) > int(exercise.number)
             or (e.get("chapter") == int(exercise.number) and e.get("blank"))]
    heads = [i + 1 for i, line in enumerate(lines) if line.startswith("[[chapter]]")]
    entries = [e.line for e in course.entries.values()]
    after = [line for line in heads if not entries or line > max(entries)]
    if later:
        at = min(later) - 1
    elif after:
        at = min(after) - 1
    else:
        return (text.rstrip("\n") + "\n\n" if text.strip() else "") + entry
    while at > 0 and lines[at - 1].startswith("#"):  # a comment belongs to what it stands above
        at -= 1
    return "\n".join(lines[:at]) + ("\n" if at else "") + entry + "\n" + "\n".join(lines[at:])


def require_new(course, exercise):
    if not NAME.fullmatch(exercise.name):
        raise AuthorError(f"'{exercise.name}' is no name of an exercise; expected lower case, digits and _")
    if course.root != ROOT and exercise.name in Course(ROOT).entries:
        raise AuthorError(f"the course has an exercise {exercise.name}, too; expected another name")
    if exercise.name in course.entries or any(e.name == exercise.name for e in course.exercises):
        raise AuthorError(f"there is an exercise {exercise.name} already; expected another name")
    taken = [*files_of(exercise), exercise.stub]
    taken += [exercise.root / "chapters" / exercise.chapter / f"{exercise.name}{end}" for end in (".cu", ".cpp")]
    for path in taken:
        if path.exists():
            raise AuthorError(f"{path} is there already; nothing was written")


def chapter_for(course, word):
    """The folder of the chapter. In a course of one's own it may be one that the course has, or a new one."""
    if course.root == ROOT:
        return course.pick_chapter(word)
    try:
        return course.pick_chapter(word)
    except AuthorError:
        if CHAPTER.fullmatch(word) and not any(c[:2] == word[:2] for c in Course(ROOT).chapters()):
            return word
        return Course(ROOT).pick_chapter(word)


def lesson_of(course, chapter):
    """The lesson, where the exercises are listed: a course of one's own begins with a short one."""
    path = course.root / "chapters" / chapter / "README.md"
    if course.root != ROOT and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        title = chapter[3:].replace("_", " ").capitalize()
        path.write_text(f"# Chapter {chapter[:2]}: {title}\n\n{lesson.HEAD}\n")
        print(f"wrote {path.relative_to(course.root)}")
    if lesson.section(lesson.lines_of(course, chapter)) is None:
        raise AuthorError(f"{path}: no section '{lesson.HEAD}'; expected one, where the exercises are listed")


def lay_out(course, chapter, name, is_cpu, make_stubs):
    exercise = Exercise(course.root, chapter, name, ".cpp" if is_cpu else ".cu")
    require_new(course, exercise)
    manifest = with_entry(course, exercise)
    lesson_of(course, chapter)
    for path, text in files_of(exercise).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(f"wrote {exercise.shown(path)}")
    course.manifest.parent.mkdir(parents=True, exist_ok=True)
    course.manifest.write_text(manifest)
    print(f"wrote {course.manifest.relative_to(course.root)}: an entry of {name}")
    for path in lesson.write_lists(Course(course.root), [chapter]):
        print(f"wrote {path.relative_to(course.root)}: a line of {name}")
    done = subprocess.run([make_stubs, "--only", name, course.root], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AuthorError(f"make_stubs made no stub of {exercise.shown(exercise.solution)}: {done.stderr.strip()}")
    print(done.stdout, end="")
    return exercise
