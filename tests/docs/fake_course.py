"""A course in a scratch folder, whose `./learn` grades by whether a file has the word "right" in it.

The scripts of docs/classroom are tried with it. What its file `mode` says changes how it grades: no_bwrap
(only with --unsafe), broken (never), forged (more points than there are), silent (nothing is written),
killed (the script that called it ends by SIGKILL).
"""
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECRET = "salt and vinegar"
ASSIGNMENT = f"""title = "Homework 1"
secret = "{SECRET}"
[[exercise]]
name = "matmul_padded"
"""
LEARN = '''#!/usr/bin/env python3
import json, os, pathlib, signal, sys, tarfile, io
root = pathlib.Path(__file__).resolve().parent
args = sys.argv[1:]
with open(os.environ["FAKE_LOG"], "a") as log:
    print("learn", *args, file=log)
if args[:1] == ["--backend"]:
    args = args[2:]
mode = (root / "mode").read_text().strip() if (root / "mode").exists() else "ok"
if args[0] == "list":
    sys.exit(0)
if args[0] == "check":
    sys.exit(0 if "right" in next(root.glob(f"exercises/*/{args[1]}.cu")).read_text() else 1)
if args[0] == "bundle":
    with tarfile.open(args[args.index("--out") + 1], "w:gz") as tar:
        for name in ("learn", "exercises/05_tiles/matmul_padded.cu"):
            tar.add(root / name, "hw1/" + name)
        text = b'title = "Homework 1"\\n[[exercise]]\\nname = "matmul_padded"\\n'
        entry = tarfile.TarInfo("hw1/assignment.toml")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
    sys.exit(0)
assert args[0] == "grade", args
if "--help" in args:
    print("  --times FILE")
    sys.exit(0)
options, folders, rest = {}, [], args[1:]
while rest:
    word = rest.pop(0)
    if word == "--unsafe":
        options[word] = True
    elif word.startswith("--"):
        options[word] = rest.pop(0)
    else:
        folders.append(pathlib.Path(word))
pathlib.Path(options["--assignment"]).read_text()
if mode == "broken" or (mode == "no_bwrap" and "--unsafe" not in options):
    sys.exit("learn: network, files and processes of this machine are not kept from submissions")
if mode == "killed":
    os.kill(os.getppid(), signal.SIGKILL)
    sys.exit(1)
late = {}
if "--times" in options:
    late = dict(line.rsplit(",", 1) for line in pathlib.Path(options["--times"]).read_text().splitlines())
out = pathlib.Path(options["--out"])
out.mkdir(parents=True, exist_ok=True)
lines = ["student,matmul_padded,total"]
for student in sorted(one for folder in folders for one in folder.iterdir() if one.is_dir()):
    files = [f for f in student.rglob("matmul_padded.cu") if not f.is_symlink()]
    score = 999 if mode == "forged" else 10 * any("right" in f.read_text() for f in files)
    lines.append(f"{student.name},{score},{score}")
    if mode == "silent":
        continue
    own = out / "students" / student.name
    own.mkdir(parents=True, exist_ok=True)
    test = {"name": "matmul_padded: values", "score": score, "max_score": 10}
    (own / "results.json").write_text(json.dumps({"score": score, "output": late.get(student.name, ""), "tests": [test]}))
(out / "marks.csv").write_text("\\n".join(lines) + "\\n")
'''
# Programs that would change the machine: they note how they were called.
RECORDS = '#!/bin/sh\necho "$(basename "$0") $*" >>"$FAKE_LOG"\n'
RUNUSER = RECORDS + 'while [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
# Runs the program that it is to start in the folder that it is to bind over the course.
BWRAP = '''#!/usr/bin/env python3
import os, sys
args = sys.argv[1:]
with open(os.environ["FAKE_LOG"], "a") as log:
    print("bwrap", *args, file=log)
run, course = args[args.index("--bind") + 1:args.index("--bind") + 3]
command = args[args.index("timeout") + 2:]
assert command[0] == course + "/learn", command
os.execv(run + "/learn", [run + "/learn", *command[1:]])
'''


def write(path, text, executable=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if executable:
        path.chmod(0o755)


class FakeCourse:
    def __init__(self, scratch, git=True):
        self.scratch, self.root = scratch, scratch / "course"
        self.log = scratch / "log"
        self.log.touch()
        self.log.chmod(0o666)
        write(self.root / "learn", LEARN, True)
        write(self.root / "exercises/05_tiles/matmul_padded.cu", "// TODO\n")
        write(self.root / "solutions/05_tiles/matmul_padded.cu", "right\n")
        write(self.root / "tests/05_tiles/matmul_padded_test.cpp", "test\n")
        write(self.root / ".deps/usr/include/toml++/toml.h", "// headers\n")
        write(self.root / ".gitignore", "/build/\n/.deps/\n/.learn/\n")
        shutil.copytree(ROOT / "docs/classroom", self.root / "docs/classroom")
        self.assignment = scratch / "private/assignment.toml"
        write(self.assignment, ASSIGNMENT)
        for name in ("apt-get", "useradd", "chgrp", "chown", "pkill"):
            write(scratch / "bin" / name, RECORDS, True)
        write(scratch / "bin/apt-cache", "#!/bin/sh\nexit 100\n", True)
        write(scratch / "bin/g++", "#!/bin/sh\necho 11\n", True)
        write(scratch / "bin/runuser", RUNUSER, True)
        write(scratch / "bin/bwrap", BWRAP, True)
        if git:
            for command in (["init", "-q"], ["add", "-A"]):
                subprocess.run(["git", *command], cwd=self.root, check=True)

    def run(self, *command, cwd=None, **environment):
        """Runs a command with the fakes first on PATH."""
        path = f"{self.scratch / 'bin'}:{os.environ['PATH']}"
        known = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        return subprocess.run([str(word) for word in command], cwd=cwd or self.root, text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL,
                              env={**known, "PATH": path, "FAKE_LOG": str(self.log), **environment})

    def calls(self):
        return self.log.read_text()
