"""The command line of `./learn author`.

  new CHAPTER NAME [--cpu]    lays an exercise out: every file of it, its entry, its line in the lesson
  check [EXERCISE… | --all] [--static] [--mutants]
                              what an exercise lacks, one line each
  stub EXERCISE…              makes the stub of its solution, whatever the old one holds
  lists [CHAPTER…] [--check]  writes the lessons' lists of exercises by exercises/course.toml

With LEARN_COURSE_PATH=FOLDER all of them are about the exercises in that folder, which is laid out as the course
is. Ends with 0 where nothing is wrong, 1 where a check finds something, 2 for what cannot be done.
"""
import argparse
import os
import pathlib
import subprocess
import sys

from . import build_checks, lesson, new_exercise, static_checks
from .course import ROOT, AuthorError, Course

OK, FOUND, USAGE = 0, 1, 2


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="./learn author", description="Exercises for authors: "
                                     "docs/contributing.md tells how one is written.")
    parser.add_argument("--root", type=pathlib.Path, default=None, help=argparse.SUPPRESS)
    parser.add_argument("--build", type=pathlib.Path, default=None, help=argparse.SUPPRESS)
    parser.add_argument("--make-stubs", type=pathlib.Path, default=None, help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    new = commands.add_parser("new", help="lay out an exercise: all its files, its entry, its line in the lesson")
    new.add_argument("chapter", help="8, 08, ch08 or 08_reductions")
    new.add_argument("name", help="lower case, digits and _")
    new.add_argument("--cpu", action="store_true", help="plain C++, as in part I")
    check = commands.add_parser("check", help="what an exercise lacks, one line each")
    check.add_argument("exercise", nargs="*", help="names, or paths of their files")
    check.add_argument("--all", action="store_true", help="every exercise")
    check.add_argument("--static", action="store_true", help="without building anything: some seconds for all")
    check.add_argument("--mutants", action="store_true", help="put mistakes into the solution, too: this takes long")
    stub = commands.add_parser("stub", help="make a stub of its solution, whatever the old one holds")
    stub.add_argument("exercise", nargs="+")
    lists = commands.add_parser("lists", help="write the lessons' lists of exercises by exercises/course.toml")
    lists.add_argument("chapter", nargs="*", help="all, unless some are named")
    lists.add_argument("--check", action="store_true", help="write nothing; name the lessons that differ")
    options = parser.parse_args(arguments)
    if options.command == "check":
        if options.all == bool(options.exercise):
            parser.error("check: name exercises, or --all")
        if options.static and options.mutants:
            parser.error("check: --mutants builds, --static does not")
    return options


def find_tools(options):
    """Where the build and make_stubs are: as the launcher says."""
    own = os.environ.get("LEARN_COURSE_PATH")
    if own and options.root is None and not pathlib.Path(own).is_dir():
        raise AuthorError(f"LEARN_COURSE_PATH is '{own}', which is no folder; expected one laid out as the course is")
    options.root = (options.root or pathlib.Path(own or os.environ.get("LEARN_ROOT", ROOT))).resolve()
    options.build = (options.build or pathlib.Path(os.environ.get("LEARN_BUILD", ROOT / "build/cpu"))).resolve()
    options.make_stubs = options.make_stubs or options.build / "bin/make_stubs"
    if not own and not (options.root / "solutions").is_dir():
        raise AuthorError(f"no folder {options.root / 'solutions'}; expected the root of a course")


def require_make_stubs(options):
    if not options.make_stubs.exists():
        raise AuthorError(f"{options.make_stubs} is not there; build it: ninja -C {options.build} make_stubs")


def chosen(course, options):
    return course.exercises if options.all else [course.pick(word) for word in options.exercise]


def check_command(options):
    require_make_stubs(options)
    course = Course(options.root)
    exercises = chosen(course, options)
    stubs = static_checks.StubStates(options.make_stubs, course.root)
    stubs.of(exercises)
    count = 0
    for finding in static_checks.course_findings(course) if options.all else []:
        print(finding)
        count += 1
    for exercise in exercises:
        findings = static_checks.static_findings(course, exercise, stubs)
        if not options.static:
            findings += build_checks.findings(exercise, options.build, options.mutants)
        for finding in findings:
            print(finding, flush=True)
        count += len(findings)
    plain = [exercise.name for exercise in exercises if options.mutants and not exercise.is_cuda]
    if plain:
        print(f"no mutants of {', '.join(plain)}: mistakes are put into kernels, and there are none")
    checked = f"{len(exercises)} exercise{'' if len(exercises) == 1 else 's'}"
    how = "looked at, nothing built" if options.static else "built and tested"
    print(f"{checked} {how}: {'nothing is missing' if count == 0 else f'{count} to mend'}")
    return FOUND if count else OK


def stub_command(options):
    require_make_stubs(options)
    course = Course(options.root)
    names = [course.pick(word).name for word in options.exercise]
    only = [word for name in names for word in ("--only", name)]
    done = subprocess.run([options.make_stubs, "--force", *only, options.root], capture_output=True, text=True,
                          check=False)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode


def lists_command(options):
    course = Course(options.root)
    chapters = [course.pick_chapter(word) for word in options.chapter] or course.chapters()
    if options.check:
        stale = [chapter for chapter in chapters if lesson.of_chapter(course, chapter)
                 and lesson.written(course, chapter) != lesson.lines_of(course, chapter)]
        for chapter in stale:
            print(f"chapters/{chapter}/README.md: its list of exercises is not in step with exercises/course.toml; "
                  "run ./learn author lists")
        return FOUND if stale else OK
    for path in lesson.write_lists(course, chapters):
        print(f"wrote {path.relative_to(course.root)}")
    return OK


def new_command(options):
    require_make_stubs(options)
    course = Course(options.root)
    chapter = new_exercise.chapter_for(course, options.chapter)
    exercise = new_exercise.lay_out(course, chapter, options.name, options.cpu, options.make_stubs)
    print(f"\nEverything compiles as it stands. What is left to write is marked TODO:\n"
          f"  ./learn author check --static {exercise.name}   lists it\n"
          f"  ./learn author stub {exercise.name}             makes the stub anew when the solution has changed\n"
          f"  ./learn author check {exercise.name}            builds and tests all of it")
    return OK


def main(arguments=None):
    options = parse_arguments(arguments)
    run = {"check": check_command, "stub": stub_command, "lists": lists_command, "new": new_command}
    try:
        find_tools(options)
        return run[options.command](options)
    except (AuthorError, OSError) as error:
        print(f"learn: author: {error}", file=sys.stderr)
        return USAGE
