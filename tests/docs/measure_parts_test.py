"""The parts of measure.py: budgets, processes, archives, journals, builds."""
import contextlib
import json
import os
import pathlib
import sys
import types
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from rehearsal import Folder, TOOLS, tar_of  # noqa: E402

sys.path.insert(0, str(TOOLS))
import keep_results  # noqa: E402
from measure import archive, benches, checks, clock, processes, programs, session  # noqa: E402


class Budgets(unittest.TestCase):
    def test_the_seconds_of_a_benchmark_follow_from_its_rows(self):
        full = clock.SETTINGS[0]
        for rows in (1, 8, 40, 200):
            self.assertEqual(clock.settings_for(rows, clock.bench_seconds(rows, *full)), full)
            for seconds in (20, 60, 180, 540):
                chosen = clock.settings_for(rows, seconds)
                self.assertTrue(clock.bench_seconds(rows, *chosen) <= seconds
                                or chosen == clock.SETTINGS[-1], (rows, seconds))
        # Half the time: fewer or shorter repetitions, not fewer rows.
        few = clock.settings_for(40, clock.bench_seconds(40, *full) / 2)
        self.assertLess(few[0] * few[1], full[0] * full[1])

    def test_a_step_gets_what_it_wants_or_its_part_by_what_all_want(self):
        self.assertEqual(clock.share_of(100, [30, 20]), 30)
        self.assertEqual(clock.share_of(float("inf"), [30, 20]), 30)
        self.assertEqual(clock.share_of(25, [30, 20]), 15)
        self.assertEqual(clock.share_of(0, [30, 20]), 0)

    def test_a_deadline_keeps_some_of_its_time_for_the_archive(self):
        with mock.patch.object(clock, "now", lambda: now[0]):
            now = [1000.0]
            deadline = clock.Deadline(540)
            self.assertEqual(deadline.left(), 540 - clock.KEPT_BACK)
            now[0] += 539
            self.assertEqual(deadline.left(), 0)
            self.assertEqual(clock.Deadline(None).left(), float("inf"))
            self.assertEqual(clock.Deadline(10).left(), 9)


class Processes(Folder):
    def jobs(self, *scripts, seconds=float("inf")):
        return [processes.Job(str(i), ["sh", "-c", script], self.root / f"{i}.log", seconds,
                              cwd=self.root) for i, script in enumerate(scripts)]

    def test_jobs_run_side_by_side_but_not_more_than_asked_for(self):
        # Each waits for the other one to begin and, before it ends, for the other one to have
        # looked: a third that began too early would be seen by both.
        wait = ('until_there() {{ while [ ! -e $1 ]; do sleep 0.01; done; }}; '
                'touch {0}; until_there {1}; [ ! -e third ] || exit 9; '
                'touch {0}.looked; until_there {1}.looked')
        done = processes.run_all(self.jobs(wait.format("a", "b"), wait.format("b", "a"),
                                           "touch third"), 2)
        self.assertEqual([job.fault() for job in done], ["", "", ""])
        self.assertTrue((self.root / "third").exists())

    def test_faults_are_said_in_words(self):
        done = processes.run_all(self.jobs("exit 3", "kill -9 $$", "echo what; exit 0"), 1)
        self.assertEqual([job.fault() for job in done], ["exit code 3", "ended by signal 9", ""])
        self.assertEqual(done[2].said(), "what\n")
        gone = processes.run(processes.Job("x", ["/nowhere/x"], self.root / "x.log"))
        self.assertIn("127", gone.fault())

    def test_what_is_late_ends_with_all_that_it_started(self):
        [job] = self.jobs("sleep 1000 & echo $! >child; wait")
        job.seconds = 10
        child = self.root / "child"

        def now():  # it is late as soon as it has started something
            return 1000.0 if child.exists() and child.read_text() else 0.0

        with mock.patch.object(clock, "now", now):
            processes.run(job)
        self.assertTrue(job.stopped)
        state = pathlib.Path(f"/proc/{int(child.read_text())}/stat")
        with contextlib.suppress(OSError):  # until it is gone, or a zombie that nobody waits for
            while state.read_text().rsplit(")", 1)[1].split()[0] != "Z":
                pass

    def test_without_time_none_is_begun(self):
        jobs = self.jobs("touch began", "touch began")
        self.assertEqual(processes.run_all(jobs, 2, left=lambda: 0.0), [])
        self.assertFalse((self.root / "began").exists())


class Archives(Folder):
    def test_what_is_packed_comes_out_again_and_long_logs_are_cut_in_the_middle(self):
        source, target = self.root / "a", self.root / "b"
        (source / "deep").mkdir(parents=True)
        (source / "x.json").write_text("{}")
        (source / "deep" / "y.log").write_text("begin" + "." * archive.LOG_LIMIT + "end")
        (source / "left.jsonl").write_text("no result")
        self.assertEqual(archive.pack(source, self.root / "m.tar.gz", archive.MIB), [])
        self.assertEqual(archive.unpack(self.root / "m.tar.gz", target), ["deep/y.log", "x.json"])
        text = (target / "deep" / "y.log").read_text()
        self.assertTrue(text.startswith("begin") and text.endswith("end"))
        self.assertIn("8 bytes are left out here", text)

    def test_logs_are_left_out_of_what_would_be_too_large_and_results_never(self):
        for name, size in (("short.log", 2000), ("long.log", 40000), ("x.json", 1000)):
            (self.root / name).write_bytes(os.urandom(size))
        out = self.root / "out" / "m.tar.gz"
        out.parent.mkdir()
        self.assertEqual(archive.pack(self.root, out, 10000), ["long.log"])
        self.assertLess(out.stat().st_size, 10000)
        self.assertEqual(archive.pack(self.root, out, 10), ["long.log", "short.log"])
        self.assertEqual(archive.unpack(out, self.root / "back"), ["x.json"])

    def test_names_that_lead_elsewhere_are_refused(self):
        path = self.root / "m.tar.gz"
        for name in ("../x.json", "/tmp/x.json", "a/../../x"):
            path.write_bytes(tar_of({name: "{}"}))
            with self.assertRaisesRegex(ValueError, "which is no result"):
                archive.unpack(path, self.root / "in")


class Journals(unittest.TestCase):
    LABEL = json.dumps({"ladder": "m", "size": "8", "step": "s", "flops": 2e6, "bytes": 0})

    def lines(self, *lines):
        return "".join(json.dumps(line) + "\n" for line in lines)

    def test_only_repetitions_of_the_last_number_of_iterations_count(self):
        begin = {"row": "m/8/s", "label": self.LABEL}
        text = self.lines(
            {"context": {"device": "x"}}, begin, {"row": "m/8/s", "iterations": 1, "seconds": 9.0},
            begin, {"row": "m/8/s", "iterations": 50, "seconds": 1.0},
            begin, {"row": "m/8/s", "iterations": 50, "seconds": 3.0}, begin)
        rows = benches.Rows(text + '{"row": "m/8/s", "itera')  # cut off by a kill
        kept = keep_results.medians(rows.results(incomplete="stopped"))
        self.assertEqual(len(kept), 1)
        self.assertEqual(kept[0]["repetition_times"], [1e6, 3e6])
        self.assertEqual((kept[0]["real_time"], kept[0]["ladder"]), (2e6, "m"))
        self.assertEqual(kept[0]["GFLOP/s"], 0.001)
        self.assertEqual(rows.results(a="b")["context"], {"device": "x", "a": "b"})

    def test_a_wrong_row_is_an_error_and_has_no_time(self):
        rows = benches.Rows(self.lines({"row": "m/8/s", "label": self.LABEL},
                                       {"row": "m/8/s", "error": "wrong"},
                                       {"row": "m/8/t", "label": self.LABEL}))
        self.assertEqual((rows.measured(), rows.errors, rows.at), ([], {"m/8/s": "wrong"}, "m/8/t"))
        [kept] = keep_results.medians(rows.results())
        self.assertEqual(kept["error_message"], "wrong")
        self.assertNotIn("real_time", kept)


class Ctest(unittest.TestCase):
    def test_lines_of_ctest_are_read_as_far_as_they_go(self):
        total, rows = checks.read_ctest(
            " 1/12 Test  #3: 07.test ...........   Passed    0.02 sec\n"
            " 2/12 Test #31: 07.x.solution .....***Failed    1.50 sec\nsome output\n"
            " 3/12 Test #32: simt.y ............***Skipped   0.00 sec\n"
            " 4/12 Test #33: simt.z ............***Exception: SegFault  0.10 sec\n"
            " 5/12 Test #34: simt.w ............***Failed  Error regular expression found in "
            "output. Regex=[x]  0.01 sec\n      Start 35: simt.v\n")
        self.assertEqual(total, 12)
        self.assertEqual([row["outcome"].split()[0] for row in rows],
                         ["passed", "failed", "skipped", "exception:", "failed"])


class Prefixes(unittest.TestCase):
    def test_a_prefix_is_a_folder_of_the_repository_and_other_arguments_are_as_they_were(self):
        self.assertEqual(session.from_root("-DCMAKE_PREFIX_PATH=.deps/usr;/opt/x"),
                         f"-DCMAKE_PREFIX_PATH={session.ROOT}/.deps/usr;/opt/x")
        for argument in ("-DTUT_X=.deps/usr", "-G", "Ninja"):
            self.assertEqual(session.from_root(argument), argument)


class Builds(Folder):
    TESTS = '''add_test([=[07.test]=] "{0}/bin/ch07_test")
set_tests_properties([=[07.test]=] PROPERTIES  LABELS "07" TIMEOUT "300" _BACKTRACE_TRIPLES "a;1")
add_test([=[learn]=] "{0}/bin/learn_test")
set_tests_properties([=[learn]=] PROPERTIES  LABELS "learn" TIMEOUT "300")
add_test([=[gate]=] "{0}/bin/gate_test")
set_tests_properties([=[gate]=] PROPERTIES  LABELS "common;host")
add_test([=[05.same]=] "/usr/bin/cmake" "-DPROGRAM={0}/bin/ch05_ladder" "-P" "{1}/tests/x.cmake")
set_tests_properties([=[05.same]=] PROPERTIES  LABELS "05")
'''

    def setUp(self):
        super().setUp()
        (self.root / "CTestTestfile.cmake").write_text(self.TESTS.format(self.root, programs.ROOT))

    def test_only_the_programs_of_tests_that_ask_something_of_a_gpu_are_built(self):
        self.assertEqual(programs.test_targets(self.root), ["ch05_ladder", "ch07_test"])

    def test_a_bundles_tests_know_their_folder_when_they_are_used(self):
        lines = [programs.moved(line, self.root) for line in programs.test_files(self.root)]
        self.assertEqual(lines[0], 'add_test([=[07.test]=] "${CMAKE_CURRENT_LIST_DIR}/bin/ch07_test")')
        self.assertNotIn("BACKTRACE", lines[1])
        self.assertIn('"$ENV{TUT_ROOT}/tests/x.cmake"', lines[6])

    def test_programs_of_older_code_are_not_measured(self):
        self.script("ninja", 'echo "[1/2] g++ -O2 x.o -o bin/ch07_bench && :"')
        for name in ("ch07_bench", "ch09_bench"):
            (self.root / "bin").mkdir(exist_ok=True)
            (self.root / "bin" / name).touch()
        session = types.SimpleNamespace(folder=self.root, bin=self.root / "bin")
        with mock.patch.dict(os.environ, PATH=f"{self.root}:{os.environ['PATH']}"):
            self.assertEqual(programs.out_of_date(session, ["ch07_bench", "ch09_bench", "ch12_bench"]),
                             ["ch07_bench", "ch12_bench"])


if __name__ == "__main__":
    unittest.main()
