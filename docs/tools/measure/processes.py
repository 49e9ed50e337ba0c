"""Commands that end in time: one, or several at once."""
import ctypes
import math
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field

from . import clock

POLL = 0.05  # seconds between two looks at what runs
GRACE = 2.0  # from asking a command to end until it is killed
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """In the child: whoever is killed by force takes along what it started."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass
class Job:
    """A command, its folder and environment, where its output goes, and when it is stopped."""
    name: str
    command: list
    log: object  # a path
    seconds: float = math.inf
    cwd: object = None
    env: dict = None
    # How it went.
    status: int = None  # the exit code, or minus a signal
    took: float = 0.0
    stopped: bool = False  # it took too long
    process: object = field(default=None, repr=False)

    def start(self):
        self.began = clock.now()
        environment = {**os.environ, **self.env} if self.env else None
        with open(self.log, "wb") as log:
            try:
                self.process = subprocess.Popen(
                    [str(part) for part in self.command], stdin=subprocess.DEVNULL, stdout=log,
                    stderr=subprocess.STDOUT, cwd=self.cwd, env=environment, start_new_session=True,
                    preexec_fn=end_with_parent)
            except OSError as error:
                log.write(f"{self.command[0]}: {error.strerror}\n".encode())
                self.status = 127

    def look(self):
        """Whether it is over; one that is late is asked to end, and then made to."""
        if self.process is None:
            return True
        self.took = clock.now() - self.began
        self.status = self.process.poll()
        if self.status is None and self.took > self.seconds:
            self.stop()
        return self.status is not None

    def stop(self):
        self.stopped = True
        end_group(self.process)
        self.status = self.process.returncode

    def said(self, most=2000):
        """The end of its output."""
        with open(self.log, "rb") as log:
            log.seek(0, os.SEEK_END)
            log.seek(max(0, log.tell() - most))
            return log.read().decode(errors="replace")

    def fault(self):
        """In words what is wrong with how it ended; empty if nothing is."""
        if self.stopped:
            return f"stopped after {self.took:.0f} s"
        if self.status is not None and self.status < 0:
            return f"ended by signal {-self.status}"
        return "" if self.status == 0 else f"exit code {self.status}"


def end_group(process):
    """Ends a command and all that it started: asks, waits a moment, kills."""
    for number, wait in ((signal.SIGTERM, GRACE), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            continue
    return process.returncode


def run(job, tick=lambda: None):
    """Runs one command to its end."""
    return run_all([job], 1, tick)[0]


def run_all(jobs, at_once, tick=lambda: None, ended=lambda job: None, left=lambda: math.inf):
    """Runs commands, `at_once` at a time in their order, and returns those that ran. `tick` is called
    all the time, `ended` after each; with no time `left` none is begun. Whatever interrupts this ends
    those that run."""
    waiting, running, done = list(jobs), [], []
    try:
        while waiting or running:
            if left() <= 0:
                waiting = []
            while waiting and len(running) < at_once:
                job = waiting.pop(0)
                job.seconds = min(job.seconds, left())
                running.append(job)
                job.start()
            over = [job for job in running if job.look()]
            running = [job for job in running if job not in over]
            for job in over:
                done.append(job)
                ended(job)
            tick()
            if running and not over:
                time.sleep(POLL)
    finally:
        for job in running:
            if job.process is not None and job.process.poll() is None:
                job.stop()
    return done
