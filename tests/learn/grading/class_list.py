"""The class: who hands in what, and the marks that each is to get, written down before anything is graded."""
from course import EXERCISES, SOURCE, file_of, replaced, version

# What stands for a file: a version of the course's (course.version), one of MADE below, or `-` for none.
# Points are those of dot_compensated, reverse and rotate_tiled, 10 each: 6 of them for values, 2 for safety and
# 2 for the budget, and all 10 for values where there is plain C++ only. The total is what lateness leaves.
STUDENTS = """
student    dot_compensated       reverse                  rotate_tiled          points    total  feedback says
abel       solution              solution                 solution              10 10 10  30     30 of 30 points
bea        right.in_double       right.pointers           right.flat            10 10 10  30     30 of 30 points
cem        right.errors_apart    right.turned_in_the_warp right.swizzled        10 10 10  30     30 of 30 points
dora       right.four_lanes      right.one_condition      right.warp_a_tile     10 10 10  30     30 of 30 points
emil       habit.threads         habit.checks             habit.dynamic         10 10 10  30     30 of 30 points
fay        spaced                habit.library            windows               10 10 10  30     30 of 30 points
gus        windows               habit.groups             stub                  10 10 0   20     rotate_tiled: 0 of 10
hana       wrong.plain_sum       wrong.partner_off_by_one wrong.transposed      0 0 0     0      expected
ian        wrong.splits_factors  wrong.every_thread_swaps wrong.unpadded        0 0 8     8      32-way bank conflict
jo         solution              racy                     wrong.writes_columns  10 8 8    26     race
kim        solution              wasteful                 solution              10 8 10   28     budget: 0 of 2
lea        solution              wrong.one_warp           wrong.default_stream  10 8 0    18     the default stream
mo         solution              wrong.adds_zero          no_barrier            10 0 0    10     In check mode
nils       stub                  stub                     stub                  0 0 0     0      values: 0 of 6
olga       empty                 empty                    empty                 0 0 0     0      it is empty
pat        -                     -                        -                     0 0 0     0      reverse.cu: not handed in
quinn      solution              -                        solution              10 0 10   20     reverse.cu: not handed in
rosa       prose                 prose                    prose                 0 0 0     0      reverse.cu:1
sam        semicolon             semicolon                solution              0 0 10    10     error: expected
tess       other_name            other_name               solution              0 0 10    10     undefined reference
uma        warned                solution                 warned                10 10 10  30     30 of 30 points
vic        solution              solution                 solution              10 10 10  30     30 of 30 points
wim        solution              solution                 solution              10 10 10  30     30 of 30 points
xena       solution              solution                 solution              10 10 10  27     90 % of the points count
yuri       solution              solution                 solution              10 10 10  24     80 % of the points count
zoe        solution              solution                 stub                  10 10 0   14     70 % of the points count
zz_never   solution              solution                 solution              10 10 10  0      0 % of the points count
"""

# The deadline is 2027-02-12T23:59:00+01:00, with 15 minutes of grace; each day costs 10 %, and the fourth all.
TIMES = {
    "abel": "2027-02-01T08:00:00+01:00",
    "vic": "2027-02-12T22:59:00Z",          # in the last second
    "wim": "2027-02-13T00:14:00+01:00",     # in the last second of grace
    "xena": "2027-02-13T00:14:01+01:00",    # in the first after it
    "yuri": "2027-02-14T10:00:00+01:00",    # on the second day
    "zoe": "2027-02-16T00:14:00+01:00",     # at the end of the third
    "zz_never": "2027-02-16T00:14:01+01:00",
}


def made(exercise, what):
    solution = version(exercise, "solution")
    if what == "spaced":
        return solution.replace("  ", "\t") + "\n" * 50 + "// the end"
    if what == "windows":
        return "\ufeff" + solution.replace("\n", "\r\n")
    if what == "racy":
        guard = "  if (i >= n / 2) return;\n"
        return replaced(solution, (guard, guard + "  if (threadIdx.x == 0 && x[i + 1] == 12345678.5f) return;\n"))
    if what == "wasteful":
        guard = "  if (i >= n / 2) return;\n"
        return replaced(solution, (guard, guard + "  if (*(volatile float*)&x[i] == 12345678.5f) return;\n"
                                   "  if (*(volatile float*)&x[n - 1 - i] == 12345678.5f) return;\n"))
    if what == "no_barrier":
        return replaced(solution, ("  __syncthreads();\n", ""))
    if what == "prose":
        return "This is no C++.\n"
    if what == "semicolon":
        return replaced(solution, ("  return sum + lost;", "  return sum + lost")) if exercise == EXERCISES[0] else replaced(
            solution, ("const int partner = n - 1 - i;", "const int partner = n - 1 - i"))
    if what == "other_name":
        return solution.replace(f" {exercise}(", f" my_{exercise}(")
    if what == "warned":  # about what is not used
        return replaced(solution, ("\nnamespace tut", "\nstatic int unused_function(int unused) { int forgotten; return 1; }\nnamespace tut"))
    raise KeyError(what)


def text_of(exercise, what):
    if what == "empty":
        return b""
    kind, _, why = what.partition(".")
    if kind in ("solution", "stub", "right", "wrong"):
        return version(exercise, what)
    if kind == "habit":
        ending = file_of(exercise).rpartition(".")[2]
        return (SOURCE / f"tests/learn/grading/habits/{exercise}.{why}.{ending}").read_text()
    return made(exercise, what)


def students():
    """Of each: the name, the files by exercise, the points, the total, and words of the feedback."""
    for line in STUDENTS.strip().split("\n")[1:]:
        student, *rest = line.split(None, 8)
        files, points, total, words = rest[:3], rest[3:6], rest[6], rest[7]
        texts = {exercise: text_of(exercise, what) for exercise, what in zip(EXERCISES, files) if what != "-"}
        yield student, texts, [float(one) for one in points], float(total), words
