"""The device's bounds, the chapters' benchmarks and the search for tile shapes."""
import json
import statistics
import subprocess
import time

from . import clock

# Seconds of one size of the search.
TUNER_SECONDS = {"4096": 25, "8192": 75}


def journal_lines(text):
    """The whole lines of a journal; one that a kill cut off is not among them."""
    return [json.loads(line) for line in text.split("\n")[:-1]]


class Rows:
    """What a journal (common/tut/bench/bench_journal.hpp) tells of the rows."""

    def __init__(self, text):
        self.context, self.labels, self.times, self.errors = {}, {}, {}, {}
        self.at = ""  # the row that was begun last
        for line in journal_lines(text):
            self.context.update(line.get("context", {}))
            row = line.get("row")
            if "label" in line:
                self.at = row
                self.labels[row] = line["label"]
            elif "error" in line:
                self.errors[row] = line["error"]
            elif "seconds" in line:
                iterations, times = self.times.get(row, (None, []))
                if iterations != line["iterations"]:  # their number was still looked for
                    times = []
                self.times[row] = (line["iterations"], [*times, line["seconds"]])

    def measured(self):
        return [row for row in self.labels if row in self.times and row not in self.errors]

    def results(self, **context):
        """In Google Benchmark's format: every repetition, and their median."""
        rows = []
        for row, label in self.labels.items():
            common = {"run_name": row, "label": label}
            if row in self.errors:
                rows.append({"name": row, **common, "run_type": "iteration", "error_occurred": True,
                             "error_message": self.errors[row]})
            elif row in self.times:
                iterations, times = self.times[row]
                rows += [{"name": row, **common, "run_type": "iteration", "repetitions": len(times),
                          "repetition_index": i, "iterations": iterations, **figures(label, seconds)}
                         for i, seconds in enumerate(times)]
                rows.append({"name": row + "_median", **common, "run_type": "aggregate",
                             "aggregate_name": "median", "repetitions": len(times),
                             **figures(label, statistics.median(times))})
        return {"context": {**self.context, **context}, "benchmarks": rows}


def figures(label, seconds):
    step = json.loads(label)
    row = {"real_time": 1e6 * seconds, "time_unit": "us"}
    for amount, rate in (("flops", "FLOP/s"), ("bytes", "bytes/s")):
        if step.get(amount) and seconds > 0:
            row[rate] = step[amount] / seconds
    return row


class Collector:
    """Keeps a result file in step with a journal."""

    def __init__(self, session, journal, target, context):
        self.session, self.journal, self.target, self.context = session, journal, target, context
        self.size = 0
        journal.unlink(missing_ok=True)

    def rows(self):
        return Rows(self.journal.read_text() if self.journal.exists() else "")

    def write(self, **context):
        rows = self.rows()
        if rows.context:
            self.session.write(self.target, rows.results(**self.context, **context))

    def __call__(self):
        size = self.journal.stat().st_size if self.journal.exists() else 0
        if size == self.size:
            return False
        self.size = size
        self.write(incomplete="still running")
        return True


def list_rows(session, program):
    """The names of a benchmark's rows; empty if it does not say."""
    try:
        ran = subprocess.run([str(program), "--benchmark_list_tests"], check=False, text=True,
                             capture_output=True, timeout=max(1.0, min(60, session.left())),
                             env=session.whole_environment())
    except (OSError, subprocess.TimeoutExpired):
        return []
    return ran.stdout.split("\n")[:-1] if ran.returncode == 0 else []


def run_journalled(session, name, flags, seconds, expected, **context):
    """Runs a benchmark; returns how it ended and its rows. NAME.json has them as soon as they are
    measured."""
    collect = Collector(session, session.work / f"{name}.jsonl", f"{name}.json",
                        {"date": time.strftime("%Y-%m-%dT%H:%M:%S"), **context})
    job = session.run(session.job(name, [*flags, f"--journal={collect.journal}"], seconds), collect)
    rows = collect.rows()
    missing = [row for row in expected if row not in rows.times and row not in rows.errors]
    fault = job.fault()
    if missing or fault:
        done = len(expected) - len(missing)
        fault = f"{fault or 'rows are missing'}: {done} of {len(expected)} rows" + \
            (f", at {rows.at}" if fault and rows.at else "")
        collect.write(incomplete=fault)
    else:
        collect.write()
    return fault, rows


def roofs(session):
    program = session.bin / "ch07_bench"
    fault, rows = run_journalled(session, "roofs", [program, "--roofs"], 60, [])
    found = {key: value for key, value in rows.context.items() if key.startswith("roof_")}
    for key, value in found.items():
        print(f"   {key[5:]}: {value}")
    if not fault and session.on_gpu and not found:
        fault = "no bound was measured"
    return {"ok": not fault, "problem": fault, "roofs": found}


def chapter_rows(session, number):
    """The names of a chapter's rows; they are asked for once, since a program takes a while to find its
    GPU."""
    program = session.bin / f"ch{number}_bench"
    if number not in session.rows:
        session.rows[number] = list_rows(session, program) if program.exists() else []
    return session.rows[number]


def chapter_wants(session, number):
    """Seconds that a chapter's benchmark would like to have."""
    return clock.bench_seconds(len(chapter_rows(session, number)) or 10, *clock.SETTINGS[0])


def chapter(session, number, seconds):
    """Times the rows of a chapter; with the CPU backend counts what its kernels ask of memory."""
    counts = session.bin / f"ch{number}_counts"
    if not session.on_gpu and counts.exists():
        target = session.work / f"{number}.json"
        job = session.run(session.job(number, [counts, "--json", target]))
        return {"ok": not job.fault(), "problem": job.fault()}
    program = session.bin / f"ch{number}_bench"
    if not program.exists():
        return session.skip(f"{program.name} is not there")
    expected = chapter_rows(session, number)
    repetitions, min_time = clock.settings_for(len(expected), seconds)
    flags = [program, f"--benchmark_repetitions={repetitions}", f"--benchmark_min_time={min_time}"]
    print(f"   {len(expected)} rows, {repetitions} times {min_time} s each, in about {seconds:.0f} s",
          flush=True)
    fault, rows = run_journalled(session, number, flags, clock.stop_after(session.left(), seconds),
                                 expected, asked_repetitions=repetitions, asked_min_time=min_time)
    wrong = [f"{row}: {error}" for row, error in rows.errors.items()]
    problem = "; ".join(([fault] if fault else []) + (
        [f"{len(wrong)} wrong rows, such as {wrong[0]}"] if wrong else []))
    if not expected and not problem:
        problem = "it has no rows"
    return {"ok": not problem, "problem": problem, "rows": len(rows.measured()),
            "expected": len(expected), "wrong": wrong}


def tuner(session, seconds):
    """Chapter 07's search for tile shapes, at both sizes that the chapter speaks of."""
    if not session.on_gpu:
        return session.skip("times of the CPU backend rank nothing")
    faults = []
    for size, usual in TUNER_SECONDS.items():
        name = f"07_tuner_{size}"
        target = session.work / f"{name}.json"
        part = seconds * usual / sum(TUNER_SECONDS.values())
        target.unlink(missing_ok=True)
        job = session.run(session.job(
            name, [session.bin / "ch07_tune", "--size", size, "--json", target],
            clock.stop_after(session.left(), part)), changes_of(target))
        if job.fault():
            faults.append(f"{size}: {job.fault()}")
            known = session.json(target.name)
            if known:  # of the rounds before
                known["context"]["incomplete"] = job.fault()
                session.write(target.name, known)
    return {"ok": not faults, "problem": "; ".join(faults)}


def changes_of(path):
    """Says whether a file that another program writes has changed since it was asked last."""
    known = [None]

    def changed():
        now = path.stat().st_mtime_ns if path.exists() else None
        before, known[0] = known[0], now
        return now != before
    return changed


def cpu_backend(session):
    """The CPU backend's own costs, on the CPU backend."""
    target = session.work / "cpu_backend.json"
    job = session.run(session.job("cpu_backend", [
        session.bin / "simt_bench", f"--benchmark_out={target}", "--benchmark_out_format=json"]))
    return {"ok": not job.fault(), "problem": job.fault()}
