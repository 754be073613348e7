"""Sums of columns, as of a bias gradient: a program adds a stripe of rows, stripes meet in atomics."""
import triton
import triton.language as tl


@triton.jit
def column_sum(x_ptr, sum_ptr, rows, n_cols, BR: tl.constexpr, BC: tl.constexpr):
    cols = tl.program_id(0) * BC + tl.arange(0, BC)
    stripe = tl.cdiv(rows, tl.num_programs(1))
    first = tl.program_id(1) * stripe
    last = tl.minimum(first + stripe, rows)
    total = tl.zeros((BR, BC), tl.float32)
    for start in range(first, last, BR):
        row = start + tl.arange(0, BR)
        total += tl.load(x_ptr + row[:, None] * n_cols + cols[None, :],
                         mask=(row < last)[:, None] & (cols < n_cols)[None, :], other=0.0)
    tl.atomic_add(sum_ptr + cols, tl.sum(total, axis=0), mask=cols < n_cols)
