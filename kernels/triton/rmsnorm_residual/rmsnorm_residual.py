"""Adds the residual stream, keeps the sum, and gives its RMS norm: fp16, one row a program."""
import triton
import triton.language as tl


@triton.jit
def rmsnorm_residual(x_ptr, residual_ptr, gain_ptr, y_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n_cols
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row + cols, mask=mask, other=0.0).to(tl.float32)
    x += tl.load(residual_ptr + row + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(residual_ptr + row + cols, x.to(tl.float16), mask=mask)
    gain = tl.load(gain_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps) * gain
    tl.store(y_ptr + row + cols, y.to(tl.float16), mask=mask)
