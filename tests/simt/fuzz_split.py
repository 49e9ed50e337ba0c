#!/usr/bin/env python3
"""Random kernels, compiled split at their barriers and as they were written: the results must agree.

  fuzz_split.py CUCC [--seed N] [--kernels N] [--keep DIR]

The kernels are free of races by construction: a thread writes elements of its own, and reads what
others wrote to shared memory only between barriers. A kernel that does not compile split is a
failure as well (CUCC_SPLIT=strict).
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SHAPES = ["dim3(3), dim3(64)", "dim3(2), dim3(37)", "dim3(2, 2), dim3(16, 5)",
          "dim3(1, 2), dim3(8, 3, 2)", "dim3(4), dim3(1)"]


class Kernel:
    """Writes one kernel."""

    def __init__(self, rng, name):
        self.rng = rng
        self.name = name
        self.lines = []
        self.depth = 1
        self.serial = 0
        self.uniform = ["n", "m", "w"]  # the same for all threads
        self.read_only = {"n", "w"}
        self.varying = []  # differ between threads; may be written
        self.fixed = []    # differ between threads; never written
        self.barriers = rng.random() < 0.6

    def say(self, text):
        self.lines.append("  " * self.depth + text)

    def fresh(self, prefix):
        self.serial += 1
        return f"{prefix}{self.serial}"

    def pick(self, *choices):
        return self.rng.choice(choices)

    def uniform_expression(self, depth=0):
        if depth > 1 or self.rng.random() < 0.5:
            return self.pick(str(self.rng.randint(0, 5)), self.rng.choice(self.uniform),
                             "(int)blockIdx.x", "(int)blockDim.x")
        return (f"({self.uniform_expression(depth + 1)} {self.pick('+', '-', '*')} "
                f"{self.uniform_expression(depth + 1)})")

    def expression(self, depth=0):
        if depth > 2 or self.rng.random() < 0.3:
            names = self.varying + self.fixed + self.uniform + ["tx", "(int)threadIdx.y"]
            return self.pick(str(self.rng.randint(0, 9)), self.rng.choice(names))
        form = self.rng.random()
        if form < 0.12:
            return f"in[wrap({self.expression(depth + 1)}, n)]"
        if form < 0.2:
            return (f"({self.expression(depth + 1)} < {self.expression(depth + 1)} ? "
                    f"{self.expression(depth + 1)} : {self.expression(depth + 1)})")
        if form < 0.26:
            return f"min({self.expression(depth + 1)}, {self.expression(depth + 1)})"
        return (f"({self.expression(depth + 1)} {self.pick('+', '-', '*', '^', '&')} "
                f"{self.expression(depth + 1)})")

    def value(self):
        return f"fold({self.expression()})"

    def indices(self):
        self.say(self.pick("const int tx = threadIdx.x;", "int tx = threadIdx.x;"))
        self.say("const int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;")
        self.say("const int threads = blockDim.x * blockDim.y * blockDim.z;")
        block = "(blockIdx.y * gridDim.x + blockIdx.x)"
        self.say(f"const int at = {block} * threads + tid;")
        for _ in range(self.rng.randint(0, 3)):
            name = self.fresh("i")
            kind = self.pick("int", "const int", "unsigned", "const long", "std::size_t", "const auto",
                             "std::int64_t")
            form = self.pick("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + 3 * blockIdx.x",
                             "tx + m", "blockIdx.x * 16 + tx", "2 * threadIdx.x + 1",
                             "blockDim.x - 1 - threadIdx.x", "threadIdx.y * blockDim.x + threadIdx.x",
                             "threadIdx.x + threadIdx.x", "tx - 5")
            self.say(f"{kind} {name} = {form};")
            self.fixed.append(f"(int){name}")

    def declare(self):
        form = self.rng.random()
        if form < 0.2:
            name = self.fresh("u")
            self.say(f"int {name} = {self.uniform_expression()};")
            self.uniform.append(name)
        elif form < 0.35:
            name = self.fresh("c")
            self.say(f"const int {name} = {self.value()};")
            self.fixed.append(name)
        elif form < 0.45:
            name = self.fresh("a")
            self.say(f"int {name}[2] = {{{self.value()}, tx}};")
            self.varying += [f"{name}[0]", f"{name}[1]"]
        else:
            name = self.fresh("v")
            self.say(f"int {name} = {self.value()};")
            self.varying.append(name)

    def assign(self):
        if not self.varying:
            return self.declare()
        name = self.rng.choice(self.varying)
        form = self.rng.random()
        if form < 0.15:
            self.say(f"{self.pick('++', '--')}{name};" if "[" not in name else f"{name}++;")
        elif form < 0.3:
            self.say(f"bump({name}, {self.value()});")
        else:
            self.say(f"{name} {self.pick('=', '+=', '^=', '-=')} {self.value()};")

    def modify_uniform(self):
        names = [name for name in self.uniform if name not in self.read_only]
        name = self.rng.choice(names)
        self.say(self.pick(f"{name} += {self.rng.randint(1, 3)};", f"{name}++;",
                           f"{name} = fold({self.uniform_expression()});"))

    def scope(self, header, body):
        """A statement with a body of its own; names declared inside end with it."""
        kept = [list(self.uniform), list(self.varying), list(self.fixed)]
        self.say(header + " {")
        self.depth += 1
        body()
        self.depth -= 1
        self.say("}")
        self.uniform, self.varying, self.fixed = kept

    def share(self):
        source = self.value()
        self.say(f"tile[tid] = {source};")
        self.say("__syncthreads();")
        if not self.varying:
            name = self.fresh("v")
            self.say(f"int {name} = tx;")
            self.varying.append(name)
        other = self.pick("(tid + 1) % threads", "threads - 1 - tid", "tid ^ (threads > 1 ? 0 : 0)",
                          f"wrap(tid + {self.uniform_expression()}, threads)")
        self.say(f"{self.rng.choice(self.varying)} += fold(tile[{other}]);")
        self.say("__syncthreads();")

    def uniform_loop(self, barriers, level):
        name = self.fresh("k")
        limit = self.pick("3", "(m & 3)", "w", str(self.rng.randint(1, 4)))
        start = self.pick("0", "1")
        if self.rng.random() < 0.2:
            self.say(f"int {name} = {start};")
            self.uniform.append(name)
            self.read_only.add(name)
            self.scope(f"while ({name} < {limit})", lambda: (
                self.block(barriers, level + 1), self.say(f"{name}++;")))
            return

        def body():
            self.uniform.append(name)
            self.read_only.add(name)
            self.block(barriers, level + 1)

        self.scope(f"for (int {name} = {start}; {name} < {limit}; {self.pick('++' + name, name + ' += 2')})",
                   body)

    def thread_loop(self, level):
        """A loop of the thread's own length, left early at times."""
        name = self.fresh("k")

        def body():
            self.fixed.append(name)
            self.block(False, level + 1)
            if self.rng.random() < 0.3:
                self.say(f"if (fold({self.expression()}) > 500) {self.pick('break', 'continue')};")
            self.assign()

        limit = self.pick("(tx & 3)", "1 + tid % 3", f"fold({self.expression()}) % 4")
        self.scope(f"for (int {name} = 0; {name} < {limit}; ++{name})", body)

    def strided_loop(self, level):
        name = self.fresh("s")
        kind = self.pick("int", "unsigned", "std::size_t", "long", "auto")
        begin = self.pick("tid", "threadIdx.x", "tx", "tid + 1", "at")
        step = self.pick("threads", "blockDim.x", "threads", "7")
        limit = self.pick("n", "n", "w * 10", "40")
        if kind in ("unsigned", "std::size_t"):
            limit = f"({kind}){limit}" if kind == "unsigned" else f"(std::size_t)({limit})"

        def body():
            self.fixed.append(f"(int){name}")
            self.block(False, level + 1)
            self.assign()
            if self.rng.random() < 0.5:
                self.modify_uniform()

        self.scope(f"for ({kind} {name} = {begin}; {name} < {limit}; {name} += {step})", body)

    def block(self, barriers, level):
        for _ in range(self.rng.randint(1, 3 if level else 6)):
            form = self.rng.random()
            if form < 0.2:
                self.declare()
            elif form < 0.45 or level > 2:
                self.assign()
            elif form < 0.53 and barriers:
                self.share()
            elif form < 0.62:
                self.uniform_loop(barriers, level)
            elif form < 0.7:
                self.thread_loop(level)
            elif form < 0.86:
                self.strided_loop(level)
            elif form < 0.9:
                self.scope(f"if ({self.uniform_expression()} > 2)",
                           lambda: self.block(barriers, level + 1))
            elif form < 0.94:
                self.scope(f"if (fold({self.expression()}) > 300)", lambda: self.block(False, level + 1))
            elif barriers or level == 0:
                self.modify_uniform()
            else:
                self.assign()

    def text(self):
        self.uniform.append("u0")
        self.indices()
        self.say("int u0 = 1;")
        guarded = not self.barriers and self.rng.random() < 0.5
        if guarded:
            self.say(self.pick("if (at >= n) return;", "if (at >= n || tx > w + 40) return;"))
        self.block(self.barriers, 0)
        result = " + ".join(f"{3 + 2 * k} * {name}" for k, name in
                            enumerate(self.varying + self.fixed + self.uniform))
        self.say(f"if (at < n) out[at] = fold({result});")
        body = "\n".join(self.lines)
        return (f"__global__ void {self.name}(const int* in, int* out, int n, int m, int w) {{\n"
                f"  __shared__ int tile[128];\n{body}\n  (void)tile;\n}}\n")


PRELUDE = """\
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>
__host__ __device__ constexpr int fold(long long x) { return static_cast<int>(((x % 1009) + 1009) % 1009); }
__host__ __device__ constexpr int wrap(long long x, int n) { return static_cast<int>(((x % n) + n) % n); }
__device__ void bump(int& x, int by) { x += by; }
"""

MAIN = """\
int main() {
  constexpr int kCount = 150;
  std::vector<int> host(kCount), result(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = i * 37 % 101;
  int *in, *out;
  cudaMalloc(&in, sizeof(int) * kCount);
  cudaMalloc(&out, sizeof(int) * kCount);
  cudaMemcpy(in, host.data(), sizeof(int) * kCount, cudaMemcpyHostToDevice);
  const auto show = [&](const char* name) {
    cudaMemcpy(result.data(), out, sizeof(int) * kCount, cudaMemcpyDeviceToHost);
    unsigned long long sum = 14695981039346656037ull;
    for (int x : result) sum = (sum ^ static_cast<unsigned>(x)) * 1099511628211ull;
    std::printf("%s %016llx %s\\n", name, sum, cudaGetErrorString(cudaGetLastError()));
  };
"""


def program(seed, count):
    rng = random.Random(seed)
    text = PRELUDE
    main = MAIN
    for index in range(count):
        name = f"kernel_{index}"
        text += Kernel(rng, name).text()
        for number, shape in enumerate(SHAPES):
            main += (f"  cudaMemset(out, 0, sizeof(int) * kCount);\n"
                     f"  {name}<<<{shape}>>>(in, out, kCount, {rng.randint(0, 5)}, {rng.randint(0, 4)});\n"
                     f"  show(\"{name} {number}\");\n")
    return text + main + "  return 0;\n}\n"


def run(cucc, policy, source, folder):
    target = folder / policy
    environment = dict(os.environ, CUCC_SPLIT=policy)
    built = subprocess.run([cucc, "-O2", "-fwrapv", "-std=c++20", str(source), "-o", str(target)],
                           env=environment, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        print(f"{source.name} does not compile with CUCC_SPLIT={policy}:\n{built.stderr[:4000]}")
        return None
    ran = subprocess.run([str(target)], capture_output=True, text=True, timeout=120, check=False)
    if ran.returncode != 0:
        print(f"{source.name} with CUCC_SPLIT={policy} exits with {ran.returncode}: {ran.stderr[:2000]}")
        return None
    return ran.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("cucc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", type=int, default=12)
    parser.add_argument("--keep", type=pathlib.Path, help="write the program there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / f"seed_{options.seed}.cu"
        source.write_text(program(options.seed, options.kernels))
        whole = run(options.cucc, "off", source, folder)
        split = run(options.cucc, "strict", source, folder)
        if whole is None or split is None:
            return 1
        wrong = [f"{a}  (split: {b})" for a, b in zip(whole, split) if a != b]
        if wrong or len(whole) != len(split):
            print(f"seed {options.seed}: split and whole differ:\n" + "\n".join(wrong[:10]))
            return 1
    print(f"seed {options.seed}: {options.kernels} kernels, {len(SHAPES)} shapes each: equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
