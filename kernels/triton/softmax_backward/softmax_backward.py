"""Gradient of a row softmax from its result."""
import triton
import triton.language as tl


@triton.jit
def softmax_backward(y_ptr, dy_ptr, dx_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row + cols, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row + cols, mask=mask, other=0.0)
    tl.store(dx_ptr + row + cols, y * (dy - tl.sum(y * dy, axis=0)), mask=mask)
