"""Softmax of attention scores [heads, n, n] in fp16, scaled and causally masked."""
import triton
import triton.language as tl


@triton.jit
def softmax_causal(x_ptr, y_ptr, n, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = (tl.program_id(1).to(tl.int64) * n + row) * n
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + base + cols, mask=cols <= row, other=-float("inf")).to(tl.float32) * scale
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + base + cols, (e / tl.sum(e, axis=0)).to(tl.float16), mask=cols < n)
