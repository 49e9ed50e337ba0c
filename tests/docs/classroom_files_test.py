"""Files of docs/classroom that other programs read are what those programs take."""
import json
import pathlib
import re
import shutil
import subprocess
import tomllib
import unittest

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/classroom"
NOTEBOOK = json.loads((FOLDER / "colab.ipynb").read_text())
COMMANDS = re.compile(r"^\s*!?\s*\./learn (?:--backend \w+ )?(\w+)", re.M)


def cell_faults(cell):
    """What nbformat 4 refuses in a cell."""
    fields = {"markdown": {"cell_type", "metadata", "source"},
              "code": {"cell_type", "metadata", "source", "outputs", "execution_count"}}
    faults = []
    if set(cell) != fields.get(cell.get("cell_type")):
        return [f"the fields {sorted(cell)} of a cell of type {cell.get('cell_type')}"]
    source = cell["source"]
    if not isinstance(source, list) or not source or not all(isinstance(line, str) for line in source):
        return ["a source that is no list of lines"]
    if any(not line.endswith("\n") for line in source[:-1]) or source[-1].endswith("\n"):
        faults.append("lines that do not end as they should")
    if cell["cell_type"] == "code" and (cell["outputs"] != [] or cell["execution_count"] is not None):
        faults.append("a cell with results")
    return faults


def notebook_faults(notebook):
    if set(notebook) != {"nbformat", "nbformat_minor", "metadata", "cells"}:
        return [f"the fields {sorted(notebook)}"]
    faults = [] if (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 0) else ["not the format 4.0"]
    names = [cell.get("metadata", {}).get("id") for cell in notebook["cells"]]
    if None in names or len(set(names)) != len(names):
        faults.append("cells without a name of their own")
    return faults + [fault for cell in notebook["cells"] for fault in cell_faults(cell)]


def code_cells():
    return ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def known_commands():
    source = "".join(path.read_text() for path in (ROOT / "common/learn").glob("cli*.cpp"))
    return set(re.findall(r'\badd\(\s*\w+,\s*"(\w+)"', source))


class Notebook(unittest.TestCase):
    def test_it_is_a_notebook(self):
        self.assertEqual(notebook_faults(NOTEBOOK), [])

    def test_what_is_none_is_found(self):
        cell = {"cell_type": "code", "metadata": {"id": "a"}, "source": ["x\n", "y"], "outputs": [], "execution_count": None}
        whole = {"nbformat": 4, "nbformat_minor": 0, "metadata": {}, "cells": [cell]}
        self.assertEqual(notebook_faults(whole), [])
        for change in ({"source": ["x", "y"]}, {"source": "x"}, {"source": ["x\n"]}, {"cell_type": "markdown"},
                       {"outputs": [{}]}, {"id": "a"}, {"metadata": {}}):
            self.assertEqual(len(notebook_faults({**whole, "cells": [{**cell, **change}]})), 1, change)
        self.assertEqual(len(notebook_faults({**whole, "cells": [cell, cell]})), 1)
        self.assertEqual(len(notebook_faults({**whole, "nbformat_minor": 5})), 1)

    def test_it_asks_colab_for_a_gpu_and_the_reader_for_an_address(self):
        self.assertEqual(NOTEBOOK["metadata"]["accelerator"], "GPU")
        self.assertIn('REPOSITORY = "" #@param', code_cells()[0])

    def test_python_in_it_compiles_and_so_does_bash(self):
        for code in code_cells():
            if code.startswith("%%bash\n"):
                result = subprocess.run(["bash", "-n"], input=code.split("\n", 1)[1], text=True, capture_output=True, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
            elif not code.startswith("%%writefile"):
                compile(re.sub(r"^[!%].*$", "pass", code, flags=re.M), "cell", "exec")

    def test_it_knows_the_commands_and_a_chapter_for_each_choice(self):
        commands = COMMANDS.findall("\n".join(code_cells()))
        self.assertLessEqual({"doctor", "run", "check", "hint", "list"}, set(commands))
        self.assertEqual(set(commands) - known_commands(), set())
        choices = json.loads(re.search(r'CHAPTER = "\d\d" #@param (\[.*\])', code_cells()[0]).group(1))
        for choice in choices:
            self.assertTrue(list(ROOT.glob(f"chapters/{choice}_*/demo.cpp")), choice)

    def test_the_exercise_in_it_is_the_courses(self):
        written = [code for code in code_cells() if code.startswith("%%writefile ")]
        self.assertEqual(len(written), 1)
        first, text = written[0].split("\n", 1)
        course = (ROOT / first.removeprefix("%%writefile ")).read_text()
        self.assertEqual(text + "\n", course)


class Containers(unittest.TestCase):
    def setUp(self):
        self.containerfile = (FOLDER / "Containerfile").read_text()

    def test_the_container_has_what_setting_up_asks_for(self):
        setup = (ROOT / "common/learn/setup.sh").read_text()
        packages = re.findall(r"^  ([a-z0-9.+-]+):\S+$", setup.split("distribution_packages=(")[1].split(")")[0], re.M)
        self.assertGreater(len(packages), 5)
        installed = self.containerfile.split("apt-get install")[1].split("&&")[0].split()
        for package in [*packages, "g++", "cmake", "ninja-build", "bubblewrap", "gdb"]:
            self.assertIn(package, installed)

    def test_what_was_built_elsewhere_stays_out_of_the_container(self):
        built = re.findall(r"^/(\S+)/$", (ROOT / ".gitignore").read_text(), re.M)
        self.assertIn("build", built)
        self.assertEqual((ROOT / ".dockerignore").read_text().split(), built)

    def test_the_development_container_builds_a_stage_that_is_there(self):
        path = ROOT / ".devcontainer/devcontainer.json"
        settings = json.loads(path.read_text())
        self.assertTrue((path.parent / settings["build"]["dockerfile"]).samefile(FOLDER / "Containerfile"))
        self.assertTrue((path.parent / settings["build"]["context"]).samefile(ROOT))
        self.assertIn(f" AS {settings['build']['target']}\n", self.containerfile)
        self.assertIn(f"useradd --create-home --shell /bin/bash {settings['remoteUser']}", self.containerfile)


class Shell(unittest.TestCase):
    scripts = [FOLDER / "slurm.sh", *(FOLDER / "gradescope" / name for name in ("make_autograder", "setup.sh", "run_autograder"))]

    def test_bash_takes_them(self):
        for script in self.scripts:
            result = subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""), script)
        for script in self.scripts[1:]:
            self.assertTrue(script.stat().st_mode & 0o100, f"{script} cannot be executed")

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_shellcheck_finds_nothing(self):
        result = subprocess.run(["shellcheck", *self.scripts], capture_output=True, text=True, check=False)
        self.assertEqual(result.stdout, "")

    def test_ci_looks_at_them(self):
        checked = (ROOT / ".ci/run").read_text()
        self.assertIn("docs/classroom/slurm.sh docs/classroom/gradescope/{make_autograder,setup.sh,run_autograder}", checked)


@unittest.skipUnless(yaml, "PyYAML is not installed (apt-get install python3-yaml)")
class Workflows(unittest.TestCase):
    def load(self, name):
        workflow = yaml.safe_load((FOLDER / name).read_text())
        # YAML 1.1 takes the word "on" for true.
        return workflow, workflow[True], next(iter(workflow["jobs"].values()))

    def test_the_students_workflow(self):
        workflow, events, job = self.load("github-actions.yml")
        self.assertIn("push", events)
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        self.assertEqual(job["container"], "debian:12")
        self.assertIn('./learn check "$name"', job["steps"][-1]["run"])

    def test_the_instructors_workflow(self):
        _, events, job = self.load("github-actions-grade.yml")
        self.assertEqual(list(events), ["workflow_dispatch"])
        self.assertNotIn("container", job)  # in one, bwrap cannot make namespaces
        text = "\n".join(step.get("run", "") for step in job["steps"])
        self.assertIn("./learn grade --assignment", text)
        self.assertIn("sysctl -e -w", text)  # a runner without AppArmor has no such setting
        self.assertNotIn("${{", text)  # what comes from outside gets into a script by its environment only

    def test_bash_takes_every_step(self):
        for name in ("github-actions.yml", "github-actions-grade.yml"):
            steps = self.load(name)[2]["steps"]
            for step in steps:
                self.assertEqual("run" in step, "uses" not in step)
                result = subprocess.run(["bash", "-n"], input=step.get("run", ""), text=True, capture_output=True, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""), step)

    def test_the_secret_gets_in_front_of_the_assignment(self):
        script = self.load("github-actions-grade.yml")[2]["steps"][-2]["run"]
        program = script.split("<<'PY'\n")[1].split("\nPY\n")[0]
        secret = 'a "quoted" \\ word, and é'
        made = subprocess.run(["python3", "-c", program, ROOT / "tests/docs/classroom_assignment.toml"],
                              env={"SECRET": secret, "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"}, text=True,
                              encoding="utf-8", capture_output=True, check=True).stdout
        assignment = tomllib.loads(made)
        self.assertEqual(assignment["secret"], secret)
        self.assertEqual([one["name"] for one in assignment["exercise"]], ["matmul_padded", "rotate_tiled"])

    def test_the_assigned_names_are_found(self):
        run = self.load("github-actions.yml")[2]["steps"][-1]["run"]
        program = re.search(r"python3 -c '([^']+)'", run).group(1)
        text = (ROOT / "tests/docs/classroom_assignment.toml").read_text()
        made = subprocess.run(["python3", "-c", program.replace('open("assignment.toml", "rb")', "sys.stdin.buffer")
                               .replace("import tomllib", "import sys, tomllib")],
                              input=text, text=True, capture_output=True, check=True).stdout
        self.assertEqual(made.split(), ["matmul_padded", "rotate_tiled"])


def archives(names):
    """Those of some names by which grading knows archives, of kinds that it reads or not."""
    source = (ROOT / "common/learn/classroom/archive.cpp").read_text()
    lists = re.findall(r"Endings = std::to_array<std::string_view>\(\s*\{(.*?)\}", source, re.S)
    endings = tuple(re.findall(r'"(\.[^"]+)"', "".join(lists)))
    return [name for name in names if name.lower().endswith(endings)]


class Guide(unittest.TestCase):
    def test_a_whole_course_that_is_handed_in_holds_no_archive(self):
        self.assertEqual(archives(["reverse.zip", "a/Reverse.RAR", "reverse.cu.gz", "gz.cu", "zip"]),
                         ["reverse.zip", "a/Reverse.RAR", "reverse.cu.gz"])
        files = (path.relative_to(ROOT).as_posix() for part in ("chapters", "common", "docs", "exercises", "tests")
                 for path in (ROOT / part).rglob("*"))
        self.assertEqual(archives(files), [])

    def test_its_assignment_is_toml_with_exercises_of_the_course(self):
        text = (FOLDER / "README.md").read_text()
        assignment = tomllib.loads(re.search(r"^```toml\n(.*?)^```$", text, re.S | re.M).group(1))
        course = tomllib.loads((ROOT / "exercises/course.toml").read_text())
        names = {exercise["name"] for exercise in course["exercise"]}
        for exercise in assignment["exercise"]:
            self.assertIn(exercise["name"], names)
            shares = [exercise[part] for part in ("values", "safety", "budget") if part in exercise]
            self.assertIn(sum(shares), (0, 100))
        self.assertEqual(set(assignment), {"title", "due", "secret", "late", "exercise"})
        self.assertIsNotNone(assignment["due"].utcoffset())


if __name__ == "__main__":
    unittest.main()
