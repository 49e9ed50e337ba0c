#!/usr/bin/env python3
"""Random kernels, compiled split at their barriers and as they were written: the results must agree.

  fuzz_split.py CUCC [--seed N] [--count N] [--jobs N] [--classes N,...] [--strict] [--keep DIR]

Some programs are compiled with --check as well: those must print the same, and report nothing. A kernel has
a name of its own, SEED.INDEX: `--only SEED.INDEX` draws it again. What differs is reduced to few statements.
Kernels that do not compile split are left whole and counted; with --strict they are failures.
"""
import argparse
import collections
import concurrent.futures
import copy
import itertools
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from fuzz_classes import CLASSES, PRELUDE, Kernel
from fuzz_kernels import Scope

SHAPES = ["dim3(3), dim3(64)", "dim3(2), dim3(37)", "dim3(2, 2), dim3(16, 5)",
          "dim3(1, 2), dim3(8, 3, 2)", "dim3(4), dim3(1)"]
IN_PROGRAM = 40
WATCHED_PROGRAMS = 20  # one of so many is compiled with --check, too
WATCHED_KERNELS = 6

MAIN = """\
int main() {
  constexpr int kCount = 150;
  using Launch = void (*)(dim3, dim3, const int*, int*, int, int, int);
  struct Case { const char* name; Launch launch; int m, w; };
  const Case cases[] = {CASES};
  std::vector<int> host(kCount), result(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = i * 37 % 101;
  int *in, *out;
  cudaMalloc(&in, sizeof(int) * kCount);
  cudaMalloc(&out, sizeof(int) * kCount);
  cudaMemcpy(in, host.data(), sizeof(int) * kCount, cudaMemcpyHostToDevice);
  for (const Case& test : cases) {
    std::printf("%s", test.name);
    int number = 0;
    const auto show = [&](dim3 grid, dim3 block) {
      cudaMemset(out, 0, sizeof(int) * kCount);
      test.launch(grid, block, in, out, kCount, test.m + number, (test.w + number) % 5);
      ++number;
      cudaMemcpy(result.data(), out, sizeof(int) * kCount, cudaMemcpyDeviceToHost);
      unsigned long long sum = 14695981039346656037ull;
      for (int x : result) sum = (sum ^ static_cast<unsigned>(x)) * 1099511628211ull;
      const cudaError_t error = cudaGetLastError();
      std::printf(" %016llx%s", sum, error == cudaSuccess ? "" : cudaGetErrorName(error));
    };
SHAPES    std::printf("\\n");
  }
  cudaFree(in);
  cudaFree(out);
}
"""


class Drawn:
    """A kernel and how to call it."""

    def __init__(self, seed, index, classes):
        rng = random.Random(f"{seed}.{index}")
        self.label = f"{seed}.{index}"
        self.kernel = Kernel(rng, f"kernel_{index}", classes)
        self.items = self.kernel.statements()
        self.arguments = f"{rng.randint(0, 5)}, {rng.randint(0, 4)}"

    def with_items(self, items, number):
        """The same with other statements, to stand beside it in one program."""
        other = copy.copy(self)
        other.items = items
        other.label = f"{self.label}.{number}"
        other.kernel = copy.copy(self.kernel)
        other.kernel.name = f"kernel_of_{number}"
        return other


def program(kernels):
    cases = ", ".join(f'{{"{k.label}", launch_{k.kernel.name}, {k.arguments}}}' for k in kernels)
    shapes = "".join(f"    show({shape});\n" for shape in SHAPES)
    return (PRELUDE + "".join(k.kernel.text(k.items) for k in kernels) +
            MAIN.replace("CASES", cases).replace("SHAPES", shapes))


def line_ranges(kernels):
    """The lines of each kernel in the program."""
    first = PRELUDE.count("\n") + 1
    for kernel in kernels:
        last = first + kernel.kernel.text(kernel.items).count("\n")
        yield first, last
        first = last


class Compiler:
    def __init__(self, cucc, folder, optimisation):
        self.cucc = cucc
        self.folder = folder
        self.options = [optimisation, "-fwrapv", "-std=c++20"]

    def build(self, kernels, policy, *options):
        """The program's path, or None and what the compiler said."""
        source = self.folder / "fuzz.cu"
        source.write_text(program(kernels))
        target = self.folder / ("fuzz_" + (options[0].strip("-") if options else policy))
        # A variable that nobody wrote makes the results differ.
        unwritten = "-ftrivial-auto-var-init=" + ("zero" if policy == "off" else "pattern")
        built = subprocess.run([self.cucc, *self.options, unwritten, *options, str(source), "-o", str(target)],
                               env=dict(os.environ, CUCC_SPLIT=policy), capture_output=True, text=True,
                               check=False)
        return (target, "") if built.returncode == 0 else (None, built.stderr)

    def results(self, target, threads=2):
        """What each kernel printed; what ended the program stands under the name of no kernel."""
        try:
            ran = subprocess.run([str(target)], env=dict(os.environ, SIMT_THREADS=str(threads)),
                                 capture_output=True, text=True, timeout=1800, check=False)
        except subprocess.TimeoutExpired:
            return {"": "it does not end"}
        found = dict(line.split(" ", 1) for line in ran.stdout.splitlines() if " " in line)
        if ran.returncode != 0 or "error:" in ran.stderr:
            found[""] = f"exit status {ran.returncode}: {ran.stderr[:1000]}"
        return found

    def compiling(self, kernels, policy):
        """The kernels that compile, their program, and those in whose lines are errors."""
        left = []
        target = None
        while kernels and target is None:
            target, said = self.build(kernels, policy)
            lines = [int(line) for line in re.findall(r"fuzz\.cu:(\d+):\d+: error", said)]
            wrong = [k for k, (first, last) in zip(kernels, line_ranges(kernels))
                     if any(first <= line < last for line in lines)]
            if target is None:
                left += wrong or kernels
                kernels = [k for k in kernels if k not in left]
        return kernels, target, left

    def differing(self, kernels):
        """Those that give another result when they are compiled as cucc does by default."""
        kernels, whole, _ = self.compiling(kernels, "off")
        split = self.build(kernels, "on")[0] if kernels else None
        if whole is None or split is None:
            return []
        expected, got = self.results(whole), self.results(split)
        return [] if "" in expected else [k for k, _, _ in differences(kernels, expected, got)]


def differences(kernels, expected, got):
    return [(k, expected.get(k.label), got.get(k.label)) for k in kernels
            if expected.get(k.label) != got.get(k.label)]


def smaller(items):
    """Statements with one of them gone, the large ones first, or without the brackets around some."""
    for at, item in sorted(enumerate(items), key=lambda pair: -len(str(pair[1]))):
        yield items[:at] + items[at + 1:]
        if isinstance(item, Scope):
            yield items[:at] + item.items + items[at + 1:]
            for inner in smaller(item.items):
                yield items[:at] + [Scope(item.header, inner, item.footer)] + items[at + 1:]


def reduced(compiler, drawn, rounds=20, candidates=60):
    """The kernel with as few statements as still give two results."""
    for _ in range(rounds):
        tried = [drawn.with_items(items, number)
                 for number, items in enumerate(itertools.islice(smaller(drawn.items), candidates))]
        found = compiler.differing(tried) if tried else []
        if not found:
            break
        drawn = min(found, key=lambda k: len(str(k.items)))
    return drawn


class Examination:
    """What one program shows: lines to print, and a count of the kernels by what became of them."""

    def __init__(self, options, number, kernels):
        self.said = []
        self.count = collections.Counter()
        self.options = options
        self.kernels = kernels
        self.optimisation = "-O2" if number % 5 == 4 else "-O0"
        with tempfile.TemporaryDirectory() as scratch:
            self.compiler = Compiler(options.cucc, pathlib.Path(scratch), self.optimisation)
            self.compare(number % WATCHED_PROGRAMS == 0)

    def compare(self, watched):
        whole, said = self.compiler.build(self.kernels, "off")
        if whole is None:
            return self.fail(self.kernels, said)
        expected = self.compiler.results(whole)
        if "" in expected:
            return self.fail(self.kernels, expected[""])
        split, program_of_split, left = self.compiler.compiling(self.kernels, "strict")
        self.count.update({"split": len(split), "left whole": len(left)})
        if self.options.strict and left:
            self.fail(left, "these do not compile split")
        if split:
            self.judge(split, expected, self.compiler.results(program_of_split, threads=1))
        if left:
            program_of_left, said = self.compiler.build(left, "on")
            if program_of_left is None:
                return self.fail(left, said)
            self.judge(left, expected, self.compiler.results(program_of_left))
        return self.watch(self.kernels[:WATCHED_KERNELS], expected) if watched else None

    def fail(self, kernels, why):
        self.count["failed"] += len(kernels)
        self.said.append(" ".join(k.label for k in kernels) + f": {why[:3000]}")

    def judge(self, kernels, expected, got):
        for drawn, whole, split in differences(kernels, expected, got):
            self.count["different"] += 1
            self.count.update({f"class {c}": 1 for c in drawn.kernel.classes})
            self.said.append(f"{drawn.label} differs (classes {drawn.kernel.classes}, {self.optimisation}): "
                             f"whole {whole}, split {split}")
            if self.count["different"] <= self.options.reduce:
                least = reduced(self.compiler, drawn)
                self.said.append(least.kernel.text(least.items))
        if "" in got:
            self.said.append(got[""])

    def watch(self, kernels, expected):
        program_of_watched, said = self.compiler.build(kernels, "on", "--check")
        if program_of_watched is None:
            return self.fail(kernels, said)
        got = self.compiler.results(program_of_watched)
        self.count["watched"] += len(kernels)
        for drawn, whole, watched in differences(kernels, expected, got):
            self.said.append(f"{drawn.label} differs when watched: whole {whole}, watched {watched}")
        if "" in got:
            self.said.append(got[""])
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("cucc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", "--kernels", type=int, default=IN_PROGRAM)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--classes", help="draw from these alone, as 1,5,12")
    parser.add_argument("--only", help="one kernel, by its name SEED.INDEX")
    parser.add_argument("--reduce", type=int, default=2, help="so many differences of a program are reduced")
    parser.add_argument("--strict", action="store_true", help="every kernel must compile split")
    parser.add_argument("--keep", type=pathlib.Path, help="write the programs there")
    options = parser.parse_args()
    classes = [int(word) for word in options.classes.split(",")] if options.classes else None
    if classes and not set(classes) <= set(CLASSES):
        parser.error(f"the classes are {sorted(CLASSES)}")
    seed, indices = options.seed, range(options.count)
    if options.only:
        seed, indices = (int(word) for word in options.only.split("."))
        indices = [indices]
    drawn = [Drawn(seed, index, classes) for index in indices]
    programs = [drawn[at:at + IN_PROGRAM] for at in range(0, len(drawn), IN_PROGRAM)]
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        for number, kernels in enumerate(programs):
            (options.keep / f"fuzz_{seed}_{number}.cu").write_text(program(kernels))
    total = collections.Counter()
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seen in pool.map(lambda item: Examination(options, *item), enumerate(programs)):
            total.update(seen.count)
            failed = failed or bool(seen.said)
            if seen.said:
                print("\n".join(seen.said), flush=True)
    print(f"seed {seed}: {len(drawn)} kernels, {len(SHAPES)} shapes each: " +
          ", ".join(f"{number} {what}" for what, number in total.items() if number or what == "split"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
