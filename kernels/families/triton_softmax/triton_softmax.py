"""Softmax of f32 rows in Triton: rows held in registers, read twice, or read three times."""
import triton
import triton.language as tl


@triton.jit
def triton_softmax(x_ptr, y_ptr, columns, METHOD: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
                   STAGES: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * columns + tl.arange(0, BLOCK)[None, :]
    cols = tl.arange(0, BLOCK)[None, :]
    if METHOD == 0:
        x = tl.load(x_ptr + at, mask=cols < columns, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=1)[:, None])
        tl.store(y_ptr + at, e / tl.sum(e, axis=1)[:, None], mask=cols < columns)
    else:
        top = tl.full((ROWS, BLOCK), -1.0e30, tl.float32)
        total = tl.zeros((ROWS, BLOCK), tl.float32)
        if METHOD == 1:
            for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
                x = tl.load(x_ptr + at + start, mask=cols + start < columns, other=-float("inf"))
                high = tl.maximum(top, x)
                total = total * tl.exp(top - high) + tl.exp(x - high)
                top = high
            peak = tl.max(top, axis=1)[:, None]
            total *= tl.exp(top - peak)
        else:
            for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
                x = tl.load(x_ptr + at + start, mask=cols + start < columns, other=-float("inf"))
                top = tl.maximum(top, x)
            peak = tl.max(top, axis=1)[:, None]
            for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
                x = tl.load(x_ptr + at + start, mask=cols + start < columns, other=-float("inf"))
                total += tl.exp(x - peak)
        scale = 1.0 / tl.sum(total, axis=1)[:, None]
        for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
            x = tl.load(x_ptr + at + start, mask=cols + start < columns, other=-float("inf"))
            tl.store(y_ptr + at + start, tl.exp(x - peak) * scale, mask=cols + start < columns)
