"""Logarithm of the softmax of bf16 rows, several rows a program."""
import triton
import triton.language as tl


@triton.jit
def log_softmax(x_ptr, y_ptr, rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    at = row[:, None] * n_cols + cols[None, :]
    mask = (row < rows)[:, None] & (cols < n_cols)[None, :]
    # Rows past the last are made of zeros, so that no NaN comes up in them.
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    x = tl.where((cols < n_cols)[None, :], x, -float("inf"))
    x -= tl.max(x, axis=1)[:, None]
    tl.store(y_ptr + at, x - tl.log(tl.sum(tl.exp(x), axis=1))[:, None], mask=mask)
