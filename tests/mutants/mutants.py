#!/usr/bin/env python3
"""Mutation testing: are check mode and the tests of the exercises able to fail?

  mutants.py BUILD [--exercise NAME] [--operator NAME] [--sample N --seed S] [--list]
             [--json FILE [--resume]] [--jobs N]

Makes small mistakes in the course's own solutions, one at a time (operators.py), compiles each as
`learn check` would, and runs the exercise's test under check mode and its budget under count mode. A
mutant is found if it does not compile, fails, or does not end. One that the compiler turns into the
same object as the original is no mistake and does not count.

With --resume the outcomes in FILE are kept, of exercises whose solution and test are as they were. FILE
is written after each exercise, so that a long run can be stopped and gone on with.

Fails if less than 97.5 % are found, or less than 95 % of one exercise's (those that survivors.json lists as
harmless, since they change nothing that a program could see, do not count there), or if one survives that
survivors.json does not list with a reason.
BUILD is a tree of the CPU backend, built with Ninja and g++.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import sys
import tempfile

import operators
import report
from cuda_source import Source
from trials import SetupError, Trials, find_exercises

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTED = pathlib.Path(__file__).resolve().parent / "survivors.json"
LEAST_PERCENT = 97.5
LEAST_OF_EXERCISE = 95


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--exercise", action="append", help="only this one; may be repeated")
    parser.add_argument("--operator", action="append", choices=operators.OPERATORS,
                        help="only this one; may be repeated")
    parser.add_argument("--sample", type=int, help="only so many, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the mutants, try none")
    parser.add_argument("--json", type=pathlib.Path, help="write the results there")
    parser.add_argument("--resume", action="store_true", help="keep what the JSON file knows")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def all_mutants(exercises, chosen):
    """Those of the operators that are chosen; of all operators if there are none."""
    return [(exercise, mutant) for exercise in exercises
            for mutant in operators.mutants_of(Source(exercise.source.read_text()))
            if not chosen or mutant.operator in chosen]


def try_one(trials, mutant, folder):
    found = trials.run(mutant.text, folder)
    if found is None and trials.is_equivalent(mutant.text, folder):
        found = "equivalent"
    return found or "survived"


def require_controls(trials, exercises, folder):
    """The unchanged solution must pass, else everything would be 'found'."""
    for exercise in exercises:
        found = trials[exercise].run(exercise.source.read_text(), folder / exercise.name)
        if found:
            raise SetupError(f"{exercise.name}: the unchanged solution fails ({found})")


def try_all(build, chosen, jobs, sampled):
    """Yields the results in order."""
    exercises = list(dict.fromkeys(exercise for exercise, _ in chosen))
    trials = {exercise: Trials(build.resolve(), exercise) for exercise in exercises}
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        folder = pathlib.Path(name)
        require_controls(trials, exercises[:1] if sampled else exercises, folder)
        futures = [pool.submit(try_one, trials[exercise], mutant, folder / str(i))
                   for i, (exercise, mutant) in enumerate(chosen)]
        try:
            for done, ((exercise, mutant), future) in enumerate(zip(chosen, futures), 1):
                yield report.Result(exercise, mutant, future.result(), ROOT)
                if sys.stderr.isatty():
                    print(f"\r{done} of {len(chosen)}", end="", file=sys.stderr)
        finally:
            pool.shutdown(cancel_futures=True)


def split_known(chosen, known):
    """The results that are known, and the mutants that are yet to be tried."""
    results, rest = [], []
    for exercise, mutant in chosen:
        result = report.Result(exercise, mutant, "unknown", ROOT)
        if known[result.key]:
            result.outcome = known[result.key].pop(0)
            results.append(result)
        else:
            rest.append((exercise, mutant))
    return results, rest


def main():
    options = parse_arguments()
    exercises = [exercise for exercise in find_exercises(ROOT)
                 if not options.exercise or exercise.name in options.exercise]
    chosen = all_mutants(exercises, options.operator)
    if not chosen:
        sys.exit("no mutants")
    if options.sample:
        picked = random.Random(options.seed).sample(range(len(chosen)), options.sample)
        chosen = [chosen[i] for i in sorted(picked)]
    if options.resume and not options.json:
        sys.exit("mutants.py: --resume goes on with a file; expected --json FILE as well")
    if options.list:
        for exercise, mutant in chosen:
            print(f"{exercise.source.relative_to(ROOT)}:{mutant.line}: {mutant.operator}: "
                  f"{mutant.before}  =>  {mutant.after or '(nothing)'}")
        return 0
    versions = {str(exercise.source.relative_to(ROOT)): report.version_of(exercise, ROOT)
                for exercise in exercises}
    known = report.read_known(options.json, versions) if options.resume else \
        collections.defaultdict(list)
    results, rest = split_known(chosen, known)
    try:
        for result in try_all(options.build, rest, options.jobs, bool(options.sample)):
            if options.json and results and results[-1].file != result.file:
                report.write_json(results, options.json, versions)
            results.append(result)
    except SetupError as error:
        sys.exit(f"mutants.py: {error}")
    results.sort(key=lambda result: result.file)
    if options.json:
        report.write_json(results, options.json, versions)
    listed = json.loads(LISTED.read_text())
    partial = options.sample or options.operator
    report.print_tables(results)
    faults = report.faults(results, listed, LEAST_PERCENT, not partial and not options.exercise,
                           None if partial else LEAST_OF_EXERCISE)
    print("\n".join(faults) if faults else "every survivor is listed with its reason")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
