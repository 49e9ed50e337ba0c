#!/usr/bin/env python3
"""Kernels in gdb: sessions of common/learn/debug/cuda_gdb.py in batch mode.

  gdb_test.py CUCC SOURCE

Each session is a list of commands and of what must come out, in this order, each line as a whole; what
comes between does not count. A line that begins with ! must not come out at all. Ends with 77, which
ctest takes for skipped, where there is no gdb with Python.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def line_of(source, text):
    """The number of the one line that has a text."""
    found = [i for i, line in enumerate(source.read_text().splitlines(), 1) if text in line]
    if len(found) != 1:
        sys.exit(f"{source}: '{text}' is on {len(found)} lines; expected one")
    return found[0]


# (what is tested, program, commands, what comes out). @{TEXT} is the line of TEXT in the program.
SESSIONS = [
    ("a condition, and everything by name", "kernels", """
        break kernels.cu:@{value = by(value)} if threadIdx.x == 10
        run
        print threadIdx
        print blockIdx
        print blockDim
        print gridDim
        print n
        print by
        print in[i]
        info locals
        print i
        """, """
        [scale, block (0,0,0), thread (10,0,0) at kernels.cu:@{value = by(value)}]
        $1 = {x = 10, y = 0, z = 0}
        $2 = {x = 0, y = 0, z = 0}
        $3 = {x = 32, y = 1, z = 1}
        $4 = {x = 2, y = 1, z = 1}
        $5 = 64
        $6 = {factor = 3}
        $7 = 10
        i = 10
        value = 10
        $8 = 10
        """),
    ("a kernel's name stops in its first thread, and steps go line by line", "kernels", """
        break scale
        run
        next
        next
        next
        step
        finish
        next
        step
        backtrace
        next
        next
        next
        """, """
        [scale, block (0,0,0), thread (0,0,0) at kernels.cu:@{const int i = }]
        @{const int i = } const int i = blockIdx.x * blockDim.x + threadIdx.x;
        @{if (i >= n)} if (i >= n) return;
        @{value = in[i]} float value = in[i];
        @{value = by(value)} value = by(value);
        [shapes::Scale::operator(), block (0,0,0), thread (0,0,0) at kernels.cu:@{return factor}]
        @{value = by(value)} value = by(value);
        @{value += doubled} value += doubled(value);
        [shapes::doubled, block (0,0,0), thread (0,0,0) at kernels.cu:@{float result}]
        #0 shapes::doubled (value=0) at kernels.cu:@{float result}
        #1 scale (n=64, by=..., in=PTR, out=PTR) at kernels.cu:@{value += doubled}
        @{return result} return result;
        """),
    ("behind the last line comes the next thread", "kernels", """
        break kernels.cu:@{out[i] = value} if i == 31
        run
        next
        next
        next
        """, """
        [scale, block (0,0,0), thread (31,0,0) at kernels.cu:@{out[i] = value}]
        [scale, block (1,0,0), thread (0,0,0) at kernels.cu:@{const int i = }]
        @{if (i >= n)} if (i >= n) return;
        """),
    ("behind the last thread comes the host", "kernels", """
        break kernels.cu:@{out[i] = value} if i == 63
        run
        next
        next
        backtrace
        next
        """, """
        [scale, block (1,0,0), thread (31,0,0) at kernels.cu:@{out[i] = value}]
        [main at kernels.cu:@{reverse<32><<<}]
        #0 main () at kernels.cu:@{reverse<32><<<}
        @{add_all<<<} add_all<<<1, dim3(1, 2)>>>(out, 1, 2.5f);
        """),
    ("a thread goes through its barrier, in a template with shared memory", "kernels", """
        break reverse
        run
        next
        next
        next
        next
        next
        step
        step
        print tile[1][2]
        print copy[31]
        ptype tile
        step
        """, """
        [reverse, block (0,0,0), thread (0,0,0) at kernels.cu:@{float tile[}]
        @{float copy[]} extern __shared__ float copy[];
        @{tx = threadIdx} const int tx = threadIdx.x;
        @{tile[tx / 8]} tile[tx / 8][tx % 8] = in[tx];
        @{copy[tx] = } copy[tx] = in[tx];
        @{__syncthreads();  // reverse} __syncthreads();  // reverse
        @{from = TILE} const int from = TILE - 1 - tx;
        @{out[tx] = tile} out[tx] = tile[from / 8][from % 8] + 0 * copy[tx];
        $1 = 10
        $2 = 31
        type = float (&)[4][8]
        ![main at kernels.cu:@{add_all<<<}]
        """),
    ("other threads", "kernels", """
        break kernels.cu:@{from = TILE} if threadIdx.x == 3
        run
        info cuda threads
        cuda thread 5
        print threadIdx.x
        print tx
        backtrace
        cuda thread
        next
        print tx
        cuda block 0 thread (7,0,0)
        print tx
        cuda block 0
        """, """
        [reverse, block (0,0,0), thread (3,0,0) at kernels.cu:@{from = TILE}]
        block (0,0,0) of reverse, blockDim (32,1,1)
        (0,0,0) to (2,0,0) ended
        * (3,0,0) running at kernels.cu:@{from = TILE}
        (4,0,0) to (31,0,0) ready at kernels.cu:@{__syncthreads();  // reverse}
        [reverse, block (0,0,0), thread (5,0,0) at kernels.cu:@{__syncthreads();  // reverse}]
        $1 = 5
        $2 = 5
        #3 reverse (in=PTR, out=PTR) at kernels.cu:@{__syncthreads();  // reverse}
        [reverse, block (0,0,0), thread (5,0,0) at kernels.cu:@{__syncthreads();  // reverse}]
        @{out[tx] = tile} out[tx] = tile[from / 8][from % 8] + 0 * copy[tx];
        $3 = 3
        [reverse, block (0,0,0), thread (7,0,0) at kernels.cu:@{__syncthreads();  // reverse}]
        $4 = 7
        [reverse, block (0,0,0), thread (3,0,0) at kernels.cu:@{out[tx] = tile}]
        """),
    ("threads that wait in a function, and those that have not started", "kernels", """
        break meet_in_function if threadIdx.y == 1
        run
        info cuda threads
        cuda thread 3,0
        up
        print mine
        up
        cuda thread 9,1
        """, """
        [shapes::meet_in_function, block (0,0,0), thread (0,1,0) at kernels.cu:@{__syncthreads();  // in a}]
        block (0,0,0) of meet, blockDim (16,2,1)
        (0,0,0) to (15,0,0) waiting at kernels.cu:@{__syncthreads();  // in a}
        * (0,1,0) running at kernels.cu:@{__syncthreads();  // in a}
        (1,1,0) to (15,1,0) not started
        [shapes::meet_in_function, block (0,0,0), thread (3,0,0) at kernels.cu:@{__syncthreads();  // in a}]
        [meet, block (0,0,0), thread (3,0,0) at kernels.cu:@{same = meet_in}]
        $1 = 3
        [meet, block (0,0,0), thread (3,0,0) at kernels.cu:@{same = meet_in}]
        thread (9,1,0) of block (0,0,0) has not started; to stop there: break FILE:LINE if threadIdx.x == 9 && threadIdx.y == 1
        """),
    ("lanes of a warp that wait for each other", "kernels", """
        break kernels.cu:@{atomicAdd(out}
        run
        info cuda threads
        step
        step
        """, """
        * (0,0,0) running at kernels.cu:@{atomicAdd(out}
        (1,0,0) to (15,1,0) ready at kernels.cu:@{next = __shfl}
        [meet, block (0,0,0), thread (1,0,0) at kernels.cu:@{next = __shfl}]
        """),
    ("blocks that wait for each other", "kernels", """
        break kernels.cu:@{all = *count}
        run
        info cuda blocks
        cuda block 1
        print blockIdx.x
        cuda block 5
        """, """
        [all_blocks, block (0,0,0), thread (0,0,0) at kernels.cu:@{all = *count}]
        all_blocks, gridDim (3,1,1)
        * (0,0,0) running
        (1,0,0) waiting for other blocks
        (2,0,0) waiting for other blocks
        $1 = 1
        there is no block (5,0,0): gridDim is (3,1,1)
        """),
    ("parameters that have no one name", "kernels", """
        break add_all
        run
        next
        print sum
        print threadIdx.y
        info args
        """, """
        [add_all, block (0,0,0), thread (0,0,0) at kernels.cu:@{float sum = }]
        @{threadIdx.y] = sum} out[threadIdx.y] = sum;
        $1 = 3.5
        $2 = 0
        """),
    ("no kernel yet", "kernels", """
        break main
        run
        cuda thread 1
        """, """
        no kernel is running: stop in one first, as by 'break FILE:LINE'
        """),
    ("a condition wants a line", "kernels", """
        break scale if threadIdx.x == 3
        break doubled if threadIdx.x == 3
        run
        """, """
        scale is where the kernel is launched: no thread is there for a condition; write break FILE:LINE if threadIdx.x == 3
        ![scale, block (0,0,0), thread (0,0,0) at kernels.cu:@{const int i = }]
        [shapes::doubled, block (0,0,0), thread (3,0,0) at kernels.cu:@{float result}]
        """),
    ("what is no thread", "kernels", """
        break scale
        run
        cuda thread 32
        """, """
        there is no thread (32,0,0): blockDim is (32,1,1)
        """),
    ("the first launch of a file's kernel", "kernels", """
        cuda start SOURCE/kernels.cu
        continue
        """, """
        [scale, block (0,0,0), thread (0,0,0) at kernels.cu:@{const int i = }]
        3
        [Inferior 1 (process N) exited normally]
        """),
    ("a file of C++ without a kernel", "host", """
        cuda start SOURCE/host.cpp
        next
        continue
        """, """
        [main at host.cpp:@{tripled(first_value())}]
        15
        !Function "simt_thread_begins" not defined.
        """),
    ("a race stops where it is found", "race", """
        run
        print t
        print step
        backtrace
        continue
        """, """
        [sum, block (0,0,0), thread (1,0,0) at race.cu:@{part[t] += }]
        $1 = 1
        $2 = 32
        [Inferior 1 (process N) exited with code 0126]
        """),
]


def source_name(program):
    return "host.cpp" if program == "host" else f"{program}.cu"


def has_gdb():
    if shutil.which("gdb") is None:
        return False
    said = subprocess.run(["gdb", "-nx", "-batch", "-ex", "python print('has ' + 'python')"],
                          capture_output=True, text=True, check=False)
    return "has python" in said.stdout


def expand(text, source):
    return re.sub(r"@\{(.*?)\}(?=\D|$)", lambda match: str(line_of(source, match.group(1))), text)


def normal(line):
    line = re.sub(r"=0x[0-9a-f]+", "=PTR", line)
    line = re.sub(r"^0x[0-9a-f]{16}\s+", "", line.strip())
    line = re.sub(r"0x[0-9a-f]+ in ", "", line)
    line = re.sub(r"^(Temporary b|B)reakpoint [\d.]+, ", "", line)
    line = re.sub(r"\(process \d+\)", "(process N)", line)
    return re.sub(r"\s+", " ", line)


def check(name, program, source, script, commands, expected):
    arguments = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-x", script]
    for command in expand(commands, source).replace("SOURCE", str(source.parent)).split("\n"):
        if command.strip():
            arguments += ["-ex", command.strip()]
    ran = subprocess.run([*arguments, program], capture_output=True, text=True, check=False,
                         stdin=subprocess.DEVNULL, cwd=program.parent)
    output = (ran.stdout + ran.stderr)
    lines = [normal(line) for line in output.splitlines()]
    rest = iter(lines)
    for wanted in expand(expected, source).split("\n"):
        wanted = re.sub(r"\s+", " ", wanted.strip())
        if wanted.startswith("!"):
            good = wanted[1:] not in lines
        else:
            good = not wanted or wanted in rest
        if not good:
            print(f"FAILED: {name}: '{wanted}' in\n{output}")
            return False
    if "Traceback" in output or "Python Exception" in output:
        print(f"FAILED: {name}: an error of the script's own in\n{output}")
        return False
    return True


def main():
    cucc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if not has_gdb():
        print("skipped: there is no gdb with Python here")
        return SKIPPED
    script = folder.parent.parent / "common" / "learn" / "debug" / "cuda_gdb.py"
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        programs = {}
        for name, mode in (("kernels", []), ("race", ["--check"]), ("host", [])):
            programs[name] = pathlib.Path(scratch) / name
            subprocess.run([cucc, "-G", "-O2", *mode, folder / "debug" / source_name(name), "-o",
                            programs[name]], check=True)
        for name, program, commands, expected in SESSIONS:
            source = folder / "debug" / source_name(program)
            good &= check(name, programs[program], source, script, commands, expected)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
