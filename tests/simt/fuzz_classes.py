"""The classes of things that a value in a kernel can depend on, for fuzz_kernels.py."""
import re

from fuzz_kernels import BLOCK, Plain, render

PRELUDE = """\
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>
__host__ __device__ constexpr int fold(long long x) { return static_cast<int>(((x % 1009) + 1009) % 1009); }
__host__ __device__ constexpr int wrap(long long x, int n) { return static_cast<int>(((x % n) + n) % n); }
__host__ __device__ constexpr int peek(const int* p, int i) { return p[i]; }
__device__ void bump(int& x, int by) { x += by; }
__device__ bool poke(int& x, int by) { x = fold(x + by); return x & 1; }
__device__ int take(int* x) { return (*x)++; }
__device__ int& either(int& a, int& b, bool first) { return first ? a : b; }
__device__ unsigned rnd(unsigned* s) { *s = *s * 1664525u + 1013904223u; return *s >> 20; }
__device__ void sneak(const int& x, int by) { const_cast<int&>(x) = fold(x + by); }
template <int K, class T> __device__ void times(T& x) { x = fold(static_cast<long long>(x) * K + 1); }
__device__ int rotate(int* tile, int tid, int other, int value) {
  tile[tid] = value;
  __syncthreads();
  const int got = tile[other];
  __syncthreads();
  return got;
}
// Of a lane that the block does not have nothing comes.
__device__ int partner(int value, int bit) {
  const int other = __shfl_xor_sync(~0u, value, bit);
  const int at = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return (at ^ bit) < blockDim.x * blockDim.y * blockDim.z ? other : 0;
}
__device__ int near(int value, int bit) { return fold(2LL * value + partner(value, bit)); }
__device__ int moved(int value, unsigned bit) {
  value = fold(value + 7LL);
  bit ^= 1;
  return partner(value, bit) + bit;
}
__device__ int below(int value, int by) {
  bump(value, by);
  const int other = __shfl_up_sync(~0u, value, by & 3);
  bump(value, other);
  return fold(value);
}
template <class T> __device__ T twice(T value, T factor, int bit) { return near(near(value, bit), bit) * (factor & 3); }
__device__ void trade(int& x, int with, int bit) {
  x = partner(with, bit);
  x = fold(x + 5LL * with);
}
namespace state {
struct Pair { int a, b; };
__device__ int cells[8];
__device__ Pair pairs[8];
}  // namespace state
struct Args { int x; int v[2]; };
struct Box {
  int x, y;
  int v[2];
  __device__ int& operator[](int i) { return v[i & 1]; }
  __device__ int add(int by) { x = fold(x + by); return x; }
  __device__ int operator()(int by) { y = fold(y * 3 + by); return y; }
};
struct Tally {
  int n, sum;
  __device__ Tally() : n(0), sum(threadIdx.x) {}
  __device__ Tally& operator+=(int v) { sum = fold(sum + v); ++n; return *this; }
  __device__ Tally& operator<<(int v) { sum = fold(sum * 3 + v); return *this; }
  __device__ operator int() const { return sum + n; }
};
struct Random {
  mutable unsigned s;
  __device__ explicit Random(unsigned seed) : s(seed * 747796405u + 2891336453u) {}
  __device__ int operator()() const { s = s * 1664525u + 1013904223u; return static_cast<int>(s >> 22); }
};
struct Lane { int v; __device__ Lane() : v(threadIdx.x + 1) {} };
struct Plus { int v; __device__ operator int() const { return v + static_cast<int>(threadIdx.x); } };
struct Id { int v; __device__ Id(int x) : v(x + static_cast<int>(threadIdx.x)) {} };
__device__ int id_of(Id id) { return id.v; }
struct Wide { __device__ int operator*(int k) const { return k * static_cast<int>(threadIdx.x + threadIdx.y); } };
struct Guard { int* p; int by; __device__ ~Guard() { *p = fold(*p * 2 + by); } };
struct Cursor {
  int buf[3];
  int* p;
  __device__ Cursor(int a) : buf{a, a + 1, a + 2}, p(buf) {}
  __device__ int next() { const int v = *p; p = p == buf + 2 ? buf : p + 1; return v; }
};
struct Link { int v; Link* next; };
typedef Tally int_total;
""" + "__device__ int " + ", ".join(f"hidden{i} = {i}" for i in range(200)) + ";\n"


class Kernel(Plain):
    """One kernel that draws from some classes."""

    def __init__(self, rng, name, classes=None):
        super().__init__(rng)
        self.name = name
        self.takes_class = False
        if classes is None:
            share = rng.random()
            count = 0 if share < 0.15 else rng.randint(1, 2) if share < 0.6 else rng.randint(3, len(CLASSES))
            classes = rng.sample(sorted(CLASSES), count)
        self.classes = sorted(classes)

    def feature(self):
        if not self.classes:
            return self.declare()
        draw = self.rng.choice(self.classes)
        if self.depth > 2 and draw in SCOPES:
            return self.assign()
        return CLASSES[draw](self)

    def initialiser_effects(self):
        v = self.lvalue()
        form = self.rng.randint(0, 6)
        if form == 0:
            self.new("v", f"int {{0}} = {v}{self.pick('++', '--')};", "{0}")
        elif form == 1:
            self.names.fixed.append(self.new("c", f"const int {{0}} = ++{v} * 2;"))
        elif form == 2:
            seed = self.fresh("seed")
            self.say(f"unsigned {seed} = {self.value()};")
            self.names.fixed.append("(int)" + self.new("r", f"unsigned {{0}} = rnd(&{seed});"))
            self.names.actions.append(f"{self.lvalue()} = fold(rnd(&{seed})) + {{}};")
        elif form == 3:
            p = self.fresh("p")
            self.say(f"const int* {p} = in + {self.value()} % 100;")
            self.new("v", f"int {{0}} = *{p}++;", "{0}")
            self.names.fixed.append(f"*{p}")
            return
        elif form == 4:
            self.new("v", f"int {{0}} = take(&{v}), more_{{0}} = {v}--;", "{0}", "more_{0}")
        elif form == 5:
            self.new("a", f"int {{0}}[2] = {{{v}++, {v} += 2}};", "{0}[0]", "{0}[1]")
        else:
            self.names.fixed.append(self.new("c", f"const bool {{0}} = poke({v}, {self.value()});"))

    def hidden_writes(self):
        v, other = self.lvalue(), self.lvalue()
        form = self.rng.randint(0, 9)
        if form <= 1:
            box = self.new("box", f"Box {{0}} = {{{self.value()}, tx, {{1, 2}}}};", "{0}.x", "{0}.y", "{0}.v[1]")
            self.names.actions += [f"{box}.v[tx & 1] += {{}};", f"{box}[{self.value()}] ^= {{}};",
                                   f"{v} = {box}.add({{}});", f"{box}({{}});"]
        elif form == 2:
            self.say(f"times<{self.rng.randint(2, 5)}>({v});")
        elif form == 3:
            self.new("r", f"int& {{0}} = {v};", "{0}")
        elif form == 4:
            self.new("p", f"int* {{0}} = tx % 3 ? &{v} : &{other};", "(*{0})")
        elif form == 5:
            self.say(f"state::Pair pair_{self.fresh('')}{{{self.value()}, tx}};\n"
                     f"auto& [left{self.serial}, right{self.serial}] = pair_{self.serial};")
            self.names.varying += [f"left{self.serial}", f"right{self.serial}", f"pair_{self.serial}.b"]
        elif form == 6:
            row = self.new("a", f"int {{0}}[3] = {{tx, {self.value()}, 2}};", "{0}[1]")
            self.say(f"for (int& x : {row}) x += {self.value()};")
        elif form == 7:
            self.say(f"({self.expression()} > {self.value()} ? {v} : {other}) += {self.value()};")
        elif form == 8:
            self.say(f"{self.expression()} > {self.value()} {self.pick('&&', '||')} "
                     f"poke({v}, {self.value()});")
        else:
            self.say(f"either({v}, {other}, tx & 1) = {self.value()};")

    def lambdas(self):
        v, other = self.lvalue(), self.lvalue()
        name = self.fresh("call")
        capture = self.pick("&", "=", "&" + v) if v.isidentifier() else self.pick("&", "=")
        if capture == "=":
            self.say(f"auto {name} = [state = {v}](int by) mutable {{ return state = fold(state + by); }};")
        elif capture == "&":
            self.say(f"{self.pick('auto', 'const auto')} {name} = [&](int by) "
                     f"{{ {v} = fold({v} + by); return {other}; }};")
        else:
            self.say(f"auto {name} = [{capture}](int by) {{ {v} ^= by; return by; }};")
        self.names.actions += [f"{name}({{}});", f"{other} = {name}({{}});"]

    def class_locals(self):
        form = self.rng.randint(0, 3)
        if form == 0:
            name = self.new("tally", "Tally {0};", "{0}.sum", "{0}.n")
            self.names.fixed.append(f"(int){name}")
            self.names.actions += [f"{name} += {{}};", f"{name} << {{}} << 2;"]
        elif form == 1:
            self.new("lane", "Lane {0};", "{0}.v")
        elif form == 2:
            name = self.fresh("tallies")
            self.say(f"Tally {name}[2];")
            self.names.varying.append(f"{name}[1].sum")
            self.names.actions.append(f"{name}[tx & 1] += {{}};")
        else:
            self.new("total", "int_total {0};", "{0}.sum")

    def shared_values(self):
        if not (self.barriers and self.together):
            return self.assign()
        cell = self.pick("cell", "pair.b", f"state::cells[{BLOCK}]", f"state::pairs[{BLOCK}].a", "tile[0]")
        read = self.pick(cell, cell, "peek(&" + cell + ", 0)", "*(&" + cell + ")")
        name = self.fresh("seen")
        kind = self.pick("int", "const int", "const auto", "const int&", "auto")
        self.say(f"if (tid == 0) {cell} = fold({self.uniform_expression()});\n__syncthreads();\n"
                 f"{kind} {name} = {read};\n__syncthreads();")
        change = f"if (tid == 0) {cell} = fold({cell} + {self.rng.randint(1, 9)});\n__syncthreads();"
        if self.likely(0.6):
            self.say(f"__syncthreads();\n{change}")
        # As a reference it is read where others must not write.
        if kind == "const int&":
            return self.say(f"{self.lvalue()} += {name};\n__syncthreads();")
        return self.names.uniform.append(name)

    def local_types(self):
        form = self.rng.randint(0, 5)
        if form == 0:
            name = self.new("bits", "union { int i; unsigned char b[4]; } {0};\n"
                            f"{{0}}.i = {self.value()};", "{0}.i")
            self.names.actions.append(f"{name}.b[1] = {{}};")
        elif form == 1:
            name = self.new("both", "struct { int a, b; } {0} = {tx, 3};", "{0}.a", "{0}.b")
        elif form == 2:
            self.new("pair", f"struct Args {{0}};\n{{0}}.x = {self.value()};\n{{0}}.v[0] = {{0}}.v[1] = tx;",
                     "{0}.x", "{0}.v[0]")
        elif form == 3:
            name = self.fresh("kind")
            self.say(f"enum {{ few_{name}, many_{name} = 7 }} {name} = {self.value()} > 400 ? "
                     f"few_{name} : many_{name};")
            self.names.fixed.append(name)
        elif form == 4:
            name = self.fresh("Local")
            self.say(f"struct {name} {{ int v = tx_of(); __device__ static int tx_of() {{ return threadIdx.x; }} "
                     f"__device__ int twice() {{ return v = fold(v * 2); }} }};")
            box = self.new("local", f"{name} {{0}};", "{0}.v")
            self.names.actions.append(f"{self.lvalue()} += {box}.twice() + {{}};")
        else:
            self.new("word", f"union Word {{ int i; short h[2]; }};\nWord {{0}} = {{{self.value()}}};", "{0}.i")
            self.items[-1] = self.items[-1].replace("Word", self.fresh("Word"))

    def shadows(self):
        simple = [name for name in self.names.varying + self.names.uniform
                  if name.isidentifier() and name[0] in "vu" and name not in self.names.loops]
        if not simple:
            return self.declare()
        name = self.rng.choice(simple)
        value = self.value()
        if re.search(rf"\b{name}\b", value):
            value = "tx + 1"  # it would be its own

        def body():
            for part in ("uniform", "writable", "writes", "varying", "actions"):
                kept = [text for text in getattr(self.names, part) if not re.search(rf"\b{name}\b", text)]
                setattr(self.names, part, kept)
            (self.names.fixed if header.startswith("for") else self.names.varying).append(name)
            if header == "":
                self.say(f"int {name} = {value};")
            self.block()

        header = self.pick("", f"if (int {name} = {value}; {name} > 100)",
                           f"for (int {name} = tx; {name} < tx + 2 && {name} < 2000; {name} = {name} * 2 + 900)")
        return self.scope(header, body, together=header == "")

    def thread_classes(self):
        v = self.lvalue()
        form = self.rng.randint(0, 8)
        if form == 0:
            self.new("lane", "Lane {0}{};", "{0}.v")
        elif form == 1:
            self.new("v", f"int {{0}} = Plus{{{self.value()}}};", "{0}")
        elif form == 2:
            self.names.fixed.append(self.new("c", f"const int {{0}} = id_of({self.uniform_expression()});"))
        elif form == 3:
            self.names.fixed.append(self.new("c", f"const int {{0}} = Wide{{}} * {self.uniform_expression()};"))
        elif form == 4:
            self.scope("", lambda: (self.say(f"Guard {self.fresh('guard')}{{&{v}, {self.value()}}};"),
                                    self.block()))
        elif form == 5:
            name = self.fresh("random")
            self.say(f"const Random {name}({self.value()});")
            self.new("v", f"int {{0}} = {name}();", "{0}")
            self.names.actions.append(f"{v} = {name}() + {{}};")
        elif form == 6:
            self.new("id", f"Id {{0}} = {self.uniform_expression()};", "{0}.v")
        elif form == 7:
            self.new("v", f"auto {{0}} = Plus{{m}} + {self.uniform_expression()};", "{0}")
        else:
            self.takes_class = True
            self.names.varying += ["args.x", "args.v[1]"]
            self.say(f"args.v[tx & 1] += {self.value()};")

    def guarded_divisions(self):
        may_go_on = self.together or self.names.own_loop
        if self.names.loops and may_go_on and self.likely(0.7):
            divisor = "w" if self.together or self.likely(0.5) else self.lvalue()
            self.say(f"if ({divisor} == 0) continue;")
            self.new("v", f"{self.pick('int', 'const int')} {{0}} = {self.value()} "
                          f"{self.pick('/', '%')} {divisor};")
            return self.names.fixed.append(f"v{self.serial}")
        divisor = self.pick("w", "(m & 3)")
        if self.depth == 0 and not self.barriers and self.likely(0.6):
            divisor = self.pick(divisor, f"(tx - {self.rng.randint(0, 9)})")
            self.say(f"if ({divisor} == 0) return;")
            return self.names.fixed.append(self.new("d", f"const int {{0}} = {self.value()} / {divisor};"))
        return self.scope(f"if ({divisor} != 0)", lambda: (
            self.names.fixed.append(self.new("d", f"int {{0}} = {self.value()} / {divisor};")), self.block()))

    def uniform_aliases(self):
        if not self.together:
            return self.assign()
        name = self.fresh("u")
        alias = self.fresh("alias")
        self.say(f"int {name} = {self.uniform_expression()};")
        self.names.uniform.append(name)
        self.names.writable.append(name)
        form = self.rng.randint(0, 3)
        if form == 0:
            self.say(f"int* {alias} = &{name};")
            self.names.writes += [f"*{alias} += 1;", f"*{alias} = fold({self.uniform_expression()});"]
        elif form == 1:
            self.say(f"int& {alias} = {name};")
            self.names.writes += [f"{alias} += 2;", f"bump({alias}, 1);"]
        elif form == 2:
            self.say(f"auto {alias} = [&] {{ ++{name}; }};")
            self.names.writes.append(f"{alias}();")
        else:
            self.names.writes += [f"sneak({name}, 3);", f"take(&{name});"]
        return self.modify_uniform()

    def self_pointers(self):
        v = self.lvalue()
        if self.likely(0.5):
            name = self.new("cursor", f"Cursor {{0}}({self.value()});", "{0}.buf[1]", "(*{0}.p)")
            self.names.actions += [f"{v} += {name}.next();", f"{name}.buf[0] = {{}};"]
        else:
            name = self.fresh("link")
            self.say(f"Link end_{name}{{{self.value()}, nullptr}}, {name}{{tx, &end_{name}}};")
            self.names.varying += [f"{name}.next->v", f"end_{name}.v", f"{name}.v"]
            self.names.actions.append(f"for (Link* p = &{name}; p; p = p->next) p->v += {{}};")

    def wrapping_loops(self):
        far = self.rng.randint(1, 9)
        if self.likely(0.4):
            kind = self.pick("int", "unsigned", "long", "std::size_t", "const auto", "const int")
            form = self.pick(f"threadIdx.x + {0x7fffffff - far}u", f"threadIdx.x - {far}u",
                             f"{0xffffffff - far}u + threadIdx.x", f"threadIdx.x - {far} + (long)w",
                             f"w + threadIdx.x - {far}")
            name = self.fresh("i")
            self.say(f"{kind} {name} = {form};\nconst long {name}_more = {name} + (long)n;")
            self.names.fixed += [f"(int)({name} / 3)", f"(int)({name}_more >> 8)", f"(int){name}_more"]
            return None
        name = self.loop_name()
        header = self.pick(f"for (unsigned {name} = tx - {far}; {name} < 40u; {name} += {far})",
                           f"for (unsigned {name} = tid + 0xfffffff0u; {name} < 20u; {name} += 3)",
                           f"for (std::size_t {name} = tid - {far}; {name} < 30; {name} += threads)",
                           f"for (unsigned {name} = threadIdx.x - {far}u; {name} < (unsigned)n; {name} += 16)",
                           f"for (unsigned char {name} = 250 + (tx & 7); {name} > 2; ++{name})",
                           f"for (unsigned {name} = w - 1; {name} < 5u; --{name})")

        def body():
            self.names.fixed.append(f"(int){name}")
            self.names.loops.append(name)
            self.names.own_loop = True
            self.block()
            self.assign()

        return self.scope(header, body, together=False)

    def statements(self):
        self.say("__shared__ int tile[128], cell;\n__shared__ state::Pair pair;")
        self.indices()
        self.say("int u0 = 1;")
        self.names.uniform.append("u0")
        self.names.writable.append("u0")
        if not self.barriers and self.likely(0.5):
            self.say(self.pick("if (at >= n) return;", "if (at >= n || tx > w + 40) return;"))
        self.new("v", f"int {{0}} = {self.value()};", "{0}")
        self.block()
        names = self.names.varying + self.names.fixed + self.names.uniform
        result = " + ".join(f"{3 + 2 * k} * (long long)({name})" for k, name in enumerate(names))
        self.say(f"if (at < n) out[at] = fold({result});")
        self.say("(void)tile, (void)cell, (void)pair;")
        return self.items

    def text(self, items):
        """The kernel, and a function that launches it."""
        parameters = "const int* in, int* out, int n, int m, int w"
        more, args = (", Args args", ", Args{7, {m, w}}") if self.takes_class else ("", "")
        body = "\n".join(render(items))
        return (f"__global__ void {self.name}({parameters}{more}) {{\n{body}\n}}\n"
                f"void launch_{self.name}(dim3 grid, dim3 block, {parameters}) {{\n"
                f"  {self.name}<<<grid, block>>>(in, out, n, m, w{args});\n}}\n")


# As the splitter's tests call them: what was found wrong when kernels were split by their spelling.
CLASSES = {
    1: Kernel.initialiser_effects,
    2: Kernel.hidden_writes,
    3: Kernel.lambdas,
    4: Kernel.class_locals,
    5: Kernel.shared_values,
    6: Kernel.local_types,
    7: Kernel.shadows,
    8: Kernel.thread_classes,
    9: Kernel.guarded_divisions,
    10: Kernel.uniform_aliases,
    11: Kernel.self_pointers,
    12: Kernel.wrapping_loops,
}
SCOPES = {7, 8, 9, 12}  # these may have statements of their own
