#!/usr/bin/env python3
"""Measure the whole course on this machine, and bring the figures home in one file.

  docs/tools/measure.py --plan                      the commands for a GPU that is rented by the minute
  docs/tools/measure.py --preflight                 what this machine has, and what will be missing
  docs/tools/measure.py [--steps A,B] [--deadline SECONDS] [--out DIR] [-- CMAKE-ARGUMENTS]
  docs/tools/measure.py --bundle DIR                build for an sm_90a elsewhere, into DIR
  docs/tools/measure.py --programs DIR ...          measure what was built elsewhere
  docs/tools/measure.py --unpack FILE... [--device NAME]    at home: docs/results, tables, plots

Writes DIR/measured.tar.gz (DIR: --out, else $OUT, else build), which is packed anew whenever something
is known. It opens whenever this is stopped or killed, and holds every row that was finished:

  summary.json      what ran, how long it took and how it ended
  preflight.json    what is here, and what is missing for which steps
  roofs.json        the bounds of the device: its memory's, its arithmetics'
  NN.json           the benchmarks of chapter NN (Google Benchmark's format, device and conditions);
                    with --backend cpu what its kernels ask of memory, counted
  07_tuner_N.json   chapter 07's tile shapes for products of N x N matrices
  16.json           the network trained for three epochs, with the seeds 1 to 5
  16_torch.json     the trainer beside PyTorch, in turn: images a second of each, and the ratios
  tests.json        every test that is over, and how; tests.log has what the failed ones say
  sanitizers.json   what compute-sanitizer says of each test program; sanitizers/ has the details
  counters.csv      Nsight Compute's counters of small launches
  *.log             what the programs printed

The steps run in the order of what they are worth, whatever order they are asked for: first what only a
GPU can tell. --deadline holds for all of them together: each gets its part by the rows that it has, with
fewer repetitions where there is less time, and is stopped when its time is over. Results of an earlier
command on the same device with the same code stay, and go into the archive, too.

Exits 1 if anything failed, found something, was stopped or, on a GPU, was skipped: there nothing that
was not done counts as done.
"""
import sys

from measure.command import main

if __name__ == "__main__":
    sys.exit(main(__doc__))
