#!/usr/bin/env python3
"""What a GPU, or its owner, would refuse of compiled kernels, found without a GPU.

    kernel_gate.py [--tools FOLDER] [--ptxas-log FILE] [--limits FILE] BUILD

Looks at the machine code in the objects of the chapters and solutions in BUILD, a build folder of the
CUDA backend:

  registers  times the threads of __launch_bounds__, or 1024 without, are more than a block can have
  local      a stack frame, or registers that are spilled to local memory
  generic    loads, stores and atomics that ask the hardware whether an address is of shared memory
  loop       the share of FFMA, HMMA or wgmma's GMMA in a main loop is below what it was

What is known and wanted stands in kernel_gate.toml, each with its reason; an entry that nothing needs
is a fault, too. cuobjdump is looked for beside nvcc, on PATH and in FOLDER, as pip installs it. Where
there is none, `ptxas -v` knows of local memory alone: the output of a build with -Xptxas=-v is read
from --ptxas-log, and what was not checked is said. BUILD/kernel_resources.json gets the kernels'
registers, threads and shared memory, for the test launch_limits.
"""
import argparse
import fnmatch
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
REGISTERS, MOST_THREADS = 65536, 1024
FAMILIES = {"FFMA": ("FFMA", "FFMA2"), "HMMA": ("HMMA",), "GMMA": ("HGMMA", "QGMMA")}
OBJECTS = re.compile(r"/CMakeFiles/(ch\d\d(?:_\w+_object)?|ch\d\d_\w+_solution_kernel|tut_roofline)\.dir/")


class Kernel:
    def __init__(self, symbol, arch):
        self.symbol, self.arch = symbol, arch
        self.name = symbol
        self.registers = self.stack = self.local = self.shared = 0
        self.threads = None  # of __launch_bounds__
        self.code = []  # (address, opcode, target of a branch)


def find_cuobjdump(folders):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    beside = pathlib.Path(nvcc).resolve().parent / "cuobjdump"
    found = [path for folder in folders for path in pathlib.Path(folder).rglob("cuobjdump")]
    for path in [beside, shutil.which("cuobjdump"), *found]:
        if path and pathlib.Path(path).is_file():
            return str(path)
    return None


def readable(names):
    """Demangled, without parameters and namespaces that have no name: ch07::tiles_kernel<true, 64>."""
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                          check=True).stdout
    return [shortened(line) for line in text.splitlines()]


def shortened(name):
    name = name.replace("(anonymous namespace)::", "").replace("tut::", "")
    name = name.replace("(bool)0", "false").replace("(bool)1", "true")
    name = re.sub(r"\([a-z ]+\)(?=-?\d)", "", name)
    depth = 0
    for at, char in enumerate(name):  # up to the parameters
        depth += (char == "<") - (char == ">")
        if char == "(" and depth == 0:
            name = name[:at]
            break
    return name.removeprefix("void ").strip()


def read_usage(text, arch, kernels):
    """cuobjdump -res-usage."""
    symbol = None
    for line in text.splitlines():
        if match := re.search(r"Function (\S+):", line):
            symbol = match[1]
        elif symbol and (match := re.search(r"REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)", line)):
            kernel = kernels.setdefault(symbol, Kernel(symbol, arch))
            kernel.registers, kernel.stack, kernel.shared, kernel.local = map(int, match.groups())
            symbol = None


def read_bounds(text, kernels):
    """cuobjdump -elf: the most threads of a block."""
    symbol = wanted = None
    for line in text.splitlines():
        if match := re.match(r"\.nv\.info\.(\S+)", line):
            symbol = match[1]
        elif "Attribute:" in line:
            wanted = "EIATTR_MAX_THREADS" in line or "EIATTR_REQNTID" in line
        elif wanted and symbol in kernels and (match := re.search(r"Value:\s*((0x[0-9a-f]+\s*)+)", line)):
            x, y, z = (int(value, 16) for value in match[1].split()[:3])
            kernels[symbol].threads = x * y * z


def read_code(text, kernels):
    """cuobjdump -sass."""
    kernel = None
    for line in text.splitlines():
        if match := re.search(r"Function : (\S+)", line):
            kernel = kernels.get(match[1])
        elif kernel and (match := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?\w+ )?\s*([A-Z][\w.]*)(.*)", line)):
            target = None
            if match[2].split(".")[0] == "BRA" and (to := re.search(r"0x([0-9a-f]+)", match[3].split(";")[0])):
                target = int(to[1], 16)
            kernel.code.append((int(match[1], 16), match[2], target))


def read_objects(objects, cuobjdump):
    kernels = []
    for path in objects:
        def dump(*flags, file=path):
            done = subprocess.run([cuobjdump, *flags, str(file)], capture_output=True, text=True)
            if "fatal" in done.stderr:
                raise SystemExit(f"{cuobjdump} {' '.join(flags)} {file}: {done.stderr.strip()}")
            return done.stdout
        parts = dump("-res-usage").split("Fatbin elf code:")[1:]
        for arch in sorted({re.search(r"arch = (\S+)", part)[1] for part in parts}):
            of_file = {}
            only = ("-arch", arch) if len(parts) > 1 else ()
            read_usage(dump("-res-usage", *only), arch, of_file)
            if of_file:
                read_bounds(dump("-elf", *only), of_file)
                read_code(dump("-sass", *only), of_file)
            kernels += of_file.values()
    for kernel, name in zip(kernels, readable([kernel.symbol for kernel in kernels])):
        kernel.name = name
    return kernels


def read_log(text):
    """What ptxas -v said of a build."""
    kernels = {}
    current = None
    for line in text.splitlines():
        if match := re.search(r"(?:Compiling entry function|Function properties for) '?([\w$]+)'?(?: for '(\w+)')?", line):
            current = kernels.setdefault(match[1], Kernel(match[1], match[2] or "?"))
        elif current and (match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill", line)):
            current.stack = max(map(int, match.groups()))
        elif current and (match := re.search(r"Used (\d+) registers", line)):
            current.registers = int(match[1])
    found = [kernel for kernel in kernels.values() if kernel.registers]
    for kernel, name in zip(found, readable([kernel.symbol for kernel in found])):
        kernel.name = name
    return found


def main_loop(code, family):
    """(share, instructions) of the smallest loop that has at least half of what any loop has."""
    loops = []
    for address, opcode, target in code:
        if target is None or target >= address:
            continue
        body = [op for at, op, _ in code if target <= at <= address and not op.startswith("NOP")]
        loops.append((sum(op.split(".")[0] in FAMILIES[family] for op in body), len(body)))
    most = max((count for count, _ in loops), default=0)
    if most == 0:
        return 0.0, 0
    count, size = min((loop for loop in loops if 2 * loop[0] >= most), key=lambda loop: loop[1])
    return count / size, size


def in_block(registers, threads):
    """Registers that a block takes: a warp's come in pieces of 256."""
    warps = -(-threads // 32)
    return warps * (-(-registers * 32 // 256) * 256)


def generic_accesses(kernel):
    return sum(opcode.split(".")[0] in ("LD", "ST", "ATOM") for _, opcode, _ in kernel.code)


class Gate:
    def __init__(self, limits):
        self.limits = limits
        self.used = set()
        self.faults = []

    def allowed(self, rule, kernel):
        for index, entry in enumerate(self.limits.get(rule, [])):
            if fnmatch.fnmatchcase(kernel.name, entry["kernel"]):
                self.used.add((rule, index))
                return entry["most"]
        return 0

    def check_resources(self, kernel):
        local = max(kernel.stack, kernel.local)
        if local > 0 and local > (most := self.allowed("local", kernel)):
            self.faults.append(f"{kernel.name}: local: {local} bytes of local memory a thread; at most {most}")

    def check_registers(self, kernel):
        threads = kernel.threads or MOST_THREADS
        taken = in_block(kernel.registers, threads)
        if taken <= REGISTERS:
            return
        if kernel.threads is None and (most := self.allowed("registers", kernel)):
            taken, threads = in_block(kernel.registers, most), most
            if taken <= REGISTERS:
                return
        cure = "" if kernel.threads else ", which it may have without __launch_bounds__"
        self.faults.append(f"{kernel.name}: registers: {kernel.registers} for each of {threads} threads{cure}: "
                           f"{taken}; a block has {REGISTERS}")

    def check_generic(self, kernel):
        found = generic_accesses(kernel)
        if found and found > (most := self.allowed("generic", kernel)):
            self.faults.append(f"{kernel.name}: generic: {found} accesses that do not say which memory; at most {most}")

    def check_loops(self, kernels):
        for index, entry in enumerate(self.limits.get("loop", [])):
            for kernel in kernels:
                if not fnmatch.fnmatchcase(kernel.name, entry["kernel"]):
                    continue
                self.used.add(("loop", index))
                share, size = main_loop(kernel.code, entry["instruction"])
                if not share >= entry["least"]:
                    self.faults.append(f"{kernel.name}: loop: {entry['instruction']} is {share:.3f} of the "
                                       f"{size} instructions of its main loop; at least {entry['least']}")

    def check_unused(self, rules):
        for rule in rules:
            for index, entry in enumerate(self.limits.get(rule, [])):
                if (rule, index) not in self.used:
                    self.faults.append(f"{entry['kernel']}: {rule}: nothing needs this entry of the limits")


def check(kernels, limits, has_code=True, complete=True):
    """All faults; `complete`: the kernels are all that the limits speak of."""
    gate = Gate(limits)
    for kernel in kernels:
        gate.check_resources(kernel)
        if has_code:
            gate.check_registers(kernel)
            gate.check_generic(kernel)
    rules = ["local"]
    if has_code:
        rules += ["registers", "generic"]
        measured = [kernel for kernel in kernels if kernel.arch == limits.get("architecture", kernel.arch)]
        if measured:
            gate.check_loops(measured)
            rules.append("loop")
    if complete:
        gate.check_unused(rules)
    return gate.faults


def write_resources(kernels, path):
    rows = {kernel.symbol: {"name": kernel.name, "registers": kernel.registers, "shared": kernel.shared,
                            "threads": kernel.threads or MOST_THREADS} for kernel in kernels}
    pathlib.Path(path).write_text(json.dumps(rows, indent=1) + "\n")


def report(kernels, limits, has_code, faults):
    for fault in faults:
        print(fault)
    checked = "local memory"
    if has_code:
        checked = "registers, local memory, generic accesses"
        architecture = limits.get("architecture")
        if any(kernel.arch == architecture for kernel in kernels):
            checked += " and the main loops of " + str(len(limits.get("loop", []))) + " entries"
        else:
            print(f"kernel gate: main loops were not checked: their figures are of {architecture} alone")
    else:
        print("kernel gate: there is only ptxas -v here, no cuobjdump: registers times threads, generic "
              "accesses and main loops were not checked")
    print(f"kernel gate: {len(kernels)} kernels, {checked}: {len(faults)} faults")
    return 1 if faults or not kernels else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--tools", action="append", default=[])
    parser.add_argument("--limits", default=HERE / "kernel_gate.toml")
    parser.add_argument("--ptxas-log")
    options = parser.parse_args()
    limits = tomllib.loads(pathlib.Path(options.limits).read_text())
    cuobjdump = find_cuobjdump(options.tools)
    if cuobjdump is None and options.ptxas_log is None:
        parser.error("no cuobjdump beside nvcc, on PATH or in --tools: build with -Xptxas=-v and give --ptxas-log")
    if cuobjdump is None:
        kernels = read_log(pathlib.Path(options.ptxas_log).read_text())
        return report(kernels, limits, False, check(kernels, limits, has_code=False))
    build = pathlib.Path(options.build)
    objects = sorted(path for path in build.rglob("*.cu.o") if OBJECTS.search(str(path)))
    kernels = read_objects(objects, cuobjdump)
    write_resources(kernels, build / "kernel_resources.json")
    return report(kernels, limits, True, check(kernels, limits))


if __name__ == "__main__":
    sys.exit(main())
