"""Leaky ReLU: slope 0.01; the wrong one has slope 0.1 (only a constant differs)."""
import triton
import triton.language as tl


@triton.jit
def leaky_relu_right(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x > 0, x, 0.01 * x), mask=mask)


@triton.jit
def leaky_relu_wrong(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(x > 0, x, 0.1 * x), mask=mask)
