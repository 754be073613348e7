"""L2 normalisation of rows, one row a program; the wrong one divides by the squared norm."""
import triton
import triton.language as tl


@triton.jit
def l2norm_right(x_ptr, y_ptr, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)
    norm = tl.sqrt(tl.sum(x * x, axis=0) + eps)
    tl.store(y_ptr + row * stride + cols, x / norm, mask=mask)


@triton.jit
def l2norm_wrong(x_ptr, y_ptr, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)
    norm = tl.sum(x * x, axis=0) + eps
    tl.store(y_ptr + row * stride + cols, x / norm, mask=mask)
