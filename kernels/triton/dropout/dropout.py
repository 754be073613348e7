"""Dropout with a seeded counter generator."""
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, y_ptr, n, keep, seed, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(y_ptr + offs, tl.where(tl.rand(seed, offs) < keep, x / keep, 0.0), mask=mask)
