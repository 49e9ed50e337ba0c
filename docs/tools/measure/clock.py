"""How a deadline becomes seconds for a step, and how these become repetitions of a benchmark."""
import math
import time

# What a benchmark takes, in seconds, as an H200 had it: within a factor of two for most chapters.
START = 3.0  # the program, the device, its roofs
CHECK = 0.4  # a row's inputs and the check of its result
WARM_UP = 0.02  # before each repetition
UNTIMED = 2.5  # a repetition with what lies between the timed calls, beside the seconds asked for
# Repetitions and their seconds, the best first.
SETTINGS = ((7, 0.5), (7, 0.25), (5, 0.25), (5, 0.1), (3, 0.1), (3, 0.05), (3, 0.02))
KEPT_BACK = 8.0  # of the deadline, for the last archive


def now():
    return time.monotonic()


class Deadline:
    """Seconds from now until which everything has to be over; None: any time will do."""

    def __init__(self, seconds=None):
        self.end = math.inf
        if seconds is not None:
            self.end = now() + max(0.0, seconds - min(KEPT_BACK, seconds / 10))

    def left(self):
        return max(0.0, self.end - now())


def bench_seconds(rows, repetitions, min_time):
    """About how long a benchmark takes. Google Benchmark first looks for the number of iterations,
    which costs about one repetition more."""
    return START + rows * (CHECK + (repetitions + 1) * (WARM_UP + UNTIMED * min_time))


def settings_for(rows, seconds):
    """The best repetitions and seconds of each with which so many rows take so long at most. Where
    none will do, the quickest: then some rows are measured and others are not."""
    for repetitions, min_time in SETTINGS:
        if bench_seconds(rows, repetitions, min_time) <= seconds:
            return repetitions, min_time
    return SETTINGS[-1]


def share_of(left, wants):
    """The seconds for the first of the steps that are left: what it wants, or its part by what all of
    them want."""
    total = sum(wants)
    if not math.isfinite(left) or total <= left:
        return wants[0]
    return left * wants[0] / total


def stop_after(left, share):
    """When a step is stopped that was given `share`: estimates err, and what is worth most comes
    first."""
    return min(left, 2 * share + 15)
