"""Transpose of a tile through registers and shared memory."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, y_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=(r < rows)[:, None] & (c < cols)[None, :], other=0.0)
    tl.store(y_ptr + c[:, None] * rows + r[None, :], tl.trans(x), mask=(c < cols)[:, None] & (r < rows)[None, :])
