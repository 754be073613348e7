"""Softmax of long rows: a first pass keeps a running maximum and sum, a second one writes."""
import triton
import triton.language as tl


@triton.jit
def softmax_online(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n_cols
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        high = tl.maximum(top, x)
        total = tl.where(high == -float("inf"), 0.0, total * tl.exp(top - high) + tl.exp(x - high))
        top = high
    peak = tl.max(top, axis=0)
    total = tl.sum(tl.where(top == -float("inf"), 0.0, total * tl.exp(top - peak)), axis=0)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row + cols, (tl.exp(x - peak) / total).to(tl.float16), mask=cols < n_cols)
