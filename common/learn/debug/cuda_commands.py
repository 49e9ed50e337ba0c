"""The commands `cuda thread`, `cuda block`, `info cuda threads` and `info cuda blocks`."""
import re

import gdb
import simt_state as simt

INDEX = r"\(?\s*(\d+)\s*(?:,\s*(\d+)\s*)?(?:,\s*(\d+)\s*)?\)?"


class Focus:
    """The thread that is looked at where it is not the one that runs."""

    block = None
    thread = None

    @classmethod
    def clear(cls):
        cls.block = cls.thread = None
        simt.STACK.hide()

    @classmethod
    def get(cls):
        """(block, thread): the one in focus, else the one that runs; (None, None) in host code."""
        if cls.block is not None:
            return cls.block, cls.thread
        if not is_stopped() or simt.kernel_frame() is None:
            return None, None
        block = simt.Block.current()
        return block, block.running()


def is_stopped():
    thread = gdb.selected_thread()
    return thread is not None and thread.is_valid() and thread.is_stopped()


def describe(frame):
    """Which thread a frame is of, and where it is, in one line."""
    place = simt.place_of(frame) if frame.find_sal().symtab is not None else "a place without lines"
    block, thread = Focus.get()
    name = frame.name() or "?"
    if block is None:
        return "{} at {}".format(name, place)
    if frame == simt.kernel_frame():
        name = block.kernel
    return "{}, block {}, thread {} at {}".format(name, simt.text_of(block.index),
                                                  simt.text_of(thread), place)


class Header:
    """The line above a source line that says whose it is."""

    by_hand = False  # it has been printed


def show_frame(frame, header=True):
    frame.select()
    if header:
        print("[{}]".format(describe(frame)))
    gdb.execute("set print frame-info source-line")
    Header.by_hand = True
    addresses = gdb.parameter("print address")
    gdb.execute("set print address off")  # no line begins with one
    try:
        gdb.execute("frame")
    finally:
        Header.by_hand = False
        gdb.execute("set print address " + ("on" if addresses else "off"))


def show_selected():
    """Behind `up`, `down` and `frame`, which stay in the program's own frames."""
    if Header.by_hand:
        return
    frame = gdb.selected_frame()
    if Focus.get()[0] is not None and simt.is_backend(frame):
        frame = simt.kernel_frame()
        frame.select()
    print("[{}]".format(describe(frame)))


def require_kernel():
    block, thread = Focus.get()
    if block is None:
        raise gdb.GdbError("no kernel is running: stop in one first, as by 'break FILE:LINE'")
    return block, thread


def parse_index(text, dim, what, of_what):
    """`3`, `3,0` or `(3,0,0)` within `dim`."""
    match = re.fullmatch(INDEX, text.strip())
    if match is None:
        raise gdb.GdbError("'{}' is no {}; expected x,y,z as in 3,0,0".format(text.strip(), what))
    index = tuple(int(part or 0) for part in match.groups())
    if any(i >= size for i, size in zip(index, dim)):
        raise gdb.GdbError("there is no {} {}: {} is {}".format(what, simt.text_of(index), of_what,
                                                                simt.text_of(dim)))
    return index


def resident_blocks(block):
    return {resident.index: resident for resident in [block, *block.others()]}


def how_to_stop_at(thread, block):
    conditions = ["{}Idx.{} == {}".format(kind, axis, value)
                  for kind, index, dim in (("thread", thread, block.dim),)
                  for axis, value, size in zip("xyz", index, dim) if size > 1]
    return "break FILE:LINE if " + (" && ".join(conditions) or "true")


def look_at(block, thread):
    """Shows a thread's stack, or says in one line why it has none."""
    name = "thread {} of block {}".format(simt.text_of(thread), simt.text_of(block.index))
    parked = block.parked()
    if thread in parked:
        Focus.clear()
        simt.STACK.show(parked[thread])
        Focus.block, Focus.thread = block, thread
    elif thread == block.running():
        Focus.clear()
    elif not block.has_started(thread):
        raise gdb.GdbError("{} has not started; to stop there: {}".format(
            name, how_to_stop_at(thread, block)))
    else:
        raise gdb.GdbError("{} has ended".format(name))
    show_frame(simt.own_frame() or gdb.newest_frame())


class CudaCommand(gdb.Command):
    """CUDA threads: cuda thread X,Y,Z and cuda block X,Y,Z look at another thread or block."""

    def __init__(self):
        super().__init__("cuda", gdb.COMMAND_STACK, prefix=True)

    def invoke(self, argument, from_tty):
        words = argument.split()
        if not words:
            print_focus()
        else:
            raise gdb.GdbError("cuda {0}: no such command; there are cuda thread, cuda block, "
                               "info cuda threads and info cuda blocks".format(words[0]))


class ThreadCommand(gdb.Command):
    """Look at another thread of the block: cuda thread X,Y,Z (Y and Z are 0 where left out).

    Its stack, variables and threadIdx are shown until the program goes on; nothing is run. Only a
    thread that waits, at a barrier or for its turn, has a stack. Without an argument: which thread
    is looked at."""

    def __init__(self):
        super().__init__("cuda thread", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        block, _ = require_kernel()
        if not argument.strip():
            print_focus()
            return
        look_at(block, parse_index(argument, block.dim, "thread", "blockDim"))


class BlockCommand(gdb.Command):
    """Look at another block: cuda block X,Y,Z, or cuda block X,Y,Z thread X,Y,Z.

    Blocks run one after another, so there are others to look at only where blocks wait for each
    other. Without an argument: which thread is looked at."""

    def __init__(self):
        super().__init__("cuda block", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        block, _ = require_kernel()
        wanted, _, thread_text = argument.partition("thread")
        if not wanted.strip():
            print_focus()
            return
        index = parse_index(wanted, block.grid, "block", "gridDim")
        found = resident_blocks(block).get(index)
        if found is None:
            now = simt.Block.current().index
            state = "ended" if simt.linear(index, block.grid) < simt.linear(now, block.grid) \
                else "not started"
            raise gdb.GdbError("block {} has {}".format(simt.text_of(index), state))
        if thread_text.strip():
            thread = parse_index(thread_text, found.dim, "thread", "blockDim")
        else:
            thread = found.running() or min(
                found.parked(), key=lambda index: simt.linear(index, found.dim))
        look_at(found, thread)


def print_focus():
    require_kernel()
    print("[{}]".format(describe(simt.own_frame() or gdb.newest_frame())))


class InfoCuda(gdb.Command):
    """What is known of CUDA threads: info cuda threads, info cuda blocks."""

    def __init__(self):
        super().__init__("info cuda", gdb.COMMAND_STATUS, prefix=True)


def states_of(block):
    """For each thread in order: what it does."""
    shown = Focus.block, Focus.thread, simt.STACK.parked
    parked, running = block.parked(), block.running()
    started = int(block.value["next_thread"])
    ready = {simt.triple(thread["thread_idx"]) for thread in simt.queued(block.value["ready"])}
    states = []
    for number in range(block.threads()):
        thread = simt.index_of(number, block.dim)
        if thread in parked:
            simt.STACK.show(parked[thread])
            frame = simt.own_frame()
            place = simt.place_of(frame) if frame is not None else "a place without lines"
            states.append(("ready at " if thread in ready else "waiting at ") + place)
        elif thread == running:
            simt.STACK.hide()
            frame = simt.own_frame()
            states.append("running" + (" at " + simt.place_of(frame) if frame is not None else ""))
        else:
            states.append("ended" if number < started else "not started")
    simt.STACK.hide()
    if shown[2] is not None:
        simt.STACK.show(shown[2])
    return states


class InfoThreads(gdb.Command):
    """What each thread of the block does: runs, waits at a line, is ready to go on from one, has not
    started or has ended. A * marks the one that is looked at."""

    def __init__(self):
        super().__init__("info cuda threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        block, focus = require_kernel()
        selected = simt.own_frame()
        print("block {} of {}, blockDim {}".format(simt.text_of(block.index), block.kernel,
                                                   simt.text_of(block.dim)))
        states = states_of(block)
        begin = 0
        for number in range(len(states)):
            last = number + 1 == len(states)
            if not last and states[number + 1] == states[begin]:
                continue
            first = simt.index_of(begin, block.dim)
            threads = simt.text_of(first)
            if number > begin:
                threads += " to " + simt.text_of(simt.index_of(number, block.dim))
            mark = "*" if begin <= simt.linear(focus, block.dim) <= number else " "
            print("{} {:<24} {}".format(mark, threads, states[begin]))
            begin = number + 1
        if selected is not None and simt.own_frame() is not None:
            simt.own_frame().select()


class InfoBlocks(gdb.Command):
    """The blocks that are on the way: which runs, and which wait for other blocks."""

    def __init__(self):
        super().__init__("info cuda blocks", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        focus, _ = require_kernel()
        current = simt.Block.current()
        print("{}, gridDim {}".format(current.kernel, simt.text_of(current.grid)))
        blocks = resident_blocks(current)
        for index in sorted(blocks, key=lambda index: simt.linear(index, current.grid)):
            print("{} {:<24} {}".format("*" if index == focus.index else " ", simt.text_of(index),
                                        "running" if index == current.index else
                                        "waiting for other blocks"))


for command in (CudaCommand, ThreadCommand, BlockCommand, InfoCuda, InfoThreads, InfoBlocks):
    command()
