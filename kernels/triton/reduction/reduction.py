"""Sum, minimum and count of positives of a vector, added atomically."""
import triton
import triton.language as tl


@triton.jit
def reduction(x_ptr, sum_ptr, min_ptr, count_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    tl.atomic_add(sum_ptr, tl.sum(x, axis=0))
    tl.atomic_min(min_ptr, tl.min(tl.where(mask, (x * 1000).to(tl.int32), 2147483647), axis=0))
    tl.atomic_add(count_ptr, tl.sum((x > 0).to(tl.int32), axis=0))
