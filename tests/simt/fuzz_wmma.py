#!/usr/bin/env python3
"""Random kernels that call WMMA, compiled split at their barriers and as they were written: the results must
be the same bits.

  fuzz_wmma.py CUCC [--seed N] [--count N] [--keep DIR]

Warps load, multiply and store fragments, in functions and out of them, in loops and conditions that are the
same for a warp's lanes, some of them provably so. Lanes change elements one by one.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

IN_PROGRAM = 3
WARPS = 4

PRELUDE = """\
#include <mma.h>
#include <cstdio>
#include <cstring>
#include <vector>
namespace wmma = nvcuda::wmma;
using Rows = wmma::row_major;
using Cols = wmma::col_major;
struct Tiles {
  alignas(32) TYPE a[WARPS][32][40];
  alignas(32) TYPE b[32][72];
};
__device__ inline bool inside(int row, int limit) { return row + 1 < limit; }
using FloatSum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
template <class Fragment>
__device__ void load_part(Fragment& part, const TYPE* from, unsigned stride, int row, int limit) {
  if (inside(row, limit)) {
    wmma::load_matrix_sync(part, from, stride);
    return;
  }
  wmma::fill_fragment(part, TYPE(0.5f));
}
__device__ void store_sum(float* to, const FloatSum& sum, int row, int limit, float (&edge)[16][24]) {
  if (row < limit) {
    wmma::store_matrix_sync(to, sum, 32, wmma::mem_row_major);
    return;
  }
  __syncwarp();
  wmma::store_matrix_sync(&edge[0][0], sum, 24, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x % 32; i < 256; i += 32) to[i / 16 * 32 + i % 16] = edge[i / 16][i % 16] + 1;
}
__device__ void multiply(const Tiles& tiles, int warp, int k, FloatSum (&sums)[2][2]) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, TYPE, Rows> a[2];
  wmma::fragment<wmma::matrix_b, 16, 16, 16, TYPE, Rows> b;
  for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(a[i], &tiles.a[warp][16 * i][k], 40);
  for (int j = 0; j < 2; ++j) {
    wmma::load_matrix_sync(b, &tiles.b[k][16 * j], 72);
    for (int i = 0; i < 2; ++i) wmma::mma_sync(sums[i][j], a[i], b, sums[i][j]);
  }
}
"""

MAIN = """\
int main() {
  const int count = 4096;
  std::vector<TYPE> host(count);
  for (int i = 0; i < count; ++i) host[i] = TYPE((i * 37 % 101 - 50) / 16.0f);
  TYPE* in;
  float* out;
  cudaMalloc(reinterpret_cast<void**>(&in), sizeof(TYPE) * count);
  cudaMalloc(reinterpret_cast<void**>(&out), sizeof(float) * 2 * count);
  cudaMemcpy(in, host.data(), sizeof(TYPE) * count, cudaMemcpyHostToDevice);
  using Kernel = void (*)(const TYPE*, float*, int, int);
  const Kernel kernels[] = {KERNELS};
  for (const Kernel kernel : kernels) {
    for (int n = 0; n < 5; ++n) {
      cudaMemset(out, 0, sizeof(float) * 2 * count);
      kernel<<<2, 32 * WARPS>>>(in, out, n, n * 7 % 3);
      std::vector<unsigned> bits(2 * count);
      cudaMemcpy(bits.data(), out, sizeof(float) * 2 * count, cudaMemcpyDeviceToHost);
      unsigned long long sum = 14695981039346656037ull;
      for (const unsigned x : bits) sum = (sum ^ x) * 1099511628211ull;
      const cudaError_t error = cudaGetLastError();
      std::printf("%016llx%s ", sum, error == cudaSuccess ? "" : cudaGetErrorName(error));
    }
    std::printf("\\n");
  }
}
"""


class Draw:
    """A kernel's statements. Whatever is drawn, all lanes of a warp go the same way."""

    def __init__(self, rng):
        self.rng = rng
        self.depth = 0
        self.serial = 0
        self.together = True  # do all warps come here?

    def condition(self):
        return self.rng.choice([
            "warp < n", "n > 1", "inside(warp, n)", "threadIdx.x / 32 == 1", "busy", "in[warp] > TYPE(0.0f)",
            "(int)(threadIdx.x >> 5) != m", "warp % 2 == 0 && m < 2", "blockIdx.x == 0 || warp < m"])

    def index(self):
        return self.rng.choice(["0", "1", "m % 2", "0", "1"])

    def place(self):
        return f"in + 16 * ({self.rng.choice(['warp', 'm', 'n', '3', 'warp + n'])}) + {self.rng.choice([0, 256, 1024])}"

    def statement(self):
        rng = self.rng
        choices = [self.load, self.load, self.product, self.product, self.product, self.change, self.fill,
                   self.shuffle, self.store, self.call, self.edge]
        if self.depth < 3:
            choices += [self.branch, self.loop, self.warps_loop, self.busy_loop]
        if self.together:
            choices += [self.barrier]
        return rng.choice(choices)()

    def load(self):
        part, order = self.rng.choice([("a", "Rows"), ("b", "Cols")])
        if self.rng.random() < 0.4:
            return [f"load_part({part}[{self.index()}], {self.place()}, {self.rng.choice([16, 32, 40])},"
                    f" {self.rng.choice(['warp', 'm', 'n - 1'])}, n);"]
        return [f"wmma::load_matrix_sync({part}[{self.index()}], {self.place()}, {self.rng.choice([16, 32, 40])});"]

    def product(self):
        i, j = self.index(), self.index()
        other = self.index() if self.rng.random() < 0.3 else j
        return [f"wmma::mma_sync(sums[{i}][{j}], a[{i}], b[{j}], sums[{i}][{other}]);"]

    def change(self):
        i, j = self.index(), self.index()
        return [f"for (int e = 0; e < sums[0][0].num_elements; ++e) sums[{i}][{j}].x[e] += "
                + self.rng.choice(["0.25f", f"sums[{j}][{i}].x[e]", "value", f"0.5f * n"]) + ";"]

    def fill(self):
        i, j = self.index(), self.index()
        return [f"wmma::fill_fragment(sums[{i}][{j}], {self.rng.choice(['1.5f', 'n * 0.5f', '0.0f'])});"]

    def shuffle(self):
        return [self.rng.choice(["value += __shfl_sync(~0u, value, 3);",
                                 "value = __shfl_xor_sync(~0u, value, 1) + warp;", "__syncwarp();"])]

    def store(self):
        return [f"wmma::store_matrix_sync(own + {self.rng.choice([0, 256, 512, 768])}, "
                f"sums[{self.index()}][{self.index()}], 16, wmma::mem_{self.rng.choice(['row', 'col'])}_major);"]

    def call(self):
        if self.rng.random() < 0.5:
            return [f"store_sum(own, sums[{self.index()}][{self.index()}], {self.rng.choice(['warp', 'n', '1'])},"
                    f" {self.rng.choice(['m', 'n', '2'])}, stages[warp]);"]
        return [f"multiply(tiles, warp, {self.rng.choice(['0', '16', '16 * (n % 2)'])}, sums);"]

    def edge(self):
        self.serial += 1
        name = f"edge_{self.serial}"
        return ["{", f"float (&{name})[16][24] = stages[warp];", "__syncwarp();",
                f"wmma::store_matrix_sync(&{name}[0][0], sums[{self.index()}][0], 24, wmma::mem_row_major);",
                "__syncwarp();", f"value += {name}[lane % 16][lane / 16];", "__syncwarp();", "}"]

    def barrier(self):
        return ["__syncthreads();"]

    def block(self, header, together):
        before = self.together
        self.depth += 1
        self.together = together
        inner = [line for _ in range(self.rng.randint(1, 3)) for line in self.statement()]
        self.depth -= 1
        self.together = before
        return [header + " {"] + inner + ["}"]

    def branch(self):
        lines = self.block(f"if ({self.condition()})", False)
        if self.rng.random() < 0.4:
            lines += self.block("else", False)
        return lines

    def loop(self):
        self.serial += 1
        i = f"i_{self.serial}"
        limit = self.rng.choice(["2", "n", "m + 1"])
        return self.block(f"for (int {i} = 0; {i} < {limit}; ++{i})", self.together)

    def warps_loop(self):
        self.serial += 1
        i = f"r_{self.serial}"
        return self.block(f"for (int {i} = warp; {i} < n + 2; {i} += {self.rng.choice([2, 4])})", False)

    def busy_loop(self):
        self.serial += 1
        i = f"i_{self.serial}"
        return self.block(f"for (int {i} = 0; {i} < 2 && busy; ++{i})", False)

    def kernel(self, name):
        body = [line for _ in range(self.rng.randint(5, 12)) for line in self.statement()]
        head = f"__global__ void {name}(const TYPE* in, float* out, int n, int m) {{"
        start = """\
__shared__ Tiles tiles;
__shared__ alignas(32) float stages[WARPS][16][24];
const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
const bool busy = warp + 1 < n;
float* own = out + (blockIdx.x * WARPS + warp) * 1024;
for (int i = lane; i < 32 * 40; i += 32) tiles.a[warp][i / 40][i % 40] = in[i];
for (int i = threadIdx.x; i < 32 * 72; i += 32 * WARPS) tiles.b[i / 72][i % 72] = in[i];
__syncthreads();
wmma::fragment<wmma::matrix_a, 16, 16, 16, TYPE, Rows> a[2];
wmma::fragment<wmma::matrix_b, 16, 16, 16, TYPE, Cols> b[2];
FloatSum sums[2][2];
float value = in[threadIdx.x];
for (auto& line : sums) {
  for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
}
for (int i = 0; i < 2; ++i) {
  wmma::fill_fragment(a[i], TYPE(1.0f));
  wmma::load_matrix_sync(b[i], in + 64 * i, 32);
}"""
        end = """\
for (int e = 0; e < 8; ++e) sums[0][1].x[e] += value;
for (int i = 0; i < 2; ++i) {
  for (int j = 0; j < 2; ++j) {
    wmma::store_matrix_sync(own + i * 512 + j * 16, sums[i][j], 32, wmma::mem_row_major);
  }
}
}"""
        return "\n".join([head, start, *body, end, ""])


def program(seed):
    rng = random.Random(seed)
    kind = rng.choice(["__half", "__nv_bfloat16"])
    names = [f"kernel_{i}" for i in range(IN_PROGRAM)]
    text = PRELUDE + "".join(Draw(rng).kernel(name) for name in names)
    text += MAIN.replace("KERNELS", ", ".join(names))
    return text.replace("TYPE", kind).replace("WARPS", str(WARPS))


def build_and_run(cucc, source, policy, optimisation="-O0"):
    target = source.with_suffix("." + policy)
    environment = dict(os.environ, CUCC_SPLIT=policy)
    built = subprocess.run([cucc, optimisation, "-fwrapv", "-std=c++20", "--split-report", str(source), "-o", str(target)],
                           env=environment, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        return None, built.stderr, 0
    ran = subprocess.run([str(target)], capture_output=True, text=True, check=False, timeout=120)
    return ran.stdout, ran.stderr, built.stderr.count("runs cut at its barriers")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cucc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1, help="of programs")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    failures = kernels = split = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.count):
            seed = f"{options.seed}.{number}"
            source = (options.keep or pathlib.Path(folder)) / f"wmma_{seed}.cu"
            source.write_text(program(seed))
            whole, whole_says, _ = build_and_run(options.cucc, source, "off")
            cut, cut_says, cut_count = build_and_run(options.cucc, source, "strict")
            kernels += IN_PROGRAM
            split += cut_count
            if whole is None or cut is None:
                failures += 1
                print(f"{seed}: does not compile\n{(whole_says if whole is None else cut_says)[:3000]}")
            elif whole != cut or "cuda" in whole:
                failures += 1
                for i, (a, b) in enumerate(zip(whole.splitlines(), cut.splitlines())):
                    if a != b or "cuda" in a:
                        print(f"{seed}: kernel_{i} differs\n  whole {a}\n  split {b}\n{whole_says}{cut_says}")
    print(f"{kernels} kernels, {split} split, {failures} programs fail")
    if split * 4 < kernels:
        print("too few are split to say anything")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
