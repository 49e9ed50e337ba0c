"""The gate over compiled kernels finds each planted fault, and leaves its twin alone.

    python3 -m unittest discover -s tests/kernel_gate -p '*_test.py'

Where there is an nvcc, planted.cu is compiled: KERNEL_GATE_NVCC names it, KERNEL_GATE_TOOLS a folder
with cuobjdump. What needs neither runs everywhere.
"""
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "docs" / "tools"))
import kernel_gate  # noqa: E402

NVCC = os.environ.get("KERNEL_GATE_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
TOOLS = [folder for folder in [os.environ.get("KERNEL_GATE_TOOLS")] if folder]
LOOPS = [{"kernel": "loop_*", "instruction": "FFMA", "least": 0.5},
         {"kernel": "tensor_loop_*", "instruction": "HMMA", "least": 0.4}]


def rules(faults):
    """{kernel: rules} of "kernel: rule: words"."""
    found = {}
    for fault in faults:
        kernel, rule = fault.split(": ")[:2]
        found.setdefault(kernel, set()).add(rule)
    return found


def made_up(name="k", registers=32, threads=None, stack=0, code=()):
    kernel = kernel_gate.Kernel(name, "sm_90a")
    kernel.registers, kernel.threads, kernel.stack = registers, threads, stack
    kernel.code = [(16 * i, op, target) for i, (op, target) in enumerate(code)]
    return kernel


@unittest.skipUnless(pathlib.Path(NVCC).exists() and shutil.which("c++filt"), "no nvcc here")
class Planted(unittest.TestCase):
    def compiled(self, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "planted.cu.o"
        done = subprocess.run([NVCC, "-std=c++20", "-O3", "-gencode=arch=compute_90a,code=[compute_90a,sm_90a]",
                               *options, "-c", str(HERE / "planted.cu"), "-o", str(path)],
                              capture_output=True, text=True, check=True)
        return path, done.stdout + done.stderr

    def test_each_planted_kernel_is_found_in_machine_code_and_no_twin(self):
        cuobjdump = kernel_gate.find_cuobjdump(TOOLS)
        if cuobjdump is None:
            self.skipTest("no cuobjdump here")
        kernels = kernel_gate.read_objects([self.compiled()[0]], cuobjdump)
        self.assertEqual(len(kernels), 11)
        found = rules(kernel_gate.check(kernels, {"architecture": "sm_90a", "loop": LOOPS}))
        self.assertEqual(found, {"registers_kernel": {"registers"}, "local_kernel": {"local"},
                                 "spilled_kernel": {"local"}, "generic_kernel": {"generic"},
                                 "loop_kernel": {"loop"}, "tensor_loop_kernel": {"loop"}})

    def test_of_several_architectures_each_is_looked_at(self):
        cuobjdump = kernel_gate.find_cuobjdump(TOOLS)
        if cuobjdump is None:
            self.skipTest("no cuobjdump here")
        path, _ = self.compiled("-gencode=arch=compute_80,code=sm_80")
        kernels = kernel_gate.read_objects([path], cuobjdump)
        for arch in ("sm_80", "sm_90a"):
            found = rules(kernel_gate.check([k for k in kernels if k.arch == arch], {}))
            self.assertEqual(found["registers_kernel"], {"registers"})
            self.assertEqual(found["generic_kernel"], {"generic"})
            self.assertNotIn("registers_twin", found)

    def test_ptxas_alone_finds_local_memory(self):
        kernels = kernel_gate.read_log(self.compiled("-Xptxas=-v")[1])
        self.assertEqual(len(kernels), 11)
        found = rules(kernel_gate.check(kernels, {}, has_code=False))
        self.assertEqual(found, {"local_kernel": {"local"}, "spilled_kernel": {"local"}})


class Rules(unittest.TestCase):
    def faults(self, *kernels, **limits):
        return rules(kernel_gate.check(list(kernels), limits))

    def test_registers_are_shared_out_to_whole_warps(self):
        self.assertEqual(kernel_gate.in_block(64, 1024), 65536)
        self.assertEqual(kernel_gate.in_block(65, 33), 2 * 9 * 256)
        self.assertEqual(self.faults(made_up(registers=64)), {})
        self.assertEqual(self.faults(made_up(registers=65)), {"k": {"registers"}})
        self.assertEqual(self.faults(made_up(registers=65, threads=896)), {})
        self.assertEqual(self.faults(made_up(registers=255, threads=288)), {"k": {"registers"}})
        self.assertEqual(self.faults(made_up(registers=65), registers=[{"kernel": "k", "most": 512}]), {})

    def test_the_list_allows_so_much_and_an_entry_that_nothing_needs_is_a_fault(self):
        entry = {"kernel": "k*", "most": 8}
        self.assertEqual(self.faults(made_up(stack=8), local=[entry]), {})
        self.assertEqual(self.faults(made_up(stack=16), local=[entry]), {"k": {"local"}})
        self.assertEqual(self.faults(made_up(), local=[entry]), {"k*": {"local"}})
        self.assertEqual(self.faults(made_up(), loop=[{"kernel": "other", "instruction": "FFMA", "least": 0}]),
                         {"other": {"loop"}})

    def test_accesses_that_name_their_memory_are_not_generic(self):
        fine = [(op, None) for op in ("LDG.E", "LDS.128", "LDSM.16", "LDC", "LDL", "STG.E", "STS", "ATOMG.ADD", "RED")]
        self.assertEqual(self.faults(made_up(code=fine)), {})
        for op in ("LD.E", "ST.E.128", "ATOM.E.ADD"):
            self.assertEqual(self.faults(made_up(code=[(op, None)])), {"k": {"generic"}})

    def test_the_main_loop_is_the_smallest_with_most_of_the_work(self):
        code = [("FFMA", None)] * 2 + [("LDS", None)] + [("FFMA", None)] * 3 + [("BRA", 48), ("MOV", None), ("BRA", 0)]
        kernel = made_up(code=code)
        self.assertEqual(kernel_gate.main_loop(kernel.code, "FFMA"), (0.75, 4))
        self.assertEqual(kernel_gate.main_loop(kernel.code, "HMMA"), (0.0, 0))
        limits = {"loop": [{"kernel": "k", "instruction": "FFMA", "least": 0.75}]}
        self.assertEqual(self.faults(kernel, **limits), {})
        limits["loop"][0]["least"] = 0.76
        self.assertEqual(self.faults(kernel, **limits), {"k": {"loop"}})

    def test_figures_of_another_architecture_are_not_asked_for(self):
        kernel = made_up()
        kernel.arch = "sm_80"
        self.assertEqual(self.faults(kernel, architecture="sm_90a",
                                     loop=[{"kernel": "k", "instruction": "FFMA", "least": 1}]), {})

    def test_what_ptxas_alone_cannot_say_is_told(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(kernel_gate.report([made_up()], {}, False, []), 0)
            self.assertEqual(kernel_gate.report([], {}, True, []), 1)
        self.assertIn("only ptxas -v here", out.getvalue())
        self.assertIn("were not checked", out.getvalue())

    def test_names_are_short(self):
        self.assertEqual(kernel_gate.shortened("void tut::ch07::(anonymous namespace)::tile_kernel<(int)64, (bool)1>"
                                               "(tut::MatrixView<float const>, int)"), "ch07::tile_kernel<64, true>")


if __name__ == "__main__":
    unittest.main()
