#!/usr/bin/env python3
"""What a session in gdb looks like: the commands of a file behind gdb's prompt, and what comes out.

  gdb_transcript.py SCRIPT COMMANDS PROGRAM [ARGUMENTS...]

SCRIPT is common/learn/debug/cuda_gdb.py. Leaves out what gdb says of libraries.
"""
import pathlib
import subprocess
import sys

LEFT_OUT = ("[Thread debugging using", "Using host libthread_db")


def main():
    script, commands, *program = sys.argv[1:]
    arguments = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-x", script]
    for command in pathlib.Path(commands).read_text().splitlines():
        arguments += ["-ex", f"echo (gdb) {command}\\n", "-ex", command]
    ran = subprocess.run([*arguments, "--args", *program], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, check=False)
    for line in ran.stdout.splitlines():
        if not line.startswith(LEFT_OUT):
            print(line)
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
