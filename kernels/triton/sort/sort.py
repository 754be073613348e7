"""Sorts rows of 32-bit integers, descending."""
import triton
import triton.language as tl


@triton.jit
def sort(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + cols, mask=cols < n_cols, other=-2147483648)
    tl.store(y_ptr + row + cols, tl.sort(x, descending=True), mask=cols < n_cols)
