#!/usr/bin/env python3
"""Grades a made-up class of right, wrong, racy, wasteful, late, odd and hostile students.

  grade_test.py class|unsafe|time LEARN_CLASSROOM SOURCE [STUDENT ...]

class: each gets the marks that grading/class_list.py has for it, the files say why, who tries to get marks
without the work gets none and disturbs nobody, and a run that was killed goes on to the same files. With STUDENT
only these. With TUT_PART=0, 1 or 2 in the environment, of those who try that third.
unsafe: without bubblewrap nothing is graded, or with --unsafe, which says what that means.
time: how long 20 right answers of an exercise take, here and now; STUDENT is then an exercise. No test.
"""
import contextlib
import ctypes
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "grading"))
import attacks  # noqa: E402
import class_list  # noqa: E402
import course  # noqa: E402
import odd_files  # noqa: E402
from course import EXERCISES, expect  # noqa: E402

# What is graded twice, by a run that is killed and by one that is not: some of each kind, late ones among them.
KILLED = ("abel", "ian", "jo", "incbin", "nils", "quinn", "rosa", "yuri")
PARTS = 3


def part_of_class():
    """Which third of the attacks is tried, or None for all."""
    chosen = os.environ.get("TUT_PART", "all")
    if chosen not in ["all", *(str(part) for part in range(PARTS))]:
        sys.exit(f"TUT_PART is '{chosen}'; expected all, 0, 1 or 2")
    return None if chosen == "all" else int(chosen)


def hand_in(grading, only):
    """Everything into one folder. Returns of each student the points, the total, and words of the feedback."""
    wanted = {}
    for student, texts, points, total, words in class_list.students():
        grading.hand_in(student, texts)
        wanted[student] = (points, total, words)
    part = None if only else part_of_class()
    for number, (name, words, text) in enumerate(attacks.attacks(grading.out / "marks.csv", grading.students)):
        if part not in (None, number % PARTS):
            continue
        grading.hand_in(name, {"reverse": text})
        wanted[name] = ([0, 0, 0], 0, words)
    for odd in (odd_files.add_right_archives, odd_files.add_odd_names):
        wanted.update({student: (list(points), sum(points), "30 of 30 points")
                       for student, points in odd(grading.students).items()})
    for odd in (odd_files.add_bad_archives, odd_files.add_odd_folders):
        wanted.update({student: ([0, 0, 0], 0, words) for student, words in odd(grading.students).items()})
    for name in (".DS_Store", "README.md", "reverse.cu"):
        (grading.students / name).write_text("no student")
    if only:
        keep_only(grading, only)
        wanted = {student: wanted[student] for student in only}
    late = {student: moment for student, moment in class_list.TIMES.items() if student in wanted}
    grading.hand_in_late({**late, "nobody": "2027-02-12T10:00:00+01:00"})
    return wanted


def keep_only(grading, only):
    for entry in list(grading.students.iterdir()):
        if entry.name not in only and entry.name.partition(".")[0] not in only:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()


def kill_in_the_middle(grading):
    """Starts grading and kills it when something is done and something else under way."""
    run = subprocess.Popen(grading.command("--jobs", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while run.poll() is None and len(list(grading.out.glob("journal/*.json"))) < 3:
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    expect(run.returncode == -signal.SIGKILL, f"grading was over before it was killed, with {run.returncode}")
    expect(not (grading.out / "marks.csv").exists(), "a run that was killed has written marks")
    return {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in grading.out.glob("journal/*.json")}


def check_killed(program, folder):
    """A run that was killed goes on, grades nothing twice, and writes what one writes that was not killed."""
    grading = course.Grading(program, folder, "few")
    hand_in(grading, KILLED)
    done = kill_in_the_middle(grading)
    left = set(pathlib.Path(tempfile.gettempdir()).glob("learn_grade.*"))
    grading.grade()
    for file, before in done.items():
        expect((file.stat().st_mtime_ns, file.read_bytes()) == before, f"{file.name} was graded again")
    expect(len(list(grading.out.glob("journal/*.json"))) > len(done), "nothing was left to do when it was killed")
    still = {path for path in left if path.exists() and not pathlib.Path(f"/proc/{path.name.split('.')[1]}").exists()}
    expect(not still, f"what the killed run had left is still there: {still}")
    whole = folder / "out_of_whole"
    grading.grade(out=whole)
    # Messages name no folder of their run, so all files are the same to the byte.
    ours, others = course.all_bytes(grading.out), course.all_bytes(whole)
    expect(ours.keys() == others.keys(), f"other files: {ours.keys() ^ others.keys()}")
    expect(len(ours) == 4 + 3 * len(KILLED), f"{len(ours)} files: {sorted(ours)}")
    for file in ours.keys() & others.keys():
        expect(ours[file] == others[file], f"after a run was killed, {file} is other than without")


def check_marks(grading, wanted):
    marks, feedback = grading.marks(), grading.feedback()
    expect(set(marks) == set(wanted), f"marks too many or too few: {sorted(set(marks) ^ set(wanted))}")
    expect(list(marks) == sorted(marks, key=lambda name: name.encode()), "the students are not in order")
    for student, (points, total, words) in wanted.items():
        row = marks.get(student)
        if not row:
            continue
        got = [float(row[exercise]) for exercise in EXERCISES]
        expect(got == points, f"{student} has {got}; expected {points}:\n{feedback.get(student)}")
        expect(float(row["total"]) == total, f"{student} has {row['total']} points in all; expected {total}")
        said = feedback.get(student)
        if said is None:
            expect(len(student) > 150, f"{student} has no feedback.txt")
            continue
        # Of a race between two limits there are words for either end.
        either = (words,) if isinstance(words, str) else words
        expect(any(one in said for one in either), f"{student} is not told '{words}':\n{said}")
        for secret in ("not for students", "TUT_SEED", "/tmp/learn_grade"):
            expect(secret not in said, f"{student} is told of {secret}:\n{said}")


def check_outputs(grading, wanted, printed):
    """The files for other programs hold the same marks, whatever students are called or print."""
    suites = xml.etree.ElementTree.parse(grading.out / "junit.xml").getroot()
    expect(len(suites) == len(wanted), f"JUnit's file has {len(suites)} suites")
    failed = sum(len(case.findall("failure")) for case in suites.iter("testcase"))
    expect(failed == int(suites.get("failures")) > 0, f"JUnit's file has {failed} failures; it says {suites.get('failures')}")
    expect(len(list(grading.out.glob("students/*/results.json"))) == len(wanted), "results.json is not there for each")
    expect("ian: no time is known" in printed and "yuri: no time is known" not in printed, "who has no time is not told")
    expect("pat: no time is known" not in printed, "who has handed in nothing is told to have no time")
    expect("nobody is in" in printed and "handed in nothing" in printed, f"nothing is said of who has a time only:\n{printed}")
    control = re.search(r"[\x00-\x08\x0b-\x1f\x7f]", printed)
    expect(not control, f"what is printed has a control character at {control and control.start()}")


def check_class(program, only):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not only:
            check_killed(program, folder)  # which builds the tests
        before = course.course_state()
        grading = course.Grading(program, folder)
        wanted = hand_in(grading, only)
        if not only:
            expect(len(wanted) >= 60, f"a class of {len(wanted)}")
            # What few have handed in is known.
            shutil.copytree(folder / "out_of_few/journal", grading.out / "journal")
        print(f"part of the attacks: {part_of_class()}", flush=True)
        begin = time.monotonic()
        printed = grading.grade()
        print(f"{len(wanted)} students in {time.monotonic() - begin:.0f} s", flush=True)
        check_marks(grading, wanted)
        if only:
            print(*grading.feedback().values(), sep="\n")
            return
        check_outputs(grading, wanted, printed)
        first = course.all_bytes(grading.out)
        grading.grade()
        expect(course.all_bytes(grading.out) == first, "a second run gives other bytes")
        changed = course.changes(before, course.course_state())
        expect(not changed, f"the course has changed: {', '.join(changed)}")


def path_without(program, folder):
    """A PATH with everything but one program."""
    folder.mkdir()
    for place in ("/usr/bin", "/bin", "/usr/local/bin"):
        for entry in os.scandir(place) if os.path.isdir(place) else ():
            if entry.name != program and not (folder / entry.name).is_symlink():
                os.symlink(entry.path, folder / entry.name)
    return str(folder)


def check_unsafe(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        grading = course.Grading(program, folder)
        for student, what in (("ann", "solution"), ("ben", "wrong.partner_off_by_one"), ("cay", "stub")):
            grading.hand_in(student, {"reverse": course.version("reverse", what)})
        grading.assignment.write_text('title = "One"\n[[exercise]]\nname = "reverse"\npoints = 10\n')
        environment = {**os.environ, "PATH": path_without("bwrap", folder / "bin")}
        refused = grading.run(environment=environment)
        lines = refused.stderr.strip().split("\n")
        expect(refused.returncode == 2 and len(lines) == 1, f"without bwrap grading ends with {refused.returncode}: {lines}")
        for words in ("bubblewrap is not installed", "network, files and processes", "--unsafe"):
            expect(words in refused.stderr, f"without bwrap it is not said '{words}': {refused.stderr}")
        expect(not (grading.out / "marks.csv").exists(), "there are marks without a sandbox")

        # One that is there and does not work, as in a container without namespaces.
        (folder / "bin/bwrap").write_text("#!/bin/sh\necho 'bwrap: no permission' >&2\nexit 1\n")
        (folder / "bin/bwrap").chmod(0o755)
        refused = grading.run(environment=environment)
        expect(refused.returncode == 2 and "bwrap does not work here: bwrap: no permission" in refused.stderr,
               f"a bwrap that fails ends with {refused.returncode}: {refused.stderr}")

        printed = grading.grade("--unsafe", environment=environment)
        expect("network, files and processes of this machine are not kept from submissions" in printed,
               f"--unsafe does not say what is not kept apart:\n{printed}")
        marks = {student: float(row["total"]) for student, row in grading.marks().items()}
        expect(marks == {"ann": 10, "ben": 0, "cay": 0}, f"with --unsafe the marks are {marks}")
        # Where it works, it is used all the same, and nothing is said.
        printed = grading.grade("--unsafe", out=folder / "isolated")
        expect("not kept" not in printed, f"with a bwrap that works it is said:\n{printed}")


def processor_seconds():
    """Of all that has been started and has ended, sandboxes among it: their orphans are adopted here."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(program, exercises):
    """20 right answers that differ by a comment: nothing is graded twice."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    for exercise in exercises:
        with tempfile.TemporaryDirectory() as name:
            grading = course.Grading(program, pathlib.Path(name))
            grading.assignment.write_text(f'title = "Time"\n[[exercise]]\nname = "{exercise}"\n')
            source, = course.SOURCE.glob(f"solutions/*/{exercise}.c*")
            for begin, end in ((0, 1), (1, 21)):  # with the first one the tests are built
                for k in range(begin, end):
                    (grading.students / f"student_{k:02}").mkdir()
                    (grading.students / f"student_{k:02}" / source.name).write_text(source.read_text() + f"// {k}\n")
                start, used = time.monotonic(), processor_seconds()
                grading.grade()
                seconds, used = time.monotonic() - start, processor_seconds() - used
            marks = [row["total"] == row["max"] for row in grading.marks().values()]
            expect(marks == [True] * 21, f"{marks.count(True)} of 21 right answers of {exercise} have all points")
            print(f"{exercise}: 20 in {seconds:.1f} s, {seconds / 20:.2f} s each, {used / 20:.2f} s of processor time; "
                  f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")


def main():
    what, program, _, *only = sys.argv[1:]
    try:
        subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"skipped: bubblewrap does not work here: {error}")
        sys.exit(77)
    if what == "class":
        check_class(program, only)
    elif what == "unsafe":
        check_unsafe(program)
    else:
        measure(program, only or ["reverse"])
    if course.faults:
        sys.exit("\n".join(["", *course.faults]))


if __name__ == "__main__":
    main()
