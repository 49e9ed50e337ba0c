"""What measure.py is made of.

command    the command line, the plan, the order of the steps
session    what all steps share: folders, the summary, the archive that grows
clock      how a deadline becomes seconds for a step, and seconds become repetitions
processes  commands that end in time, one or several at once
archive    a folder as one file that opens whenever it is looked at
preflight  what this machine has and what it lacks
programs   what is built for the steps, or was built elsewhere
benches    roofs, chapters, tile shapes
training   the trainer, alone and beside PyTorch
checks     tests, sanitizers, counters
home       from an archive to docs/results, tables and plots
"""
