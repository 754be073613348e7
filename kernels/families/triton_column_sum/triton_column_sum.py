"""Sums of the columns of an f32 matrix in Triton: programs add stripes of rows, which meet in atomics."""
import triton
import triton.language as tl


@triton.jit
def triton_column_sum(x_ptr, sum_ptr, rows, columns, BR: tl.constexpr, BC: tl.constexpr, STRIPE: tl.constexpr,
                      LATE: tl.constexpr, STAGES: tl.constexpr):
    cols = tl.program_id(0) * BC + tl.arange(0, BC)
    first = tl.program_id(1) * STRIPE
    last = tl.minimum(first + STRIPE, rows)
    if LATE:
        total = tl.zeros((BR, BC), tl.float32)
    else:
        total = tl.zeros((BC,), tl.float32)
    for start in tl.range(first, last, BR, num_stages=STAGES):
        row = start + tl.arange(0, BR)
        x = tl.load(x_ptr + row[:, None] * columns + cols[None, :],
                    mask=(row < last)[:, None] & (cols < columns)[None, :], other=0.0)
        if LATE:
            total += x
        else:
            total += tl.sum(x, axis=0)
    if LATE:
        tl.atomic_add(sum_ptr + cols, tl.sum(total, axis=0), mask=cols < columns)
    else:
        tl.atomic_add(sum_ptr + cols, total, mask=cols < columns)
