"""SiLU (swish) with a run-time beta; the wrong one confuses beta with GELU's sigmoid constant 1.702."""
import triton
import triton.language as tl


@triton.jit
def silu_right(x_ptr, y_ptr, n, beta, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    z = beta * x
    tl.store(y_ptr + offs, x / (1.0 + tl.exp2(z * -1.4426950408889634)), mask=mask)


@triton.jit
def silu_wrong(x_ptr, y_ptr, n, beta, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    z = 1.702 * x
    tl.store(y_ptr + offs, x / (1.0 + tl.exp2(z * -1.4426950408889634)), mask=mask)
