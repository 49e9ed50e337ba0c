// Functions of the host in namespaces and classes, which kernels call.
#include <cuda_runtime.h>

#ifdef MENDED
#define SHARED_CODE __host__ __device__
#else
#define SHARED_CODE
#endif

namespace model {
SHARED_CODE int next(int a) { return a + 1; }
template <class T>
SHARED_CODE T twice(T x) {
  return x + x;
}
namespace inner {
SHARED_CODE int previous(int a);
}
}  // namespace model

SHARED_CODE int halve(int a) { return a / 2; }

struct Number {
  int n;
  SHARED_CODE int get() const { return n; }
  SHARED_CODE static Number make() { return {3}; }
  SHARED_CODE int later() const;
  __device__ int sum() const {
    return get() + n;  // refused: host function 'get'
  }
  __device__ int more() const;
};

SHARED_CODE int Number::later() const { return n + 1; }

__device__ int Number::more() const {
  return this->later();  // refused: host function 'later'
}

class Range {
 public:
  SHARED_CODE Range() : first_(0) {}
  SHARED_CODE Range(int first, int last) : first_(first + last) {}
  __device__ int first() const { return first_; }

 private:
  int first_;
};

__global__ void calls(int* out, const Number* numbers, Number one) {
  out[0] = model::next(1);              // refused: host function 'next'
  out[1] = ::halve(1);                  // refused: host function 'halve'
  out[2] = model::inner::previous(2);   // refused: host function 'previous'
  out[3] = model::twice<int>(2);        // refused: host function 'twice'
  out[4] = ::model::next(1);            // refused: host function 'next'
  out[5] = one.get();                   // refused: host function 'get'
  out[6] = numbers->get();              // refused: host function 'get'
  out[7] = numbers[threadIdx.x].get();  // refused: host function 'get'
  Number some[2] = {};
  const Number& other = some[0];
  out[8] = other.get() + some[1].n;  // refused: host function 'get'
  out[9] = some[1].later();          // refused: host function 'later'
  out[10] = Number::make().n;        // refused: host function 'make'
  out[11] = Number{4}.get();         // refused: host function 'get'
  Range range;                       // refused: host constructor 'Range'
  Range ranges(1, 2);                // refused: host constructor 'Range'
  const Range braced{1, out[0]};     // refused: host constructor 'Range'
  out[12] = Range(1, 2).first();     // refused: host constructor 'Range'
  out[13] = Range{}.first();         // refused: host constructor 'Range'
  out[15] = one.sum() + one.more();
#ifdef MENDED
  out[14] = range.first() + ranges.first() + braced.first();
#endif
}

// Right, whatever it looks like.
namespace right {
constexpr int step(int a) { return a + 1; }
int mixed(float a) { return a > 1; }
__device__ int mixed(int a) { return a; }
int hidden(int a) { return a; }
inline namespace newest {
__device__ int hidden(float a) { return a > 1; }
}  // namespace newest
}  // namespace right
namespace host_only {
int mixed(float a) { return a > 1; }
}  // namespace host_only
namespace also = right;

struct Defaulted {
  Defaulted() = default;
  Defaulted(int first, int last) : n(first + last) {}
  int n = 1;
  constexpr int get() const { return n; }
};

struct Constant {
  constexpr Constant(int a, int b) : n(a + b) {}
  int n;
};

struct Copied {  // its constructor for copies is its own
  Copied(int a, int b) : n(a + b) {}
  int n;
};

struct Base {
  __device__ int value() const { return 1; }
};
struct Derived : Base {
  using Base::value;
  int value(float a) const { return a > 1; }
};

struct Arrow {
  int get() const { return 1; }
  Defaulted* inner;
  __device__ Defaulted* operator->() const { return inner; }
  __device__ Defaulted& operator[](int) const { return *inner; }
};

namespace right {
template <class T>
struct Guided {
  T n;
};
Guided(int)->Guided<int>;
}  // namespace right

template <class F>
struct Apply {
  F get;  // called, and no function
};

struct Shadowed {
  int get() const { return 1; }
};
template <class Shadowed>
__device__ int of_parameter(Shadowed shadowed) {
  return shadowed.get();
}

__global__ void right_calls(int* out, Copied given, Derived derived, Arrow arrow) {
  out[0] = right::step(1) + right::mixed(1) + also::mixed(1) + right::hidden(1.0F);
  Defaulted defaulted;
  Constant constant(1, 2);
  Copied copy(given);
  Copied braced{given};
  const Copied* pointer = &given;
  out[1] = defaulted.get() + constant.n + copy.n + braced.n + pointer->n + derived.value();
  out[2] = arrow->get() + arrow[0].get() + of_parameter(defaulted);
  const auto get = [] { return 1; };
  Apply<decltype(get)> apply{get};
  out[3] = apply.get() + sizeof(Number::make()) + sizeof(Range(1, 2));
  struct Local {
    int n;
    __device__ int later() const { return n; }
  };
  Local local{2};
  {
    Local one{1};
    out[4] = one.later() + local.later();
  }
  using Pair = Defaulted;
  Pair pair;
  out[5] = pair.n;
  const auto lambda = [](Copied value, int n) { return value.n + n; };
  out[6] = lambda(given, 1) + right::Guided{1}.n + (right::Guided(1)).n;
}

SHARED_CODE int model::inner::previous(int a) { return a - 1; }

int main() {
  return right::hidden(1) + host_only::mixed(1) + Defaulted(1, 2).n + Copied(1, 2).n +
         Derived().value(1.0F) + Arrow().get() + Shadowed().get() + Number::make().get() - 15;
}
