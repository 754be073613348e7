"""Rotary positions of fp16 queries [tokens, heads, D]: the halves of D are rotated by tables of cosines and sines."""
import triton
import triton.language as tl


@triton.jit
def rope(x_ptr, cos_ptr, sin_ptr, y_ptr, heads, HEADS: tl.constexpr, HALF: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    at = tl.arange(0, HALF)
    mask = (head < heads)[:, None]
    first = ((token * heads + head) * (2 * HALF))[:, None] + at[None, :]
    cos = tl.load(cos_ptr + token * HALF + at)[None, :]
    sin = tl.load(sin_ptr + token * HALF + at)[None, :]
    a = tl.load(x_ptr + first, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(x_ptr + first + HALF, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + first, (a * cos - b * sin).to(tl.float16), mask=mask)
    tl.store(y_ptr + first + HALF, (b * cos + a * sin).to(tl.float16), mask=mask)
