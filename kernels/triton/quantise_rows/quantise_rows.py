"""Rows of fp16 to 8-bit integers, each row with a scale of its own."""
import triton
import triton.language as tl


@triton.jit
def quantise_rows(x_ptr, q_ptr, scale_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1.0e-10) / 127.0
    tl.store(scale_ptr + row, scale)
    tl.store(q_ptr + row * n_cols + cols, tl.floor(x / scale + 0.5).to(tl.int8), mask=mask)
