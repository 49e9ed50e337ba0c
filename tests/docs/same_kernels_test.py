"""tests/same_kernels.cmake reads what g++ and what nvcc is called with, and finds what is amiss."""
import json
import pathlib
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OBJECT = "chapters/05_tiles/CMakeFiles/ch05.dir/product.cu.o"
GXX = f"g++ -O2 -o {OBJECT} -c /course/chapters/05_tiles/product.cu"
NVCC = f"nvcc -O3 -x cu -c /course/chapters/05_tiles/product.cu -o {OBJECT}"
COUNTED = NVCC.replace("ch05.dir", "../elsewhere/ch05_counts.dir")


class SameKernels(unittest.TestCase):
    def run_script(self, commands, symbols, text="__global__ void product_kernel(float* c) {}\n"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "chapters/05_tiles").mkdir(parents=True)
            (folder / "chapters/05_tiles/product.cu").write_text(text)
            (folder / "compile_commands.json").write_text(
                json.dumps([{"command": command} for command in commands]))
            nm = folder / "nm"
            nm.write_text(f"#!/bin/sh\necho '{symbols}'\n")
            nm.chmod(nm.stat().st_mode | stat.S_IXUSR)
            done = subprocess.run(
                ["cmake", "-DPROGRAM=program", "-DSOURCES=chapters/05_tiles/product.cu",
                 "-DMINIMUM=1", "-DOBJECTS=program", f"-DNM={nm}", f"-DSOURCE_DIR={folder}",
                 f"-DBUILD_DIR={folder}", "-P", str(ROOT / "tests/same_kernels.cmake")],
                capture_output=True, text=True)
            return done.returncode, " ".join(done.stderr.split())

    def test_commands_of_both_compilers_are_read(self):
        for command in (GXX, NVCC):
            self.assertEqual(self.run_script([command], "T tut::product_kernel(float*)"), (0, ""))

    def test_a_kernel_that_is_compiled_twice_or_never_is_found(self):
        for commands, times in (([NVCC, NVCC], 2), ([COUNTED], 0)):
            code, says = self.run_script(commands, "T tut::product_kernel(float*)")
            self.assertNotEqual(code, 0)
            self.assertIn(f"compiled {times} times", says)

    def test_a_kernel_that_is_not_in_the_program_and_a_library_that_is_are_found(self):
        self.assertIn("product_kernel of", self.run_script([NVCC], "T main")[1])
        self.assertIn("uses cublas", self.run_script([NVCC], "T product_kernel\nU cublasSgemm_v2")[1])


if __name__ == "__main__":
    unittest.main()
