"""Mean and variance of rows by Welford's way: a reduction of three values with an operator of its own."""
import triton
import triton.language as tl


@triton.jit
def join(mean_a, square_a, count_a, mean_b, square_b, count_b):
    count = count_a + count_b
    share = tl.where(count == 0.0, 0.0, count_b / count)
    step = mean_b - mean_a
    return mean_a + step * share, square_a + square_b + step * step * count_a * share, count


@triton.jit
def variance(x_ptr, mean_ptr, variance_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    mean, square, count = tl.reduce((x, tl.zeros_like(x), mask.to(tl.float32)), 0, join)
    tl.store(mean_ptr + row, mean)
    tl.store(variance_ptr + row, square / count)
