"""Layer norm of rows of halves in Triton: rows held in registers, or read two or three times."""
import triton
import triton.language as tl


@triton.jit
def triton_layernorm(x_ptr, gain_ptr, bias_ptr, y_ptr, columns, epsilon, METHOD: tl.constexpr, ROWS: tl.constexpr,
                     BLOCK: tl.constexpr, STAGES: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * columns + tl.arange(0, BLOCK)[None, :]
    cols = tl.arange(0, BLOCK)[None, :]
    if METHOD == 0:
        mask = cols < columns
        x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
        x = tl.where(mask, x - (tl.sum(x, axis=1) / columns)[:, None], 0.0)
        scale = tl.rsqrt(tl.sum(x * x, axis=1) / columns + epsilon)[:, None]
        gain = tl.load(gain_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        bias = tl.load(bias_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + at, (x * scale * gain + bias).to(tl.float16), mask=mask)
    else:
        total = tl.zeros((ROWS, BLOCK), tl.float32)
        squares = tl.zeros((ROWS, BLOCK), tl.float32)
        if METHOD == 1:
            for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
                x = tl.load(x_ptr + at + start, mask=cols + start < columns, other=0.0).to(tl.float32)
                total += x
                squares += x * x
            mean = (tl.sum(total, axis=1) / columns)[:, None]
            variance = (tl.sum(squares, axis=1) / columns)[:, None] - mean * mean
        else:
            for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
                total += tl.load(x_ptr + at + start, mask=cols + start < columns, other=0.0).to(tl.float32)
            mean = (tl.sum(total, axis=1) / columns)[:, None]
            for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
                x = tl.load(x_ptr + at + start, mask=cols + start < columns, other=0.0).to(tl.float32)
                x = tl.where(cols + start < columns, x - mean, 0.0)
                squares += x * x
            variance = (tl.sum(squares, axis=1) / columns)[:, None]
        scale = tl.rsqrt(variance + epsilon)
        for start in tl.range(0, columns, BLOCK, num_stages=STAGES):
            mask = cols + start < columns
            x = tl.load(x_ptr + at + start, mask=mask, other=0.0).to(tl.float32)
            gain = tl.load(gain_ptr + cols + start, mask=mask, other=0.0).to(tl.float32)
            bias = tl.load(bias_ptr + cols + start, mask=mask, other=0.0).to(tl.float32)
            tl.store(y_ptr + at + start, ((x - mean) * scale * gain + bias).to(tl.float16), mask=mask)
