"""The two ends of measure.py: what a machine has before, and what comes home after."""
import contextlib
import io
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
from measure import home, preflight, programs  # noqa: E402


class Preflight(Folder):
    """Each thing that is missing is named, with the steps that want it."""

    GOOD = {
        "nvidia-smi": "echo 'GPU 1, 580, 345, 1980, 2619, 700, 30, 0, 4'",
        "c++": "echo 12.2.0", "ninja": "echo 1.11", "cmake":
            'case "$*" in *--version*) echo cmake version 3.25.1;; '
            '*) echo "-- probe: Eigen found"; echo "-- probe: cuDNN found";; esac',
        "nvcc": 'case "$*" in *--version*) echo release 13.0, V13;; '
                '*) for last; do :; done; printf "#!/bin/sh\\nexit 0\\n" >"$3"; chmod +x "$3";; esac',
        "ncu": 'echo "\\"smsp__inst_executed.sum\\""',
        "compute-sanitizer": "echo ========= ERROR SUMMARY: 0 errors",
        "python": "echo 2.11.0 True True", "ldd": ":"}

    left = 1000

    def missing(self, **changed):
        """What a machine with these changes lacks."""
        tools = self.root / "tools"
        for name in [path.name for path in tools.glob("*")] if tools.exists() else []:
            (tools / name).unlink()
        for name, text in {**self.GOOD, **changed}.items():
            if text is not None:
                self.script(f"tools/{name}", text)
        (self.root / "data").mkdir(exist_ok=True)
        images = self.root / "data" / "train-images-idx3-ubyte"
        images.unlink(missing_ok=True)
        if changed.get("images", "") is not None:
            images.touch()
        written = {}
        session = types.SimpleNamespace(
            on_gpu=True, builds=True, cmake=[], data=self.root / "data", work=self.root,
            environment={}, whole_environment=lambda: None, left=lambda: self.left,
            write=lambda name, data: written.update(data))
        environment = {"PATH": f"{tools}:/usr/bin:/bin", "CXX": "c++"}
        with mock.patch.dict(os.environ, environment), \
                mock.patch.object(programs, "find_nvcc",
                                  lambda: tools / "nvcc" if (tools / "nvcc").exists() else None), \
                mock.patch.object(preflight.sys, "executable", str(tools / "python")), \
                mock.patch.object(preflight, "libraries", self.fake_libraries), \
                contextlib.redirect_stdout(io.StringIO()) as self.said:
            result = preflight.run(session)
        self.assertEqual(result["ok"], not result["missing"])
        return {name: tuple(written[name]["for"]) for name in result["missing"]}

    def fake_libraries(self, session, scratch):
        return [preflight.Finding("Eigen", "links")]

    def test_nothing_is_missing_where_everything_is_there(self):
        self.assertEqual(self.missing(), {})
        self.assertIn("345 of 1980 MHz", self.said.getvalue())

    def test_each_missing_thing_is_named_with_the_steps_that_want_it(self):
        everything = preflight.MEASURED
        broken = "echo broken >&2; exit 1"
        busy = self.GOOD["nvidia-smi"].replace(", 0, 4", ", 90, 4")
        for name, change, steps in (
                ("PyTorch", {"python": broken}, ("rivals",)),
                ("PyTorch", {"python": "echo 2.11.0 False True"}, ("rivals",)),
                ("ncu", {"ncu": None}, ("counters",)),
                ("ncu", {"ncu": "echo no permission"}, ("counters",)),
                ("compute-sanitizer", {"compute-sanitizer": "echo Device not supported"},
                 ("sanitizers",)),
                ("MNIST", {"images": None}, ("trainer", "rivals")),
                ("ninja", {"ninja": broken}, everything),
                ("nvcc", {"nvcc": "echo release 11.8"}, everything),
                ("a kernel", {"nvcc": None}, everything), ("nvcc", {"nvcc": None}, everything),
                ("ncu", {"nvcc": None, "ncu": None}, ("counters",)),
                ("a kernel", {"nvcc": self.GOOD["nvcc"].replace("exit 0", "exit 1")}, everything),
                ("C++ compiler", {"c++": "echo 9.4.0"}, everything),
                ("cmake", {"cmake": "echo cmake version 3.16.3"}, everything),
                ("GPU", {"nvidia-smi": broken}, everything),
                ("a GPU of one's own", {"nvidia-smi": busy}, everything)):
            self.assertEqual(self.missing(**change).get(name), steps, (name, change))
            self.assertIn(f"MISSING {name}: ", self.said.getvalue())

    def test_what_does_not_answer_is_missing_when_the_time_is_over(self):
        self.left = 0
        self.assertIn("PyTorch", self.missing(python="sleep 1000 & wait"))
        self.assertIn("no answer in 0 s", self.said.getvalue())

    def test_libraries_are_found_linked_and_loaded_or_named(self):
        makes = 'for n in Eigen cuDNN; do printf "#!/bin/sh\\n" >"$2/probe_$n"; done'
        session = types.SimpleNamespace(on_gpu=True, cmake=["-DCMAKE_PREFIX_PATH=/x"], environment={},
                                        left=lambda: 1000)
        for change, missing in (
                ({}, []), ({"ninja": "exit 1"}, ["Eigen", "cuDNN"]),
                ({"ldd": 'case "$1" in *cuDNN) echo "libcudnn.so.9 => not found";; esac'}, ["cuDNN"]),
                ({"cmake": 'echo "-- probe: Eigen missing"; echo "-- probe: cuDNN found"; '
                           'echo "$*" | grep -q -- -DCMAKE_PREFIX_PATH=/x'}, ["Eigen"]),
                ({"cmake": "exit 1"}, ["libraries"])):
            (self.root / "scratch" / "probe").mkdir(parents=True, exist_ok=True)
            for program in (self.root / "scratch" / "probe").glob("*"):
                program.unlink()
            for name, text in {**self.GOOD, "ninja": makes, **change}.items():
                self.script(f"tools/{name}", text)
            with mock.patch.dict(os.environ, PATH=f"{self.root / 'tools'}:/usr/bin:/bin"):
                found = preflight.libraries(session, self.root / "scratch")
            self.assertEqual([f.name for f in found if f.missing], missing, change)


class Home(Folder):
    """One command brings what is in archives to docs/results, with tables and plots."""

    LABEL = json.dumps({"ladder": "m", "size": "8", "step": "s", "order": 0, "rival": False,
                        "flops": 2e6, "bytes": 8, "arithmetic": "fp32"})

    def archive(self, name, steps, **files):
        summary = {"device": "NVIDIA H1 80GB", "backend": "cuda", "commit": "abcdef0123456789",
                   "steps": steps}
        texts = {"summary.json": json.dumps(summary)}
        texts.update((key.replace("_json", ".json"), json.dumps(value)) for key, value in files.items())
        path = self.root / name
        path.write_bytes(tar_of(texts))
        return path

    def bring(self, *archives, **more):
        with mock.patch.object(home, "ROOT", self.root), \
                mock.patch.object(home, "BUILD", self.root / "bin"), \
                mock.patch.object(home, "TOOLS", self.root / "tools"), \
                mock.patch.object(keep_results, "ROOT", self.root), \
                contextlib.redirect_stdout(io.StringIO()) as said, \
                contextlib.redirect_stderr(said):
            status = home.bring(list(archives), **more)
        return status, said.getvalue()

    def setUp(self):
        super().setUp()
        for tool in ("make_tables.py", "check_prose.py"):
            path = self.root / "tools" / tool
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"print('{tool} ran')\n")
        self.script("bin/learn_cli", f"echo \"$@\" >>{self.root}/learnt")
        rows = [{"name": "m/8/s", "run_name": "m/8/s", "run_type": "iteration", "real_time": 2.0,
                 "time_unit": "us", "label": self.LABEL}]
        self.results = {"context": {"chapter": "07_x", "host_name": "box"}, "benchmarks": rows}
        self.good = {"07": {"ok": True, "at": "2026-01-02", "seconds": 1}}

    def test_figures_tables_and_plots_come_from_the_archive(self):
        status, text = self.bring(self.archive("a.tar.gz", self.good, **{"07_json": self.results}))
        self.assertEqual(status, 0, text)
        kept = json.loads((self.root / "docs/results/nvidia-h1-80gb/07.json").read_text())
        self.assertEqual(kept["benchmarks"][0]["ladder"], "m")
        self.assertEqual(kept["context"]["device_in_words"], "NVIDIA H1 80GB")
        self.assertIn("abcdef0123", kept["context"]["conditions"])
        self.assertNotIn("host_name", kept["context"])
        self.assertIn("plot 07 --json", (self.root / "learnt").read_text())
        self.assertIn("--guard", (self.root / "learnt").read_text())
        self.assertIn("make_tables.py ran", text)
        self.assertIn("check_prose.py ran", text)

    def test_several_archives_are_one_if_they_are_of_one_device(self):
        tests = {"tests": {"ok": False, "at": "2026-01-02", "seconds": 1, "problem": "x failed"}}
        one = self.archive("a.tar.gz", self.good, **{"07_json": self.results})
        two = self.archive("b.tar.gz", tests, **{"16_json": self.results})
        status, text = self.bring(one, two, device="h1")
        self.assertEqual(status, 1)
        self.assertIn("tests: FAILED: x failed", text)
        self.assertEqual(sorted(p.name for p in (self.root / "docs/results/h1").glob("*")),
                         ["07.json", "16.json"])
        summary = {"device": "Other", "backend": "cuda", "commit": "abcdef0123456789", "steps": {}}
        two.write_bytes(tar_of({"summary.json": json.dumps(summary)}))
        status, text = self.bring(one, two)
        self.assertEqual(status, 2)
        self.assertIn("another device", text)

    def test_what_cannot_be_done_here_is_said(self):
        (self.root / "bin" / "learn_cli").unlink()
        path = self.archive("a.tar.gz", self.good, **{"07_json": self.results, "counters.csv": "x"})
        status, text = self.bring(path)
        self.assertEqual(status, 1)
        self.assertIn("no plots: build the target `learn_cli`", text)
        self.assertIn("build the target `counters`", text)
        path.write_bytes(b"no archive")
        self.assertEqual(self.bring(path)[0], 2)


if __name__ == "__main__":
    unittest.main()
