"""Group norm over [batch, groups, elements], two passes in blocks, then SiLU."""
import triton
import triton.language as tl


@triton.jit
def groupnorm(x_ptr, gain_ptr, y_ptr, elements, groups, eps, BLOCK: tl.constexpr):
    base = tl.program_id(0) * elements
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, elements, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + base + at, mask=at < elements, other=0.0)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / elements
    variance = tl.sum(squares, axis=0) / elements - mean * mean
    scale = tl.rsqrt(variance + eps) * tl.load(gain_ptr + tl.program_id(0) % groups)
    for start in range(0, elements, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = (tl.load(x_ptr + base + at, mask=at < elements, other=0.0) - mean) * scale
        tl.store(y_ptr + base + at, x * tl.sigmoid(x), mask=at < elements)
