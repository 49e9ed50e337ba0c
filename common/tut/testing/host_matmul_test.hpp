#pragma once

#include <functional>

#include "tut/errors/source_location.hpp"
#include "tut/testing/matmul_battery.hpp"
#include "tut/trial/page_end.hpp"
#include "tut/trial/spoil_stack.hpp"

namespace tut {

template <class T, class U>
using HostMatmul = std::function<void(MatrixView<const T>, MatrixView<const T>, MatrixView<U>)>;

/// A matmul on host memory, C = A B. A and B end where their memory ends; in a second call all rows
/// of C do.
template <class T, class U>
MatmulRun<T, U> host_run(const HostMatmul<T, U>& function) {
  return [function](Guarded<T>& a, Guarded<T>& b, Guarded<U>& c) {
    const PageEndMatrix<T> a_at_end(a.cview()), b_at_end(b.cview());
    spoil_stack();
    function(a_at_end.cview(), b_at_end.cview(), c.view());
    a_at_end.copy_to(a.view().data);
    b_at_end.copy_to(b.view().data);
    const PageEndRows<U> c_at_ends(c.cview());
    function(a_at_end.cview(), b_at_end.cview(), c_at_ends.view());
    a_at_end.refuse_use_past_end("A");
    b_at_end.refuse_use_past_end("B");
    c_at_ends.refuse_use_past_end("C");
  };
}

/// Runs it over the whole battery (run_matmul_battery).
template <class T, class U>
Outcome matmul_outcome(const HostMatmul<T, U>& function, const MatmulTestOptions& options = {}) {
  return run_matmul_battery<T, U>(host_run(function), options);
}

/// The same, reported through doctest.
template <class T, class U>
void test_matmul(void (*function)(MatrixView<const T>, MatrixView<const T>, MatrixView<U>),
                 const MatmulTestOptions& options = {},
                 const SourceLocation& where = SourceLocation::current()) {
  expect(matmul_outcome<T, U>(HostMatmul<T, U>(function), options), where);
}

}  // namespace tut
