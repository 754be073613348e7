"""Histogram of a block, and a gather along an axis."""
import triton
import triton.language as tl


@triton.jit
def histogram(x_ptr, bins_ptr, picked_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    counts = tl.histogram(x, BINS)
    tl.atomic_add(bins_ptr + tl.arange(0, BINS), counts)
    tl.store(picked_ptr + offs, tl.gather(x, (x * 7) % BLOCK, 0), mask=offs < n)
