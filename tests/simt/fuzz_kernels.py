"""Random kernels for fuzz_split.py.

A kernel is a list of statements: a text, or a Scope with statements of its own. Each text stands alone:
without it the rest is still free of races and of undefined behaviour (it may not compile). Kernels are free
of races by construction: a thread writes variables of its own, and reads what others wrote to shared memory
only between barriers; barriers stand where all threads come.

What a kernel draws beside plain statements are classes of things that a value can depend on (CLASSES).
"""
import dataclasses
import random

BLOCK = "(blockIdx.y * gridDim.x + blockIdx.x)"


@dataclasses.dataclass
class Scope:
    header: str
    items: list
    footer: str = "}"


def render(items, depth=1):
    lines = []
    for item in items:
        if isinstance(item, str):
            lines += ["  " * depth + line for line in item.split("\n")]
        else:
            lines.append("  " * depth + item.header)
            lines += render(item.items, depth + 1)
            lines.append("  " * depth + item.footer)
    return lines


class Names:
    """What a statement may use. Lvalues are of type int."""

    def __init__(self, other=None):
        self.uniform = list(other.uniform) if other else ["n", "m", "w"]  # the same for all threads
        self.writable = list(other.writable) if other else ["m"]  # of those
        self.writes = list(other.writes) if other else []  # statements that change one of those
        self.varying = list(other.varying) if other else []  # lvalues that differ between threads
        self.fixed = list(other.fixed) if other else []  # differ between threads; never written
        self.actions = list(other.actions) if other else []  # statements that change a variable; {} a value
        self.loops = list(other.loops) if other else []  # names of the loops around
        self.own_loop = other.own_loop if other else False  # is the innermost one the thread's own?


class Plain:
    """Statements of arithmetic types, arrays of them and references as arguments."""

    def __init__(self, rng):
        self.rng = rng
        self.items = []
        self.serial = 0
        self.names = Names()
        self.barriers = rng.random() < 0.6
        self.depth = 0
        self.together = True  # do all threads of the block come here?

    def say(self, text):
        self.items.append(text)

    def fresh(self, prefix):
        self.serial += 1
        return f"{prefix}{self.serial}"

    def pick(self, *choices):
        return self.rng.choice(choices)

    def likely(self, share):
        return self.rng.random() < share

    def new(self, prefix, text, *lvalues):
        """Declares a variable, named {0} in all texts, that holds the lvalues.

        The text writes all of them, and an lvalue means the same before and behind any operator.
        """
        name = self.fresh(prefix)
        self.say(text.replace("{0}", name))
        self.names.varying += [lvalue.replace("{0}", name) for lvalue in lvalues]
        return name

    def uniform_expression(self, depth=0):
        if depth > 1 or self.likely(0.5):
            return self.pick(str(self.rng.randint(0, 5)), self.rng.choice(self.names.uniform),
                             "(int)blockIdx.x", "(int)blockDim.x")
        return (f"({self.uniform_expression(depth + 1)} {self.pick('+', '-', '*')} "
                f"{self.uniform_expression(depth + 1)})")

    def expression(self, depth=0):
        if depth > 2 or self.likely(0.3):
            names = self.names.varying + self.names.fixed + self.names.uniform + ["tx", "(int)threadIdx.y"]
            return self.pick(str(self.rng.randint(0, 9)), self.rng.choice(names))
        deeper = [self.expression(depth + 1) for _ in range(3)]
        form = self.rng.random()
        if form < 0.12:
            return f"in[wrap({deeper[0]}, n)]"
        if form < 0.2:
            return f"({deeper[0]} < {deeper[1]} ? {deeper[2]} : {self.expression(depth + 1)})"
        if form < 0.26:
            return f"min({deeper[0]}, {deeper[1]})"
        return f"({deeper[0]} {self.pick('+', '-', '*', '^', '&')} {deeper[1]})"

    def value(self):
        return f"fold({self.expression()})"

    def lvalue(self):
        if not self.names.varying:
            self.new("v", f"int {{0}} = {self.value()};", "{0}")
        return self.rng.choice(self.names.varying)

    def indices(self):
        self.say(self.pick("const int tx = threadIdx.x;", "int tx = threadIdx.x;"))
        self.say("const int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;")
        self.say("const int threads = blockDim.x * blockDim.y * blockDim.z;")
        self.say(f"const int at = {BLOCK} * threads + tid;")
        for _ in range(self.rng.randint(0, 3)):
            name = self.fresh("i")
            kind = self.pick("int", "const int", "unsigned", "const long", "std::size_t", "const auto",
                             "std::int64_t")
            form = self.pick("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + 3 * blockIdx.x",
                             "tx + m", "blockIdx.x * 16 + tx", "2 * threadIdx.x + 1",
                             "blockDim.x - 1 - threadIdx.x", "threadIdx.y * blockDim.x + threadIdx.x",
                             "threadIdx.x + threadIdx.x", "tx - 5")
            self.say(f"{kind} {name} = {form};")
            self.names.fixed.append(f"(int){name}")

    def declare(self):
        form = self.rng.random()
        if form < 0.15 and self.together:
            name = self.fresh("u")
            self.say(f"int {name} = {self.uniform_expression()};")
            self.names.uniform.append(name)
            self.names.writable.append(name)
        elif form < 0.3:
            name = self.fresh("c")
            self.say(f"const int {name} = {self.value()};")
            self.names.fixed.append(name)
        elif form < 0.36:
            # Between `<` and `>` stands the comma of a list; the second name hides a global one.
            first, second = self.fresh("c"), self.fresh("hidden")
            left, right = ([self.expression(1) for _ in range(2)] for _ in range(2))
            self.say(f"const int {first} = {' < '.join(left)}, {second} = {' > '.join(right)};")
            self.names.fixed += [first, second]
        elif form < 0.4:
            self.new("a", f"int {{0}}[2] = {{{self.value()}, tx}};", "{0}[0]", "{0}[1]")
        elif form < 0.5:
            kind = self.pick("unsigned", "short", "long long", "unsigned char", "float", "double", "bool")
            name = self.new("t", f"{kind} {{0}} = {self.value()};")
            self.names.fixed.append(f"(int){name}")
            self.names.actions += [f"{name} = {{}};", f"{name} = {name} + {{}};"]
        elif form < 0.6:
            name = self.new("q", f"int2 {{0}} = make_int2({self.value()}, tx);", "{0}.x", "{0}.y")
            self.names.actions.append(f"{name} = make_int2({name}.y, {{}});")
        else:
            self.new("v", f"int {{0}} = {self.value()};", "{0}")

    def assign(self):
        if self.names.actions and self.likely(0.5):
            return self.say(self.rng.choice(self.names.actions).replace("{}", self.value()))
        name = self.lvalue()
        form = self.rng.random()
        if form < 0.15:
            return self.say(f"{name}{self.pick('++', '--')};")
        if form < 0.3:
            return self.say(f"bump({name}, {self.value()});")
        return self.say(f"{name} {self.pick('=', '+=', '^=', '-=')} {self.value()};")

    def modify_uniform(self):
        """Every thread does it: where not all come, a variable of the block must not differ after it."""
        if self.barriers and not self.together:
            return self.assign()
        if self.names.writes and self.likely(0.5):
            return self.say(self.rng.choice(self.names.writes))
        name = self.rng.choice(self.names.writable)
        return self.say(self.pick(f"{name} += {self.rng.randint(1, 3)};", f"{name}++;",
                                  f"{name} = fold({self.uniform_expression()});"))

    def scope(self, header, body, footer="}", together=None):
        """A statement with a body of its own; names declared inside end with it."""
        kept = (self.items, self.names, self.together)
        self.items, self.names = [], Names(self.names)
        self.together = self.together if together is None else self.together and together
        self.depth += 1
        body()
        self.depth -= 1
        kept[0].append(Scope(header + " {", self.items, footer))
        self.items, self.names, self.together = kept

    def share(self):
        other = self.pick("(tid + 1) % threads", "threads - 1 - tid", "tid ^ (threads > 1 ? 0 : 0)",
                          f"wrap(tid + {self.uniform_expression()}, threads)")
        if self.likely(0.4):
            bit = self.pick("1", "2", "4", "8", "16", f"({self.uniform_expression()} & 31)", "(tx & 5)")
            call = self.pick(f"near({self.value()}, {bit})", f"moved({self.value()}, {bit})",
                             f"below({self.value()}, {bit})",
                             f"twice({self.value()}, {self.value()}, {bit})")
            if self.likely(0.2):
                return self.say(f"trade({self.lvalue()}, {self.value()}, {bit});")
            return self.say(f"{self.lvalue()} {self.pick('=', '+=')} fold({call});")
        if self.likely(0.25):
            return self.say(f"{self.lvalue()} += rotate(tile, tid, {other}, {self.value()});")
        target = self.lvalue()
        return self.say(f"tile[tid] = {self.value()};\n__syncthreads();\n"
                        f"{target} += fold(tile[{other}]);\n__syncthreads();")

    def loop_name(self):
        free = [name for name in "ijk" if name not in self.names.loops]
        return self.rng.choice(free) if free else self.fresh("k")

    def uniform_loop(self):
        name = self.loop_name()
        limit = self.pick("3", "(m & 3)", "w", str(self.rng.randint(1, 4)))

        def body():
            self.names.uniform.append(f"(int){name}")
            self.names.loops.append(name)
            self.names.own_loop = False
            self.block()
            if self.likely(0.2):
                self.say(f"if ({self.uniform_expression()} > 9) {self.pick('break', 'continue')};")
                self.block()

        form = self.rng.random()
        if form < 0.12:
            self.scope(f"for (unsigned {name} = {limit}; {name}-- > 0;)", body)
        elif form < 0.24:
            self.scope(f"for (int {name} = 0, last = {limit}; {name} < last; {name}++)", body)
        else:
            self.scope(f"for (int {name} = {self.pick('0', '1')}; {name} < {limit}; "
                       f"{self.pick('++' + name, name + ' += 2')})", body)

    def turns_loop(self):
        """A `while` or `do` that counts its own turns."""
        name = self.fresh("turn")
        limit = self.rng.randint(1, 3)
        self.say(f"int {name} = 0;")
        self.names.uniform.append(name)
        if self.likely(0.5):
            self.scope("do", self.block, f"}} while (++{name} < {limit});")
        else:
            self.scope(f"while ({name}++ < {limit})", self.block)

    def thread_loop(self):
        """A loop of the thread's own length, left early at times."""
        name = self.loop_name()

        def body():
            self.names.fixed.append(name)
            self.names.loops.append(name)
            self.names.own_loop = True
            self.block()
            if self.likely(0.3):
                self.say(f"if (fold({self.expression()}) > 500) {self.pick('break', 'continue')};")
            self.assign()

        limit = self.pick("(tx & 3)", "1 + tid % 3", f"fold({self.expression()}) % 4")
        self.scope(f"for (int {name} = 0; {name} < {limit}; ++{name})", body, together=False)

    def strided_loop(self):
        name = self.loop_name()
        kind = self.pick("int", "unsigned", "std::size_t", "long", "auto", "short")
        begin = self.pick("tid", "threadIdx.x", "tx", "tid + 1", "at")
        step = self.pick("threads", "blockDim.x", "threads", "7")
        limit = self.pick("n", "n", "w * 10", "40")
        if kind in ("unsigned", "std::size_t"):
            limit = f"({kind})({limit})"

        def body():
            self.names.fixed.append(f"(int){name}")
            self.names.loops.append(name)
            self.names.own_loop = True
            self.block()
            self.assign()
            if self.likely(0.5):
                self.modify_uniform()

        self.scope(f"for ({kind} {name} = {begin}; {name} < {limit}; {name} += {step})", body, together=False)

    def choose(self):
        uniform = self.likely(0.6)
        value = self.uniform_expression() if uniform else self.expression()
        header = self.pick("switch (fold({}) & 3) {{\ncase 0:", "switch (fold({}) & 3) {{\ncase 2:\ncase 1:")
        kept = self.items
        self.items = []
        self.scope("", self.block, self.pick("} break;", "}"), together=uniform)
        self.say("case 3:")
        self.scope("", self.block, "} break;", together=uniform)
        self.say("default:")
        self.scope("", self.block, together=uniform)
        kept.append(Scope(header.format(value), self.items))
        self.items = kept

    def feature(self):
        self.declare()

    def block(self):
        forms = ([(self.declare, 16), (self.assign, 22), (self.feature, 30)] if self.depth > 2 else
                 [(self.declare, 14), (self.assign, 20), (self.feature, 28),
                  (self.uniform_loop, 7), (self.turns_loop, 3),
                  (self.thread_loop, 6), (self.strided_loop, 10),
                  (self.choose, 3),
                  (lambda: self.scope(f"if ({self.uniform_expression()} > 2)",
                                      self.block), 4),
                  (lambda: self.scope(f"if (fold({self.expression()}) > 300)",
                                      self.block, together=False), 4)])
        forms.append((self.modify_uniform, 6))
        if self.barriers and self.together:
            forms.append((self.share, 9))
        for _ in range(self.rng.randint(*((1, 3) if self.depth else (4, 10)))):
            self.rng.choices([form for form, _ in forms], [weight for _, weight in forms])[0]()
