"""measure.py without a GPU: the whole plan, deadlines, kills, and nothing undone that counts as done."""
import pathlib
import signal
import sys
import tarfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from rehearsal import Rehearsal, TOOLS  # noqa: E402

sys.path.insert(0, str(TOOLS))
from measure import command  # noqa: E402

MOST_FILES, MOST_BYTES = 8, 16 << 20  # what a rented machine gives back


class Plan(Rehearsal):
    def test_every_command_of_the_plan_does_all_of_its_steps_and_gives_one_file_back(self):
        there = {1: ["roofs.json", "07.json", "14.json", "01.json", "07_tuner_4096.json", "16.json"],
                 2: ["tests.json"], 3: ["16_torch.json", "counters.csv"], 4: ["sanitizers.json"]}
        for number, (_, steps) in enumerate(command.PLAN, 1):
            steps = [step for step in steps if step != "preflight"]
            status, text = self.measure("--deadline", "540", "--steps", ",".join(steps))
            self.assertEqual(status, 0, text)
            self.assertLessEqual(set(there[number]), set(self.packed()))
            files = list(self.out.iterdir())
            self.assertLessEqual(len(files), MOST_FILES)
            self.assertLess(max(file.stat().st_size for file in files), MOST_BYTES)
        # The last archive has what all of them found.
        self.assertLessEqual({name for names in there.values() for name in names}, set(self.packed()))

    def test_steps_come_in_order_of_worth_whatever_was_asked_first(self):
        status, text = self.measure("--steps", "14,tuner,benches,roofs,trainer,tests")
        self.assertEqual(status, 0, text)
        begun = [line[3:] for line in text.splitlines() if line.startswith("== ")]
        self.assertEqual(begun, ["programs", "roofs", "11", "07", "09", "10", "08", "12", "13", "tuner", "trainer",
                                 "14", "03", "04", "05", "01", "02", "tests"])

    def test_the_plan_is_of_commands_that_can_be_given(self):
        lines = command.plan_lines(command.parse("", ["--plan", "--data", "m", "--", "-DX=1"]))
        commands = [line.split()[1:] for line in lines if line.startswith("docs/tools/measure.py --dead")]
        self.assertEqual(len(commands), 4)
        for words in commands:
            options = command.parse("", words)
            self.assertLessEqual(options.deadline, 540)
            self.assertEqual(options.cmake, ["-DX=1"])
            self.assertEqual(str(options.typed["data"]), "m")


class Stops(Rehearsal):
    def test_a_benchmark_that_hangs_is_stopped_and_keeps_its_rows_and_the_next_step_runs(self):
        status, text = self.measure("--steps", "07,09,tests", "--deadline", "10000",
                                    STAND_IN_HANGS="ch07_bench:4")
        self.assertEqual(status, 1)
        self.assertEqual(self.rows("07.json"), [f"step_{i}" for i in range(4)])
        self.assertIn("4 of 6 rows", self.result("07.json")["context"]["incomplete"])
        self.assertIn("stopped", self.step("07")["problem"])
        self.assertTrue(self.step("tests")["ok"], text)

    def test_when_the_deadline_is_over_nothing_is_begun(self):
        status, text = self.measure("--steps", "07,09,tests", "--deadline", "150",
                                    STAND_IN_HANGS="ch07_bench:4")
        self.assertEqual(status, 1)
        self.assertEqual(len(self.rows("07.json")), 4)
        for step in ("09", "tests"):
            self.assertEqual(self.step(step)["problem"], "no time was left")
            self.assertFalse(self.step(step)["ok"])
        self.assertNotIn("09.json", self.packed())

    def test_a_benchmark_that_dies_keeps_its_rows(self):
        status, _ = self.measure("--steps", "09", STAND_IN_DIES="ch09_bench:3")
        self.assertEqual(status, 1)
        self.assertEqual(self.rows("09.json"), ["step_0", "step_1", "step_2"])
        self.assertIn("signal 9", self.step("09")["problem"])

    def test_killed_in_mid_step_the_archive_opens_and_has_every_finished_row(self):
        mark = self.root / "mark"  # not the one that lets the clock leap
        process = self.start("--steps", "09,07", STAND_IN_HANGS="ch07_bench:5",
                             STAND_IN_MARK=str(mark))
        self.wait_for(process, lambda: "step_4" in self.rows("07.json"))
        self.kill(process)
        self.wait_until_gone(int(mark.read_text()))
        self.assertEqual(self.rows("07.json"), [f"step_{i}" for i in range(5)])
        self.assertEqual(self.result("07.json")["context"]["incomplete"], "still running")
        self.assertEqual(self.step("07"), {"ok": False, "problem": "not finished"})

    def test_killed_in_the_tests_the_archive_has_those_that_were_over(self):
        self.set_tests(a="exit 0", b="exit 1", c="sleep 1000")
        process = self.start("--steps", "tests", "--at-once", "1")
        self.wait_for(process, lambda: len(self.result("tests.json")["tests"]) == 2)
        self.kill(process)
        self.assertEqual([(row["name"], row["outcome"]) for row in self.result("tests.json")["tests"]],
                         [("a", "passed"), ("b", "failed")])

    def test_asked_to_end_it_packs_first_and_ends_what_it_started(self):
        process = self.start("--steps", "07", STAND_IN_HANGS="ch07_bench:2",
                             STAND_IN_MARK=str(self.root / "mark"))
        self.wait_for(process, lambda: "step_1" in self.rows("07.json"))
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.wait_until_gone(int((self.root / "mark").read_text()))
        self.assertEqual(self.rows("07.json"), ["step_0", "step_1"])

    def test_the_archive_opens_at_every_moment(self):
        over, faults, opened = threading.Event(), [], [0]

        def look():
            while not over.is_set():
                try:
                    if self.archive.exists():
                        self.packed()
                        opened[0] += 1
                except (OSError, EOFError, tarfile.TarError) as fault:
                    faults.append(fault)

        watcher = threading.Thread(target=look)
        watcher.start()
        status, text = self.measure("--steps", "roofs,benches,trainer")
        over.set()
        watcher.join()
        self.assertEqual((status, faults), (0, []), text)
        self.assertGreater(opened[0], 0)

    def test_a_search_for_tile_shapes_that_is_stopped_keeps_the_rounds_before(self):
        status, _ = self.measure("--steps", "tuner", STAND_IN_DIES="ch07_tune:2")
        self.assertEqual(status, 1)
        kept = self.result("07_tuner_4096.json")
        self.assertEqual(kept["benchmarks"][0]["real_time"], 2.0)
        self.assertIn("signal 9", kept["context"]["incomplete"])

    def test_a_training_that_is_stopped_leaves_the_seeds_before_it(self):
        status, _ = self.measure("--steps", "trainer", STAND_IN_DIES="ch16_demo:4")
        self.assertEqual(status, 1)
        self.assertEqual(self.result("16.json")["benchmarks"][0]["seeds"], 3)
        self.assertEqual(self.result("16.json")["context"]["incomplete"], "3 of 5 seeds")

    def test_without_one_of_pytorchs_modes_the_others_are_compared(self):
        status, _ = self.measure("--steps", "rivals", STAND_IN_DIES="torch_mnist.py:5")
        self.assertEqual(status, 1)
        names = [row["name"] for row in self.result("16_torch.json")["benchmarks"]]
        self.assertIn("small/bf16/256/here_to_eager", names)
        self.assertIn("PyTorch is gone", self.step("rivals")["problem"])
        self.assertIn("trainings", self.result("16_torch.json")["context"]["incomplete"])


class NothingUndone(Rehearsal):
    def test_a_skipped_test_is_a_failure_on_a_gpu_only(self):
        self.set_tests(runs="exit 0", has_no_gpu="exit 77")
        status, text = self.measure("--steps", "tests")
        self.assertEqual(status, 1)
        self.assertIn("skipped, so not checked: has_no_gpu", text)
        self.assertEqual(self.measure("--backend", "cpu", "--steps", "tests")[0], 0)

    def test_what_is_missing_is_a_failure_on_a_gpu_only(self):
        (self.data / "train-images-idx3-ubyte.gz").unlink()
        (self.tools / "ncu").unlink()
        for step, reason in (("trainer", "no MNIST in"), ("rivals", "no MNIST in"),
                             ("counters", "ncu is not here")):
            status, text = self.measure("--steps", step)
            self.assertEqual(status, 1, step)
            self.assertIn(reason, text)
            self.assertEqual(self.measure("--backend", "cpu", "--steps", step)[0], 0, step)

    def test_a_program_that_is_not_there_is_a_failure(self):
        (self.programs / "bin" / "ch08_bench").unlink()
        (self.programs / "bin" / "ch07_tune").unlink()
        status, text = self.measure("--steps", "08,tuner")
        self.assertEqual(status, 1)
        self.assertIn("ch08_bench is not there", text)
        self.assertFalse(self.step("tuner")["ok"])

    def test_a_wrong_row_is_a_failure_and_the_others_are_kept(self):
        status, text = self.measure("--steps", "12", STAND_IN_WRONG="ch12_bench:1")
        self.assertEqual(status, 1)
        self.assertIn("wrong result", text)
        self.assertEqual(self.rows("12.json"), ["step_0", "step_2"])

    def test_on_the_cpu_backend_chapters_are_counted_where_they_can_be(self):
        (self.programs / "bin" / "ch03_counts").symlink_to(self.programs / "bin" / "ch03_bench")
        status, text = self.measure("--backend", "cpu", "--steps", "03,01")
        self.assertEqual(status, 0, text)
        self.assertEqual(self.result("03.json")["context"], {"counted": "true"})
        self.assertEqual(self.rows("01.json"), ["step_0", "step_1"])

    def test_failed_tests_are_named(self):
        self.set_tests(right="exit 0", wrong="exit 1", crashes="kill -SEGV $$")
        status, text = self.measure("--steps", "tests")
        self.assertEqual(status, 1)
        self.assertIn("wrong failed", text)
        self.assertIn("crashes exception", text)
        self.assertEqual(self.step("tests")["passed"], 1)

    def test_sanitizers_find_and_what_does_not_end_is_no_success(self):
        self.set_tests(clean="exit 0", finds="exit 0", never_ends="exit 0", skips="exit 77",
                       by_design="exit 0")
        status, _ = self.measure("--steps", "sanitizers", "--at-once", "1")
        self.assertEqual(status, 1)
        outcomes = {(row["tool"], row["test"]): row["outcome"]
                    for row in self.result("sanitizers.json")["runs"]}
        self.assertEqual(outcomes.pop(("memcheck", "finds")), "found")
        self.assertEqual(outcomes.pop(("racecheck", "never_ends")), "stopped")
        self.assertEqual(outcomes.pop(("memcheck", "skips")), "skipped")
        self.assertEqual(outcomes.pop(("racecheck", "skips")), "skipped")
        self.assertEqual(set(outcomes), {(tool, "clean") for tool in ("memcheck", "racecheck")} | {
            ("memcheck", "never_ends"), ("racecheck", "finds"), ("racecheck", "by_design")})
        self.assertEqual(set(outcomes.values()), {"clean"})

    def test_counters_need_figures_and_leave_the_clocks_alone(self):
        self.assertEqual(self.measure("--steps", "counters")[0], 0)
        self.assertIn("saxpy_kernel", self.packed()["counters.csv"])
        status, text = self.measure("--steps", "counters", STAND_IN_STATUS="ncu:1")
        self.assertEqual(status, 1, text)
        (self.tools / "ncu").unlink()
        (self.tools / "ncu").write_text("#!/bin/sh\necho '==ERROR== no permission to read counters'\n")
        (self.tools / "ncu").chmod(0o755)
        status, text = self.measure("--steps", "counters")
        self.assertEqual(status, 1, text)
        self.assertIn("no counters in what ncu said", text)

    def test_results_of_other_code_or_another_device_are_put_aside(self):
        self.assertEqual(self.measure("--steps", "09")[0], 0)
        (self.tools / "nvidia-smi").unlink()
        (self.tools / "nvidia-smi").write_text("#!/bin/sh\necho Another GPU\n")
        (self.tools / "nvidia-smi").chmod(0o755)
        self.assertEqual(self.measure("--steps", "07")[0], 0)
        self.assertNotIn("09.json", self.packed())
        self.assertTrue((self.root / "work.before" / "09.json").exists())


if __name__ == "__main__":
    unittest.main()
