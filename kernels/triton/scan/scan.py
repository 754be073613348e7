"""Inclusive sums of rows and a first-order recurrence, as associative scans."""
import triton
import triton.language as tl


@triton.jit
def combine(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@triton.jit
def scan(a_ptr, b_ptr, sum_ptr, state_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    a = tl.load(a_ptr + row + cols, mask=mask, other=1.0)
    b = tl.load(b_ptr + row + cols, mask=mask, other=0.0)
    tl.store(sum_ptr + row + cols, tl.cumsum(b, axis=0), mask=mask)
    _, state = tl.associative_scan((a, b), 0, combine)
    tl.store(state_ptr + row + cols, state, mask=mask)
