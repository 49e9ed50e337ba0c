"""The scripts of docs/classroom do what they say, tried on a course that only pretends to grade."""
import fcntl
import json
import os
import pathlib
import sys
import tarfile
import tempfile
import unittest
import zipfile
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from fake_course import ASSIGNMENT, SECRET, FakeCourse, write  # noqa: E402


class Scratch(unittest.TestCase):
    git = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)
        self.scratch.chmod(0o755)
        self.course = FakeCourse(self.scratch, self.git)


class Making(Scratch):
    def make(self, *options):
        self.out = self.scratch / "autograder.zip"
        script = self.course.root / "docs/classroom/gradescope/make_autograder"
        return self.course.run(script, "--assignment", self.course.assignment, "--out", self.out, *options)

    def packed(self):
        """The names of the zip file, and of the course in it."""
        with zipfile.ZipFile(self.out) as archive:
            archive.extract("course.tar.gz", self.scratch)
            with tarfile.open(self.scratch / "course.tar.gz") as course:
                return archive.namelist(), [name.removeprefix("./") for name in course.getnames()]


class MakeAutograder(Making):
    def test_it_has_what_gradescope_wants_at_the_top(self):
        write(self.course.root / "notes.txt", "an instructor's own\n")
        write(self.course.root / "solutions/05_tiles/own.cu", "right\n")
        result = self.make()
        self.assertEqual(result.returncode, 0, result.stderr)
        names, course = self.packed()
        for name in ("setup.sh", "run_autograder", "course.tar.gz", "assignment.toml", "isolation"):
            self.assertIn(name, names)
        self.assertTrue(any(name.endswith("include/toml++/toml.h") for name in names), names)
        with zipfile.ZipFile(self.out) as archive:
            self.assertIn(SECRET, archive.read("assignment.toml").decode())
            self.assertEqual(archive.read("isolation"), b"optional\n")
            self.assertEqual(archive.getinfo("run_autograder").external_attr >> 16, 0o100755)
        # From the bundle, from git, and of what git does not know only the exercises.
        for name in ("learn", "assignment.toml", "solutions/05_tiles/matmul_padded.cu", "solutions/05_tiles/own.cu"):
            self.assertIn(name, course)
        self.assertNotIn("notes.txt", course)
        self.assertEqual(self.out.stat().st_mode & 0o077, 0)

    def test_the_secret_stays_out_of_the_course(self):
        self.assertEqual(self.make("--require-isolation").returncode, 0)
        with zipfile.ZipFile(self.out) as archive:
            self.assertEqual(archive.read("isolation"), b"required\n")
        write(self.course.root / "exercises/05_tiles/notes.cu", f"// {SECRET}\n")
        result = self.make()
        self.assertEqual(result.returncode, 2)
        self.assertIn("the secret stands in 'exercises/05_tiles/notes.cu'", result.stderr)

    def test_an_assignment_within_the_course_is_not_packed_with_its_secret(self):
        self.course.assignment = self.course.root / "assignment.toml"
        write(self.course.assignment, ASSIGNMENT)
        self.assertEqual(self.course.run("git", "add", "assignment.toml").returncode, 0)
        self.assertEqual(self.make().returncode, 0)
        self.packed()
        with tarfile.open(self.scratch / "course.tar.gz") as course:
            self.assertNotIn(SECRET, course.extractfile("./assignment.toml").read().decode())

    def test_wrong_use_is_one_line(self):
        for options, words in ((["--bundle", "none.tar.gz"], "'none.tar.gz' is not there"),
                               (["--bundel"], "'--bundel'; expected"), (["--bundle"], "--bundle has no value"),
                               (["--out", "x.tar"], "expected a name that ends in .zip")):
            result = self.make(*options)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(words, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_an_archive_that_is_no_bundle(self):
        write(self.scratch / "x/readme", "no course\n")
        self.course.run("tar", "-czf", self.scratch / "no.tar.gz", "-C", self.scratch / "x", "readme")
        result = self.make("--bundle", self.scratch / "no.tar.gz")
        self.assertEqual(result.returncode, 2)
        self.assertIn("has no file 'learn' at its top", result.stderr)


class MakeAutograderWithoutGit(Making):
    git = False

    def test_the_course_is_packed_without_what_is_built(self):
        result = self.make()
        self.assertEqual(result.returncode, 0, result.stderr)
        _, course = self.packed()
        self.assertIn("solutions/05_tiles/matmul_padded.cu", course)
        self.assertFalse([name for name in course if name.startswith((".deps", "build"))])

    def test_an_assignment_within_the_course_is_not_packed_with_its_secret(self):
        self.course.assignment = self.course.root / "hw1.toml"
        write(self.course.assignment, ASSIGNMENT)
        self.assertEqual(self.make().returncode, 0)
        self.assertNotIn("hw1.toml", self.packed()[1])


class Gradescope(Scratch):
    """An image is built from the zip file, and submissions come."""

    def setUp(self):
        super().setUp()
        self.home = self.scratch / "autograder"
        self.build()

    def build(self, *options, mode="ok"):
        write(self.course.root / "mode", mode)
        self.course.run("git", "add", "mode")
        script = self.course.root / "docs/classroom/gradescope/make_autograder"
        made = self.course.run(script, "--assignment", self.course.assignment, "--out", self.scratch / "a.zip", *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.course.run("rm", "-rf", self.home)
        with zipfile.ZipFile(self.scratch / "a.zip") as archive:
            archive.extractall(self.home / "source")
        self.setup = self.script("setup.sh")

    def script(self, name):
        return self.course.run("bash", self.home / "source" / name, cwd=self.scratch, AUTOGRADER_HOME=str(self.home),
                               AUTOGRADER_USER="grader-of-nobody")

    def grade(self, text="right\n", metadata=None, name="matmul_padded.cu"):
        """What students and what instructors see of a submission."""
        self.course.run("rm", "-rf", self.home / "submission", self.home / "results")
        (self.home / "submission").mkdir()
        if text is not None:
            write(self.home / "submission" / name, text)
        if metadata:
            write(self.home / "submission_metadata.json", json.dumps(metadata))
        result = self.script("run_autograder")
        return json.loads((self.home / "results/results.json").read_text()), result.stdout + result.stderr

    def test_an_image_is_built(self):
        self.assertEqual(self.setup.returncode, 0, self.setup.stderr)
        self.assertIn("solutions get 10 of 10 points", self.setup.stdout)
        # A release with an old compiler, without toml++.
        self.assertIn("apt-get install -y --no-install-recommends g++-12", self.course.calls())
        self.assertTrue((self.home / "course/.deps/usr/include/toml++/toml.h").is_file())
        self.assertTrue((self.home / "course/.deps/usr/lib/cmake/tomlplusplus/tomlplusplusConfig.cmake").is_file())
        self.assertEqual((self.home / "course/build/cpu/CMakeCache.txt").read_text(), "TUT_MARCH:STRING=x86-64-v3\n")
        self.assertEqual((self.home / "source").stat().st_mode & 0o077, 0)
        self.assertEqual((self.home / "assignment.toml").stat().st_mode & 0o007, 0)

    def test_an_image_in_which_the_solutions_fail_is_not_finished(self):
        write(self.course.root / "solutions/05_tiles/matmul_padded.cu", "wrong\n")
        self.build()
        self.assertEqual(self.setup.returncode, 1)
        self.assertIn("solutions get 0 of 10 points", self.setup.stderr)
        self.build(mode="broken")
        self.assertEqual(self.setup.returncode, 1)

    def test_submissions_in_the_sandbox(self):
        right, said = self.grade()
        self.assertEqual((right["score"], right["stdout_visibility"]), (10, "hidden"))
        self.assertEqual(len(right["tests"]), 1)
        self.assertNotIn("WITHOUT ISOLATION", said)
        self.assertNotIn("--unsafe", self.course.calls())
        wrong, _ = self.grade("wrong\n")
        self.assertEqual(wrong["score"], 0)
        nested, _ = self.grade(name="hw1/exercises/05_tiles/matmul_padded.cu")
        self.assertEqual(nested["score"], 10)
        nothing, _ = self.grade(None)
        self.assertEqual(nothing["score"], 0)

    def test_when_it_was_handed_in(self):
        metadata = {"created_at": "2027-02-12T14:22:32.365935-07:00"}
        self.assertEqual(self.grade(metadata=metadata)[0]["output"], "2027-02-12T14:22:32-07:00")
        result, said = self.grade(metadata={"created_at": "yesterday"})
        self.assertEqual((result["score"], result["output"]), (10, ""))
        self.assertIn("created_at is 'yesterday'", said)

    def test_without_namespaces_instructors_are_told_and_students_are_not(self):
        self.build(mode="no_bwrap")
        self.assertEqual(self.setup.returncode, 0, self.setup.stderr)
        result, said = self.grade()
        self.assertEqual(result["score"], 10)
        self.assertIn("GRADED WITHOUT ISOLATION", said)
        hidden = [test for test in result["tests"] if test.get("visibility") == "hidden"]
        self.assertEqual([(test["score"], test["max_score"]) for test in hidden], [(0, 0)])
        self.assertIn("could forge this result", hidden[0]["output"])
        self.assertNotIn("ISOLATION", json.dumps([result.get("output", "")] + [t for t in result["tests"] if t not in hidden]))
        if os.geteuid() == 0:
            self.assertIn("runuser -u grader-of-nobody -- env", self.course.calls())
            self.assertIn("pkill -KILL -u grader-of-nobody", self.course.calls())

    def test_isolation_can_be_required(self):
        self.build("--require-isolation", mode="no_bwrap")
        before = self.course.calls().count("--unsafe")
        result, said = self.grade()
        self.assertEqual(result["score"], 0)
        self.assertIn("This is not a mark", result["output"])
        self.assertIn("NOT GRADED", said)
        self.assertEqual(self.course.calls().count("--unsafe"), before)

    def test_there_is_a_result_whatever_happens(self):
        for mode, words in (("broken", "could not be graded"), ("silent", "stopped before it had a result"),
                            ("forged", "stopped before it had a result")):
            write(self.home / "course/mode", mode)
            result, said = self.grade()
            self.assertEqual(result["score"], 0, mode)
            self.assertIn(words, result["output"])
            self.assertTrue(said, mode)


class Slurm(Scratch):
    def setUp(self):
        super().setUp()
        self.submissions, self.out = self.scratch / "class", self.scratch / "marks"
        for name, text in (("ada", "right\n"), ("bo b", "wrong\n"), ("cy", "right\n"), ("dee", "wrong\n"), ("é", "right\n")):
            write(self.submissions / name / "matmul_padded.cu", text)
        (self.scratch / "local").mkdir()

    def script(self, *words, **environment):
        return self.course.run("bash", self.course.root / "docs/classroom/slurm.sh", *words,
                               LOCAL=str(self.scratch / "local"), **environment)

    def task(self, number, count=2, first=0, last=None, **environment):
        return self.script(self.course.assignment, self.submissions, self.out, SLURM_SUBMIT_DIR=str(self.course.root),
                           SLURM_ARRAY_TASK_ID=str(number), SLURM_ARRAY_TASK_COUNT=str(count),
                           SLURM_ARRAY_TASK_MIN=str(first), SLURM_ARRAY_TASK_MAX=str(last or first + count - 1),
                           SLURM_CPUS_PER_TASK="3", **environment)

    def graded(self):
        return self.course.calls().count("learn --backend cpu grade")

    def merged(self, name="marks.csv"):
        result = self.script("merge", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        return (self.out / name).read_text().splitlines()

    def test_every_student_is_graded_once(self):
        for first in (0, 1):
            self.out = self.scratch / f"marks{first}"
            for number in (first, first + 1):
                result = self.task(number, first=first)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.merged(), ["student,matmul_padded,total", "ada,10,10", "bo b,0,0", "cy,10,10",
                                             "dee,0,0", "é,10,10"])
        self.assertIn("--jobs 3", self.course.calls())
        self.assertEqual(list((self.scratch / "local").iterdir()), [])

    def test_what_is_through_is_left_alone_and_what_changed_is_not(self):
        self.task(0)
        self.task(1)
        self.assertEqual(self.graded(), 2)
        self.assertIn("through already", self.task(0).stdout)
        self.assertEqual(self.graded(), 2)
        write(self.submissions / "cy/matmul_padded.cu", "wrong\n")
        self.task(0)
        self.task(1)
        self.assertEqual(self.graded(), 3)
        self.assertIn("cy,0,0", self.merged())

    def test_what_is_neither_a_folder_nor_an_archive_is_no_student(self):
        for name in ("README.md", ".DS_Store", "__MACOSX/._ada", "matmul_padded.cu"):
            write(self.submissions / name, "left out\n")
        for name in ("fay.zip", "gus.TAR.GZ", "hal.tgz"):
            write(self.submissions / name, "right\n")
        said = "".join(self.task(number).stdout for number in (0, 1))
        self.assertIn("share 0 of 2: 4 students", said)
        self.assertIn("share 1 of 2: 4 students", said)
        self.assertEqual([line.split(",")[0] for line in self.merged()[1:]], ["ada", "bo b", "cy", "dee", "é"])

    def test_a_share_that_failed_is_done_again(self):
        write(self.course.root / "mode", "broken")
        self.assertNotEqual(self.task(0).returncode, 0)
        self.task(1)
        result = self.script("merge", self.out)
        self.assertEqual(result.returncode, 2)
        self.assertIn("share-0' is not through", result.stderr)
        write(self.course.root / "mode", "ok")
        for number in (0, 1):
            self.assertEqual(self.task(number).returncode, 0)
        self.assertEqual(len(self.merged()), 6)

    def test_a_share_that_is_missing(self):
        self.task(0)
        result = self.script("merge", self.out)
        self.assertEqual(result.returncode, 2)
        self.assertIn("1 of 2 shares", result.stderr)

    def test_one_size_for_one_folder(self):
        self.task(0)
        result = self.task(0, count=3)
        self.assertEqual(result.returncode, 2)
        self.assertIn("made by an array of 2 tasks, this one has 3", result.stderr)

    def test_an_array_with_gaps_would_leave_students_out(self):
        result = self.task(2, count=2, last=2)  # --array=0,2 or 0-2:2
        self.assertEqual(result.returncode, 2)
        self.assertIn("an array of 2 tasks from 0 to 2 has gaps", result.stderr)
        self.assertFalse(self.out.exists())

    def test_what_a_killed_task_left_on_the_node_is_not_graded(self):
        write(self.course.root / "mode", "killed")
        write(self.submissions / "aa/matmul_padded.cu", "right\n")
        self.assertNotEqual(self.task(0).returncode, 0)  # its students: aa, bo b, dee
        self.assertEqual(len(list((self.scratch / "local").iterdir())), 1)
        write(self.course.root / "mode", "ok")
        self.course.run("rm", "-r", self.submissions / "aa")
        for number in (0, 1):
            self.assertEqual(self.task(number).returncode, 0)
        self.assertEqual([line.split(",")[0] for line in self.merged()[1:]], ["ada", "bo b", "cy", "dee", "é"])

    def test_two_tasks_of_one_share_take_turns(self):
        write(self.out / "share-0/lock", "")
        with open(self.out / "share-0/lock", "r+", encoding="utf-8") as lock, ThreadPoolExecutor() as pool:
            fcntl.flock(lock, fcntl.LOCK_EX)
            second = pool.submit(self.task, 0)
            with self.assertRaises(FutureTimeout):
                second.result(timeout=1)
            self.assertEqual(self.graded(), 0)
            fcntl.flock(lock, fcntl.LOCK_UN)
            self.assertEqual(second.result().returncode, 0)
        self.assertIn("another task has it", second.result().stdout)
        self.assertNotIn("another task has it", self.task(1).stdout)

    def test_more_tasks_than_students(self):
        for number in range(6):
            self.assertEqual(self.task(number, count=6).returncode, 0)
        self.assertEqual(len(self.merged()), 6)

    def test_the_secret_is_not_in_the_course_that_submissions_see(self):
        self.course.assignment = self.course.root / "assignment.toml"
        write(self.course.assignment, ASSIGNMENT)
        # Stopped before it is cleared away.
        write(self.course.root / "learn", "#!/bin/sh\nls \"${0%/*}\" >\"$FAKE_LOG\"\n", True)
        self.task(0)
        self.assertIn("exercises", self.course.calls())
        self.assertNotIn("assignment.toml", self.course.calls())

    def test_on_a_gpu(self):
        for number in (0, 1):
            result = self.task(number, GPU="1")
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.merged("gpu.csv"), ["student,exercise,on a GPU", '"ada",matmul_padded,passed',
                                                  '"bo b",matmul_padded,failed', '"cy",matmul_padded,passed',
                                                  '"dee",matmul_padded,failed', '"é",matmul_padded,passed'])
        boxes = [line for line in self.course.calls().splitlines() if line.startswith("bwrap ")]
        self.assertEqual(len(boxes), 5)
        for line in boxes:
            self.assertIn("--unshare-net", line)
            self.assertIn(f"--ro-bind /dev/null {self.course.assignment}", line)

    def test_wrong_use_is_one_line(self):
        for result, words in ((self.script(), "expected ASSIGNMENT SUBMISSIONS OUT"),
                              (self.script("merge", "nowhere"), "merge wants the folder OUT"),
                              (self.script("none.toml", self.submissions, self.out), "'none.toml' is not there"),
                              (self.script(self.course.assignment, "none", self.out), "'none' is not there")):
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)


if __name__ == "__main__":
    unittest.main()
