"""Gradient of a layer norm's input, fp16, with mean and deviation computed again."""
import triton
import triton.language as tl


@triton.jit
def layernorm_backward(x_ptr, gain_ptr, dy_ptr, dx_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + row + cols, mask=mask, other=0.0).to(tl.float32)
    dy *= tl.load(gain_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    x = tl.where(mask, x - tl.sum(x, axis=0) / n_cols, 0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    x *= scale
    dx = (dy - x * (tl.sum(x * dy, axis=0) / n_cols) - tl.sum(dy, axis=0) / n_cols) * scale
    tl.store(dx_ptr + row + cols, dx.to(tl.float16), mask=mask)
