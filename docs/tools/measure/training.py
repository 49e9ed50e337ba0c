"""Chapter 16's trainer, alone and beside PyTorch."""
import contextlib
import json
import select
import statistics
import subprocess
import sys

from keep_training import data_of

from . import clock, processes
from .session import ROOT, TOOLS

EPOCHS = 3
SEEDS = range(1, 6)
ROUNDS = 3
BATCH = 256
TRAINING_SECONDS = 120  # for one training
PYTORCH_SECONDS = 240  # for one, of which most is compiling what is to be captured


def missing_data(data):
    """Why there is no MNIST to train on; empty if there is."""
    if any(data.glob("train-images-idx3-ubyte*")):
        return ""
    return f"no MNIST in {data}; --data or TUT_DATA_DIR says where it is, ./learn data mnist gets it"


def missing_torch(session):
    try:
        found = subprocess.run([sys.executable, "-c", "import torch"], check=False,
                               capture_output=True, timeout=min(120, session.left()))
    except subprocess.TimeoutExpired:
        return f"PyTorch of {sys.executable} does not start"
    return "" if found.returncode == 0 else f"{sys.executable} has no PyTorch"


def train(session, name, arguments):
    """What a training says with --json, and what is wrong: one of the two is empty."""
    file = session.work / f"{name}.run"
    job = session.run(session.job(name, [session.bin / "ch16_demo", *arguments, "--data",
                                         session.data, "--json", file], TRAINING_SECONDS))
    if job.fault():
        return None, job.fault()
    run = json.loads(file.read_text())
    file.unlink()
    return run, ""


def epoch_row(runs, epoch):
    results = [run["epochs"][epoch] for run in runs]
    return {"name": f"mnist/epoch_{epoch + 1}", "seeds": len(runs),
            "test_accuracy_percent": 100 * statistics.mean(r["test_accuracy"] for r in results),
            "lowest_percent": 100 * min(r["test_accuracy"] for r in results),
            "train_loss": statistics.mean(r["train_loss"] for r in results),
            "images_per_second": statistics.median(r["images_per_second"] for r in results)}


def trainer(session):
    """Three epochs with each of five seeds; what is there counts, also if a later one is stopped."""
    reason = missing_data(session.data)
    if reason:
        return session.skip(reason)
    runs, problem = [], ""
    for seed in SEEDS:
        run, problem = train(session, "16", ["--epochs", str(EPOCHS), "--seed", str(seed)])
        if problem:
            problem = f"seed {seed}: {problem}"
            break
        runs.append(run)
        context = {"chapter": "16_cnn_trainer",
                   **{key: runs[0][key] for key in ("backend", "settings")},
                   "data": data_of(runs[0])}
        if seed != SEEDS[-1]:
            context["incomplete"] = f"{len(runs)} of {len(SEEDS)} seeds"
        session.write("16.json", {"context": context, "benchmarks": [
            epoch_row(runs, epoch) for epoch in range(EPOCHS)]})
        session.pack()
    return {"ok": not problem, "problem": problem, "seeds": len(runs)}


class TorchProcess:
    """PyTorch, started once for a mode: it trains as often as it is asked to."""

    def __init__(self, session, mode):
        self.session = session
        self.errors = open(session.work / f"rivals.{mode}.log", "wb")
        self.process = subprocess.Popen(
            [sys.executable, str(TOOLS / "torch_mnist.py"), "--serve", "--mode", mode, "--data",
             str(session.data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            cwd=ROOT, start_new_session=True, preexec_fn=processes.end_with_parent)
        self.text = b""

    def ask(self, settings, seconds):
        """The run, and what is wrong: one of the two is empty."""
        until = clock.now() + seconds
        try:
            self.process.stdin.write(json.dumps(settings).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return None, "PyTorch is gone"
        while b"\n" not in self.text:
            self.session.tick()
            if clock.now() > until:
                return None, f"stopped after {seconds:.0f} s"
            if select.select([self.process.stdout], [], [], processes.POLL)[0]:
                piece = self.process.stdout.read1(1 << 16)
                if not piece:
                    return None, "PyTorch is gone"
                self.text += piece
        line, self.text = self.text.split(b"\n", 1)
        run = json.loads(line)
        return (None, run["error"]) if "error" in run else (run, "")

    def end(self):
        processes.end_group(self.process)
        for file in (self.process.stdin, self.process.stdout, self.errors):
            with contextlib.suppress(OSError):  # what was not sent yet
                file.close()


def rival_rows(name, rates):
    """Medians, and how many times as fast as each rival the trainer is."""
    medians = {way: statistics.median(values) for way, values in rates.items() if values}
    rows = [{"name": f"{name}/{way}", "images_per_second": median, "rounds": len(rates[way])}
            for way, median in medians.items()]
    if "here" not in medians:
        return rows
    return rows + [{"name": f"{name}/here_to_{way}", "ratio": medians["here"] / median}
                   for way, median in medians.items() if way != "here"]


class Rivals:
    """The same network, batch and precision here and in PyTorch, in turn, round after round."""

    def __init__(self, session):
        self.session = session
        modes = ("eager", "captured") if session.on_gpu else ("eager",)
        self.torch = {mode: TorchProcess(session, mode) for mode in modes}
        self.context = {"chapter": "16_cnn_trainer"}
        self.rates, self.faults = {}, {}

    def ask(self, way, settings):
        if way == "here":
            arguments = ["--decay", "none"]
            for key, value in settings.items():
                arguments += [f"--{key}", str(value)]
            return train(self.session, "rivals.here", arguments)
        return self.torch[way].ask(settings, min(PYTORCH_SECONDS, self.session.left()))

    def turn(self, network, number_format):
        name = f"{network}/{number_format}/{BATCH}"
        rates = self.rates.setdefault(name, {way: [] for way in ("here", *self.torch)})
        settings = {"network": network, "format": number_format, "batch": BATCH, "epochs": 2}
        for way in rates:
            if way in self.faults or self.session.left() <= 0:
                continue
            run, fault = self.ask(way, settings)
            if fault:
                self.faults[way] = f"{way}, {name}: {fault}"
                print(f"   {self.faults[way]}", flush=True)
                continue
            self.context[way] = run["backend"]
            rates[way].append(run["epochs"][-1]["images_per_second"])
            self.write()

    def write(self, **context):
        rows = [row for name, rates in self.rates.items() for row in rival_rows(name, rates)]
        self.session.write("16_torch.json", {"context": {**self.context, **context},
                                             "benchmarks": rows})
        self.session.pack()
        return len(rows)

    def end(self):
        for process in self.torch.values():
            process.end()


def rivals(session):
    reason = missing_data(session.data) or missing_torch(session)
    if reason:
        return session.skip(reason)
    rivalry = Rivals(session)
    formats = ("fp32", "bf16") if session.on_gpu else ("fp32",)
    try:
        for _ in range(ROUNDS):
            for network in ("small", "example"):
                for number_format in formats:
                    rivalry.turn(network, number_format)
    finally:
        rivalry.end()
    counts = [len(values) for rates in rivalry.rates.values() for values in rates.values()]
    problems = list(rivalry.faults.values())
    if sum(counts) < ROUNDS * len(counts):
        problems.append(f"{sum(counts)} of {ROUNDS * len(counts)} trainings")
    incomplete = {"incomplete": "; ".join(problems)} if problems else {}
    return {"ok": not problems, "problem": "; ".join(problems), "rows": rivalry.write(**incomplete)}
