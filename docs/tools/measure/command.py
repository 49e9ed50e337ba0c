"""The command line, the plan, and the order of the steps."""
import argparse
import os
import pathlib
import shlex
import signal
import sys

from . import benches, checks, clock, home, preflight, programs, training
from .session import ROOT, Session

NAMES = preflight.MEASURED
PLAN_SECONDS = 540
# Each of use alone.
PLAN = (("what is here, and how fast: roofs, benchmarks, tile shapes, the trainer",
         ("preflight", "roofs", "benches", "tuner", "trainer")),
        ("whether it is right: the tests", ("tests",)),
        ("beside PyTorch, and Nsight Compute's counters", ("rivals", "counters")),
        ("whether it is clean: memcheck and racecheck", ("sanitizers",)))
# About the seconds that a step takes, if there are as many.
WANTS = {"roofs": 15, "tuner": 100, "trainer": 60, "rivals": 240, "counters": 120,
         "tests": 300, "sanitizers": 500, "cpu_backend": 60}
DONE = {"roofs": benches.roofs, "trainer": training.trainer, "tests": checks.tests,
        "rivals": training.rivals, "counters": checks.counters, "sanitizers": checks.sanitizers,
        "cpu_backend": benches.cpu_backend}


def in_order_of_worth(asked, backend):
    """The steps that were asked for; `benches` are all chapters."""
    first, later, rest = programs.chapters()
    order = ["preflight", "roofs", *first, "tuner", "trainer", *later, *rest]
    order += ["cpu_backend"] if backend == "cpu" else []
    order += ["tests", "rivals", "counters", "sanitizers"]
    if "benches" in asked:
        asked = [*asked, *first, *later, *rest, "cpu_backend"]
    return [step for step in order if step in asked]


def wanted_seconds(session, step):
    if step.isdigit():
        return benches.chapter_wants(session, step)
    return WANTS[step]


def do(session, step, seconds):
    if step == "tuner":
        return benches.tuner(session, seconds)
    return benches.chapter(session, step, seconds) if step.isdigit() else DONE[step](session)


def programs_are_there(session):
    """Of programs that were built elsewhere: whether they find their libraries here."""
    lost = programs.find_libraries(session) if session.on_gpu else {}
    problem = "; ".join(f"{name} does not find {', '.join(libraries)}"
                        for name, libraries in lost.items())
    return {"ok": not problem, "problem": problem}


def measure(session, steps):
    """Does the steps; what has to be built for them comes after the preflight."""
    results = []
    if steps[:1] == ["preflight"]:
        results.append(session.step("preflight", lambda: preflight.run(session)))
        steps = steps[1:]
    if steps and session.builds:
        results.append(session.step("build", lambda: programs.build(session, steps)))
    if steps:
        results.append(session.step("programs", lambda: programs_are_there(session)))
    wants = {step: wanted_seconds(session, step) for step in steps}
    for i, step in enumerate(steps):
        share = clock.share_of(session.left(), [wants[s] for s in steps[i:]])
        results.append(session.step(step, lambda step=step, share=share: do(session, step, share)))
    return all(results)


def plan_lines(options):
    """The commands that --plan prints."""
    more = []
    for flag, value in options.typed.items():
        if value:
            more += [f"--{flag}", str(value)]
    cmake = ["--", *options.cmake] if options.cmake else []
    lines = []
    for number, (what, steps) in enumerate(PLAN, 1):
        command = ["docs/tools/measure.py", "--deadline", str(options.deadline or PLAN_SECONDS),
                   "--steps", ",".join(steps), *more, *cmake]
        lines += [f"# {number}. {what}", shlex.join(command)]
    return [*lines, "# At home, with the archive of each of them:",
            "docs/tools/measure.py --unpack measured.tar.gz"]


def parser_for(text):
    parser = argparse.ArgumentParser(description=text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--steps", default=",".join(("preflight", *NAMES)),
                        help="some of preflight,%s, or numbers of chapters" % ",".join(NAMES))
    parser.add_argument("--deadline", type=float, metavar="SECONDS",
                        help="everything is over by then, the last archive included")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="where measured.tar.gz goes (default: $OUT, else build)",
                        default=pathlib.Path(os.environ.get("OUT", ROOT / "build")))
    parser.add_argument("--work", type=pathlib.Path, metavar="DIR", help="where results lie before "
                        "they are packed (default: build/measured_BACKEND)")
    parser.add_argument("--programs", type=pathlib.Path, metavar="DIR",
                        help="a folder from --bundle, or a build folder: nothing is built")
    parser.add_argument("--data", type=pathlib.Path, metavar="DIR", help="MNIST's four files (default: "
                        "$TUT_DATA_DIR, else data/mnist)")
    parser.add_argument("--at-once", type=int, default=8, metavar="N", help="tests side by side")
    parser.add_argument("--tools", default="memcheck,racecheck",
                        help="of compute-sanitizer: some of " + ",".join(checks.SANITIZERS))
    parser.add_argument("--archive-limit", type=float, default=15.0, metavar="MIB",
                        help="the archive's size; above it the longest logs are left out")
    parser.add_argument("--preflight", action="store_true", help="--steps preflight")
    parser.add_argument("--plan", action="store_true", help="print commands of %d s, and end"
                        % PLAN_SECONDS)
    parser.add_argument("--bundle", type=pathlib.Path, metavar="DIR",
                        help="build programs for elsewhere, and end")
    parser.add_argument("--unpack", nargs="+", type=pathlib.Path, metavar="FILE",
                        help="bring archives home, and end")
    parser.add_argument("--device", help="with --unpack: the folder under docs/results")
    parser.add_argument("--conditions", help="with --unpack: what else ran, in words")
    parser.add_argument("cmake", nargs="*", help="arguments for cmake, after --")
    return parser


def absolute(path):
    return None if path is None else path.resolve()


def parse(text, arguments):
    parser = parser_for(text)
    options = parser.parse_args(arguments)
    steps = ["preflight"] if options.preflight else options.steps.split(",")
    numbers = [number for group in programs.chapters() for number in group]
    for step in steps:
        if step not in ("preflight", *NAMES, *numbers):
            parser.error(f"--steps has '{step}'; expected some of preflight,{','.join(NAMES)}, "
                         f"{','.join(numbers)}")
    options.tools = options.tools.split(",")
    for tool in options.tools:
        if tool not in checks.SANITIZERS:
            parser.error(f"--tools has '{tool}'; expected some of {','.join(checks.SANITIZERS)}")
    if options.deadline is not None and options.deadline <= 0 or options.at_once < 1:
        parser.error("--deadline and --at-once: expected more than 0")
    # As they were typed: the plan is for another machine.
    options.typed = {name: getattr(options, name) for name in ("programs", "work", "data")}
    options.data = absolute(options.data or pathlib.Path(
        os.environ.get("TUT_DATA_DIR", ROOT / "data" / "mnist")))
    for name in ("out", "work", "programs", "bundle"):
        setattr(options, name, absolute(getattr(options, name)))
    options.steps = in_order_of_worth(steps, options.backend)
    return options


def asked_to_end(number, frame):
    raise SystemExit(128 + number)


def main(text, arguments=None):
    options = parse(text, arguments)
    if options.plan:
        print("\n".join(plan_lines(options)))
        return 0
    if options.unpack:
        return home.bring(options.unpack, options.device, options.conditions)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, asked_to_end)
    options.work = options.work or ROOT / "build" / f"measured_{options.backend}"
    session = Session(options, clock.Deadline(options.deadline))
    try:
        session.open()
    except OSError as error:
        print(f"measure.py: cannot write to {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    if options.bundle:
        steps = [step for step in options.steps if step != "preflight"]
        return 0 if session.step("bundle", lambda: programs.bundle(session, steps, options.bundle)) \
            else 1
    try:
        all_is_well = measure(session, options.steps)
    finally:
        session.pack()
        print(f"results: {session.archive}", flush=True)
    return 0 if all_is_well else 1
