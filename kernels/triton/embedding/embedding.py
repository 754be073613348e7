"""Embedding rows by 64-bit token numbers; out-of-range numbers give zeros."""
import triton
import triton.language as tl


@triton.jit
def embedding(token_ptr, table_ptr, out_ptr, vocabulary, width, BLOCK: tl.constexpr):
    token = tl.load(token_ptr + tl.program_id(0))
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (cols < width) & (token >= 0) & (token < vocabulary)
    row = tl.load(table_ptr + token * width + cols, mask=inside, other=0.0)
    tl.store(out_ptr + tl.program_id(0) * width + cols, row, mask=cols < width)
