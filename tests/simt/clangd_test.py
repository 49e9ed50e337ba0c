"""clangd finds nothing wrong with CUDA sources: some of the course, by its compile_commands.json,
and a project of CMake's CUDA language whose .clangd adds the runtime's headers.

usage: clangd_test.py CLANGD BUILD FILE...
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(clangd, source, commands):
    """What clangd has against a source. That one of its edits does not apply is no finding."""
    process = subprocess.run([clangd, f"--check={source}", f"--compile-commands-dir={commands}"],
                             text=True, capture_output=True, check=False)
    if "All checks completed" not in process.stderr:
        sys.exit(f"clangd did not end its checks of {source}:\n{process.stderr}")
    return [line for line in process.stderr.splitlines()
            if line.startswith("E[") and "tweak:" not in line]


def expect(found, wanted, what):
    """Ends the test where clangd found something and should not have, or the other way round."""
    if bool(found) != wanted:
        sys.exit(f"{what}: {found or 'nothing found'}")


def main():
    clangd, build, *sources = sys.argv[1:]
    for source in sources:
        expect(check(clangd, ROOT / source, build), False, source)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        settings = (ROOT / ".clangd").read_text()
        include = ROOT / "common/simt/include"
        (folder / ".clangd").write_text(settings.replace("Add: [", f"Add: [-isystem{include}, "))
        text = (ROOT / "tests/simt/cmake_project/scale.cu").read_text()
        (folder / "scale.hpp").write_text("void set_factor(float);\nvoid scale(float*, int);\n")
        for name, content, wrong in (("right", text, False),
                                     ("wrong", text.replace("the_factor;\n}", "a_factor;\n}"), True)):
            source = folder / f"{name}.cu"
            source.write_text(content)
            (folder / "compile_commands.json").write_text(json.dumps([{
                "directory": str(folder), "file": str(source),
                "command": "cucc -forward-unknown-to-host-compiler -ccbin=g++ "
                           "--generate-code=arch=compute_75,code=[sm_75] -Xcompiler=-fPIC "
                           f"-std=c++17 -x cu -rdc=true -c {source} -o x.o"}]))
            expect(check(clangd, source, folder), wrong, name)


if __name__ == "__main__":
    main()
