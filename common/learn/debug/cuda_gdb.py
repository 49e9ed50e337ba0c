"""CUDA threads in gdb, for programs that `cucc -G` has compiled: `cuda thread`, `cuda block`, `info cuda
threads`, `info cuda blocks`; back-traces and steps without the backend's frames; a stop wherever check
mode finds something.

    gdb -x common/learn/debug/cuda_gdb.py PROGRAM
"""
import os
import re
import sys

import gdb
from gdb.FrameDecorator import FrameDecorator

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import simt_state as simt  # noqa: E402
from cuda_commands import Focus, describe, is_stopped, show_frame, show_selected  # noqa: E402


class Session:
    """What is known from one stop to the next."""

    shown = None  # where the last stop was
    finding = False  # stops where check mode has found something
    starts_in = None  # the file of C++ that `cuda start` runs to


SESSION = Session()


def set_defaults():
    for setting in (
            "set language c++",
            "set environment SIMT_THREADS 1",
            "set print frame-info source-line",
            "set breakpoint pending on",
            "set filename-display basename",
            "set print thread-events off",
            "set print inferior-events off",
            "set confirm off",
            "skip -gfi */simt/include/*",
            "skip -gfi */simt/include/*/*",
            "skip -gfi /usr/include/*",
            "skip -gfi /usr/include/*/*/*",
            "skip -gfi /usr/include/*/*/*/*",
    ):
        gdb.execute(setting, to_string=True)


# What is shown.


class Decorator(FrameDecorator):
    """A kernel's frame by the kernel's name; no frame with the backend's parameters."""

    def __init__(self, base, kernel):
        super().__init__(base)
        self.kernel = kernel

    def function(self):
        return self.kernel or self.inferior_frame().name() or super().function()

    def frame_args(self):
        hidden = ("__closure", "threadIdx", "blockIdx", "blockDim", "gridDim")
        arguments = super().frame_args() or []
        return [item for item in arguments if str(item.symbol()) not in hidden]


class FrameFilter:
    """Leaves out the frames of the backend and of libraries, unless there are no others."""

    def __init__(self):
        self.name = "cuda"
        self.priority = 100
        self.enabled = True
        gdb.current_progspace().frame_filters[self.name] = self

    def filter(self, decorated):
        kernel = simt.kernel_frame()
        skip = simt.STACK.parked is not None
        show_all = simt.own_frame() is None
        for item in decorated:
            frame = item.inferior_frame()
            if skip:
                skip = False
                continue
            if frame == kernel:
                yield Decorator(item, Focus.get()[0].kernel)
                return
            if show_all or simt.is_own(frame):
                yield Decorator(item, None)


class StartCommand(gdb.Command):
    """Run to the first launch of a kernel of a file: cuda start FILE. In a file of C++, which has no
    kernels, to the first call of one of its functions."""

    def __init__(self):
        super().__init__("cuda start", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        file = argument.strip()
        if file.endswith(".cu"):
            first = [LaunchBreakpoint(file)]
        else:
            known = set(gdb.breakpoints())
            gdb.execute("rbreak {}:.".format(os.path.basename(file)), to_string=True)
            first = set(gdb.breakpoints()) - known
            for point in first:
                point.silent = True
            SESSION.starts_in = file
        gdb.execute("run")
        SESSION.starts_in = None
        for point in first:
            point.delete()
        if is_stopped() and not file.endswith(".cu"):
            go_to_file(file)
            show_frame(gdb.newest_frame())
        if is_stopped() and os.isatty(0):
            print(FIRST_HELP)


def go_to_file(file):
    """Where a function of the file begins with what it calls in a header, goes on to its own first line."""
    for _ in range(100):
        source = gdb.newest_frame().find_sal().symtab
        if source is None or os.path.realpath(source.fullname()) == os.path.realpath(file):
            return
        quietly("next")
        if not is_stopped():
            return


FIRST_HELP = """\
next (n) runs a line, step (s) goes into a function, continue (c) goes on; print x (p x) shows a value.
break FILE:LINE if threadIdx.x == 5 stops one thread; info cuda threads lists all, cuda thread 5 shows one.
list shows the source, bt how it came here; quit (q) ends."""


class LaunchBreakpoint(gdb.Breakpoint):
    """Where a kernel of a file is launched."""

    def __init__(self, file):
        super().__init__("simt::Launch::execute", internal=True)
        self.silent = True
        self.file = os.path.realpath(file)

    def stop(self):
        launch = gdb.parse_and_eval("$rdi").cast(gdb.lookup_type("simt::KernelInfo")
                                                 .pointer().pointer())
        return os.path.realpath(launch.dereference()["file"].string()) == self.file


# How a stop becomes one at a line of the program's own.


class ThreadBegins(gdb.Breakpoint):
    """Where every thread of a kernel comes by before its first statement."""

    def __init__(self):
        super().__init__("simt_thread_begins", internal=True)
        self.silent = True
        self.enabled = False


class FindingBreakpoint(gdb.Breakpoint):
    """Where check mode has found something; it has printed what."""

    def __init__(self):
        super().__init__("simt_found", internal=True)
        self.silent = True

    def stop(self):
        SESSION.finding = True
        return True


def next_places():
    """Where the program can next come to a line of its own: in threads that wait, and on the host."""
    block = simt.Block.current()
    if block is None:
        launch = next((frame for frame in simt.frames() if simt.is_own(frame)), None)
        return set() if launch is None else {launch.pc()}
    parked = [block.value["worker"]["main_"]["start"]]
    for resident in [block, *block.others()]:
        parked += resident.parked().values()
    places = set()
    for thread in parked:
        simt.STACK.show(thread)
        frame = simt.own_frame()
        if frame is not None:
            places.add(frame.pc())
    simt.STACK.hide()
    return places


def quietly(command):
    """Lets the program go on without a word of where it stops."""
    gdb.execute("set suppress-cli-notifications on")
    try:
        gdb.execute(command, to_string=True)
    finally:
        gdb.execute("set suppress-cli-notifications off")


def go_on(places):
    """Continues to one of these addresses or to where a thread begins."""
    points = [gdb.Breakpoint("*{:#x}".format(place), internal=True) for place in places]
    BEGINS.enabled = True
    quietly("continue")
    BEGINS.enabled = False
    for point in points:
        point.delete()


def leave_backend():
    """Goes on where the program has stopped in the backend's code, or behind a kernel's last line:
    False if it stays where it is."""
    newest = gdb.newest_frame()
    if SESSION.finding or "It stopped at signal" in stop_reason():
        return False
    if newest.name() == "simt_thread_begins":
        quietly("finish")
        if simt.is_in_head(gdb.newest_frame()):
            quietly("next")
        return True
    kernel = simt.kernel_frame()
    at_end = newest == kernel and simt.is_in_head(newest)
    if at_end or kernel is None and simt.is_backend(newest):
        go_on(next_places())
    elif simt.is_backend(newest):
        quietly("finish")
    else:
        return False
    return True


def stop_reason():
    return gdb.execute("info program", to_string=True)


def on_stop():
    """Called at every stop before it is shown."""
    if SESSION.starts_in:
        return
    moved = False
    while is_stopped() and leave_backend():
        moved = True
    frame = simt.own_frame() if is_stopped() else None
    if frame is not None:
        show(frame, moved or SESSION.finding)
    SESSION.finding = False


def show(frame, moved):
    """Says which thread has stopped. What gdb shows by itself follows, unless the program has
    `moved` since."""
    if frame != gdb.newest_frame():
        frame.select()
    where = describe(frame)
    thread = where.rsplit(" at ", 1)[0]
    if thread != SESSION.shown:
        print("[{}]".format(where))
    SESSION.shown = thread
    if moved:
        hit = re.search(r"It stopped at (breakpoint \d\S*)\.", stop_reason())
        if hit:
            print(hit.group(1).capitalize(), end=", ")
        show_frame(frame, header=False)


def leave_out_backend(breakpoint):
    """A name of the learner's that a library has, too, is not asked for there."""
    if breakpoint.number < 0 or breakpoint.pending or breakpoint.type != gdb.BP_BREAKPOINT:
        return
    places = [place for place in breakpoint.locations if place.address is not None]
    if breakpoint.condition and any(simt.is_launch_place(place.address) for place in places):
        print("{} is where the kernel is launched: no thread is there for a condition; "
              "write break FILE:LINE if {}".format(breakpoint.location, breakpoint.condition))
    own = [place for place in places if simt.is_own_place(place.address)]
    for place in places:
        if own and place not in own and place.enabled:
            place.enabled = False


def look_at_running_thread():
    """Before the program goes on."""
    gdb.execute("set print frame-info source-line")
    Focus.clear()


def on_exit(event):
    SESSION.shown = None


def set_hooks():
    gdb.execute("define hook-stop\npython on_stop()\nend")
    for command in ("continue", "step", "next", "stepi", "nexti", "finish", "until", "advance",
                    "jump", "signal", "kill", "run", "start", "call", "detach"):
        gdb.execute("define hook-{}\npython look_at_running_thread()\nend".format(command))
    gdb.execute("define hook-backtrace\nset print frame-info auto\nend")
    for command in ("up", "down", "frame"):
        gdb.execute("define hook-{}\nset print frame-info source-line\nend".format(command))
        gdb.execute("define hookpost-{}\npython show_selected()\nend".format(command))
    if hasattr(gdb, "BreakpointLocation"):
        gdb.events.breakpoint_created.connect(leave_out_backend)
        gdb.events.breakpoint_modified.connect(leave_out_backend)
    gdb.events.exited.connect(on_exit)
    gdb.events.cont.connect(lambda event: look_at_running_thread())


set_defaults()
gdb.unwinder.register_unwinder(None, simt.STACK)
FrameFilter()
# A program without kernels has no such functions, one with a shared runtime has them when it runs.
gdb.execute("python BEGINS = ThreadBegins(); FindingBreakpoint()", to_string=True)
StartCommand()
set_hooks()
