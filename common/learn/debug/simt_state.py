"""What gdb can read of a program that `cucc -G` has compiled: its blocks, their threads, and where each
of these stands.

A thread that waits has a stack of its own, whose top the runtime keeps in a `ParkedThread`. To show
such a stack, an unwinder claims that the program's newest frame was called from there. Registers stay
as they are, so that nothing has to be put back before the program goes on.
"""
import os

import gdb
import gdb.unwinder

BACKEND_FOLDERS = ("/simt/include/", "/simt/runtime/", "/simt/inspect/")
BACKEND_NAMES = ("simt::", "simt_", "__tsan_", "__sanitizer_", "__ubsan_", "_GLOBAL__sub_",
                 "__static_initialization_and_destruction")


def triple(value):
    """A uint3 or dim3 as (x, y, z)."""
    return tuple(int(value[axis]) for axis in "xyz")


def linear(index, dim):
    """The number of a thread or block, x fastest."""
    return index[0] + dim[0] * (index[1] + dim[1] * index[2])


def index_of(number, dim):
    """The thread or block of a number."""
    return (number % dim[0], number // dim[0] % dim[1], number // (dim[0] * dim[1]))


def text_of(index):
    return "({},{},{})".format(*index)


def global_value(name):
    symbol = gdb.lookup_global_symbol(name)
    return None if symbol is None else symbol.value()


class FrameIdentity:
    """What tells a frame from others: gdb has a class for it from version 14 on."""

    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


class Stack(gdb.unwinder.Unwinder):
    """Shows the stack of a waiting thread in place of the running one's."""

    def __init__(self):
        super().__init__("cuda-thread")
        self.parked = None
        self.newest = None

    def show(self, parked):
        self.hide()
        frame = gdb.newest_frame()
        self.newest = (int(frame.read_register("rsp")), frame.pc())
        self.parked = parked
        gdb.invalidate_cached_frames()

    def hide(self):
        if self.parked is not None:
            self.parked = None
            gdb.invalidate_cached_frames()

    def __call__(self, pending):
        if self.parked is None:
            return None
        here = pending.read_register("rip")
        if (int(pending.read_register("rsp")), int(here)) != self.newest:
            return None
        # gdb wants a caller's frame above its own: the newest one is said to lie on that stack, too.
        below = gdb.Value(int(self.parked["stack_pointer"]) - 256).cast(here.type)
        info = pending.create_unwind_info(FrameIdentity(below, here))
        for register, field in (("rsp", "stack_pointer"), ("rbp", "frame_pointer"),
                                ("rip", "resume_address")):
            kind = pending.read_register(register).type
            info.add_saved_register(register, self.parked[field].cast(kind))
        return info


STACK = Stack()


def frames():
    """The frames of the stack that is shown, newest first."""
    frame = gdb.newest_frame()
    if STACK.parked is not None:
        frame = frame.older()
    while frame is not None:
        yield frame
        frame = frame.older()


def source_of(frame):
    """The file of a frame's line, or None."""
    symtab = frame.find_sal().symtab
    return None if symtab is None else symtab.fullname()


def block_of_function(frame):
    if frame.function() is None:
        return None
    block = frame.block()
    while block.function is None:
        block = block.superblock
    return block


def names_in_function(frame):
    """The names of a function's parameters and outermost variables."""
    block = block_of_function(frame)
    return set() if block is None else {symbol.name for symbol in block}


def is_launch(frame):
    """A kernel's own function, which launches it, and what calls its body for a thread."""
    return bool(names_in_function(frame) & {"simt_launch", "simt_thread"})


def is_backend_source(source):
    return any(folder in source for folder in BACKEND_FOLDERS)


def function_at(address):
    """The block of the function at an address, or None."""
    block = gdb.block_for_pc(address)
    while block is not None and block.function is None:
        block = block.superblock
    return block


def is_launch_place(address):
    """Is the function at an address a kernel's own, which launches it?"""
    function = function_at(address)
    return function is not None and any(symbol.name == "simt_launch" for symbol in function)


def is_own_place(address):
    """Is there a line of the program's own at an address?"""
    symtab = gdb.find_pc_line(address).symtab
    function = function_at(address)
    if symtab is None or function is None or "::simt_owner::" in function.function.name:
        return False
    return not is_backend_source(symtab.fullname())


def is_backend(frame):
    name = frame.name() or ""
    if name.startswith(BACKEND_NAMES) or "::simt_owner::" in name:
        return True
    source = source_of(frame)
    return source is not None and (is_backend_source(source) or is_launch(frame))


def is_own(frame):
    """Has the frame lines that can be shown, and are they the program's, not the backend's or a
    library's?"""
    source = source_of(frame)
    return (source is not None and not is_backend(frame) and
            not source.startswith("/usr/include/") and os.path.exists(source))


def own_frame():
    """The newest frame that is the program's own, or None."""
    return next((frame for frame in frames() if is_own(frame)), None)


def kernel_frame():
    """The frame of the kernel's body on the stack that is shown; None in host code."""
    last = None
    for frame in frames():
        if (frame.name() or "").endswith("::fiber_main()") or frame.name() == \
                "simt::detail::(anonymous namespace)::fiber_main":
            return last
        if is_own(frame):
            last = frame
    return None


def place_of(frame):
    """FILE:LINE."""
    sal = frame.find_sal()
    return "{}:{}".format(sal.symtab.filename.rsplit("/", 1)[-1], sal.line)


def is_in_head(frame):
    """Does a frame stand on a line on which its function begins, or returns to its caller from there?"""
    begin = block_of_function(frame).start
    return frame.find_sal().line <= gdb.find_pc_line(begin).line


def linked(first):
    """The items of a list, each with a member `next`."""
    while int(first) != 0:
        yield first.dereference()
        first = first["next"]


def queued(queue):
    """The threads in a ParkedQueue."""
    for i in range(int(queue["end_"] - queue["first_"])):
        yield queue["first_"][i].dereference()


class Block:
    """A resident block of a kernel."""

    def __init__(self, value):
        self.value = value
        self.dim = triple(value["dim"])
        self.grid = triple(value["grid"])
        self.index = triple(value["index"])
        self.kernel = value["job"]["kernel"]["name"].string()

    @staticmethod
    def current():
        """The block that runs; None in host code."""
        pointer = global_value("simt::detail::current_block")
        return None if pointer is None or int(pointer) == 0 else Block(pointer.dereference())

    def others(self):
        """The other resident blocks: those that wait for blocks."""
        vector = self.value["worker"]["paused_"]["_M_impl"]
        pointer = self.value.type.pointer()
        for address in range(int(vector["_M_start"]), int(vector["_M_finish"]), pointer.sizeof):
            block = gdb.Value(address).cast(pointer.pointer()).dereference()
            if int(block) not in (0, int(self.value.address)):
                yield Block(block.dereference())

    def threads(self):
        return self.dim[0] * self.dim[1] * self.dim[2]

    def parked(self):
        """{thread: ParkedThread} of those that wait for others or for their turn."""
        waiting = list(queued(self.value["ready"])) + list(queued(self.value["barrier_waiters"]))
        for warp in range((self.threads() + 31) // 32):
            for group in linked(self.value["warps"][warp]["pending"]):
                waiting += [group["waiters"][i].dereference() for i in range(int(group["count"]))]
        for queue in linked(self.value["named"]):
            waiting += linked(queue["waiters"]["head_"])
        waiting += linked(self.value["grid_waiters"]["head_"])
        return {triple(thread["thread_idx"]): thread for thread in waiting}

    def running(self):
        """The thread that runs, or None."""
        current = Block.current()
        if current is None or current.value.address != self.value.address:
            return None
        return triple(global_value("threadIdx"))

    def has_started(self, thread):
        return linear(thread, self.dim) < int(self.value["next_thread"])
