"""Tests, sanitizers, and Nsight Compute's counters."""
import pathlib
import re
import shutil

from compare_counters import ncu_command, read_ncu

from . import processes, programs

# Programs that make errors on purpose. (What a single tool reports by design, a label reports-TOOL says.)
PROVOKE = re.compile(r"^simt\.(errors|sticky|assert)")
SANITIZERS = ("memcheck", "racecheck", "synccheck", "initcheck")
SANITIZER_SECONDS = 120  # for a program
FOUND = 99
# Said of a program that has no use for a GPU, such as the tests of part I.
WITHOUT_CUDA = "terminated before first instrumented API call"
SKIPPED = 77
CTEST_LINE = re.compile(r"^\s*\d+/(\d+) Test\s+#\d+: (\S+) \.*\s*(\*\*\*)?\s*(\S.*?)\s+([\d.]+) sec")


def read_ctest(text):
    """What ctest has said so far: how many tests there are, and those that are over."""
    total, rows = 0, []
    for line in text.splitlines():
        match = CTEST_LINE.match(line)
        if match:
            total = int(match[1])
            rows.append({"name": match[2], "outcome": match[4].lower(), "seconds": float(match[5])})
    return total, rows


def tests(session):
    """The tests, several at a time."""
    log = session.work / "tests.log"
    log.unlink(missing_ok=True)
    size = [0]

    def collect():
        now = log.stat().st_size if log.exists() else 0
        before, size[0] = size[0], now
        if now != before:
            total, rows = read_ctest(log.read_text(errors="replace"))
            session.write("tests.json", {"expected": total, "tests": rows})
        return now != before

    job = session.run(session.job("tests", [
        "ctest", "--test-dir", session.folder, "--output-on-failure", "--no-tests=error",
        "-LE", programs.WITHOUT_GPU, "-j", str(session.at_once)], session.left()), collect)
    total, rows = read_ctest(log.read_text(errors="replace"))
    passed = [row for row in rows if row["outcome"] == "passed"]
    skipped = [row["name"] for row in rows if row["outcome"] == "skipped"]
    wrong = [f"{row['name']} {row['outcome']}" for row in rows
             if row["outcome"] not in ("passed", "skipped")]
    problems = [f"{job.fault()}: {len(rows)} of {total} tests"] if len(rows) < total or \
        (job.fault() and not wrong) else []
    problems += wrong
    if skipped and session.on_gpu:
        problems.append("skipped, so not checked: " + ", ".join(skipped))
    if not rows and not problems:
        problems = ["no test ran"]
    return {"ok": not problems, "problem": "; ".join(problems), "passed": len(passed),
            "expected": total, "not_checked": skipped, "failed": wrong}


def outcome_of(job):
    """What a sanitizer said of a program."""
    if job.stopped:
        return "stopped"
    if WITHOUT_CUDA in job.said(2000):
        return "clean"
    return {0: "clean", FOUND: "found", SKIPPED: "skipped"}.get(job.status, job.fault())


def sanitizers(session):
    """Compute-sanitizer's tools over the test programs, several at a time; what its first tool says of
    all comes before the second."""
    sanitizer = shutil.which("compute-sanitizer")
    if not session.on_gpu or sanitizer is None:
        return session.skip("compute-sanitizer is not here, or the backend is cpu")
    before = session.json("tests.json") or {"tests": []}
    known = {row["name"]: row["seconds"] for row in before["tests"]}
    commands = [c for c in programs.test_commands(session) if not PROVOKE.search(c[0])
                and pathlib.Path(c[1][0]).resolve().parent == session.bin.resolve()]
    commands.sort(key=lambda c: known.get(c[0], 0.0))  # the quickest first: more of them
    jobs = [session.job(f"sanitizers/{tool}.{name}", [
        sanitizer, "--tool", tool, "--error-exitcode", str(FOUND), "--report-api-errors", "no",
        *command], SANITIZER_SECONDS, env=env)
        for tool in session.tools for name, command, env, labels in commands
        if f"reports-{tool}" not in labels]
    rows = []

    def ended(job):
        tool, name = job.name.removeprefix("sanitizers/").split(".", 1)
        rows.append({"test": name, "tool": tool, "outcome": outcome_of(job),
                     "seconds": round(job.took, 1)})
        if rows[-1]["outcome"] == "clean":
            job.log.unlink()
        else:
            print(f"   {tool}: {name}: {rows[-1]['outcome']}", flush=True)
        session.write("sanitizers.json", {"expected": len(jobs), "runs": rows})
        session.pack()

    processes.run_all(jobs, session.at_once, session.tick, ended, session.left)
    wrong = [f"{row['tool']} {row['test']}: {row['outcome']}" for row in rows
             if row["outcome"] != "clean"]
    problems = [f"{len(rows)} of {len(jobs)} runs"] if len(rows) < len(jobs) or not jobs else []
    return {"ok": not problems and not wrong, "problem": "; ".join(problems + wrong),
            "runs": len(rows), "expected": len(jobs)}


def counters(session):
    """Nsight Compute's counters of small launches."""
    if not session.on_gpu or shutil.which("ncu") is None:
        return session.skip("ncu is not here, or the backend is cpu")
    job = session.run(session.job("counters", ncu_command(session.bin / "counters")))
    text = job.log.read_text(errors="replace")
    launches = read_ncu(text)
    (session.work / "counters.csv").write_text(
        "".join(line + "\n" for line in text.splitlines() if line.startswith('"')))
    problem = job.fault()
    if not launches:
        # Often only root may read them.
        print(job.said(1000))
        problem = (problem + ", " if problem else "") + "no counters in what ncu said"
    return {"ok": not problem, "problem": problem, "launches": len(launches)}
