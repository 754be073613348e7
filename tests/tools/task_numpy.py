"""What the tasks of kernels/tasks compute, in NumPy and double precision, for task_reference.py."""

import numpy as np

TYPES = {"f64": "f8", "f32": "f4", "f16": "f2", "s8": "i1", "u8": "u1", "s32": "i4", "u32": "u4"}


class Call:
    """Buffers by name: x("x", rows, cols) is an input in double (integers in 64 bits); sizes and scalars are attributes."""

    def __init__(self, task, data, size):
        self.data, self.types = data, {a["name"]: a["type"] for a in task.arguments}
        values = {k: v for k, v in size.items() if k != "kind"}
        for a in task.arguments:
            if a["kind"] == "scalar":
                number = eval(a["value"].replace("/", "//"), {"__builtins__": {}}, values)
                values[a["name"]] = float(np.float32(number)) if a["type"] == "f32" else number
        self.__dict__.update(values)

    def __call__(self, name, *shape):
        kind, data = self.types[name], self.data[name]
        if kind == "bf16":
            v = (np.frombuffer(data, "u2").astype("u4") << 16).view("f4")
        else:
            v = np.frombuffer(data, TYPES[kind])
        v = v.astype("f8" if v.dtype.kind == "f" else "i8")
        return v.reshape(shape) if shape else v


def rounded_bf16(v):
    bits = v.astype("f4").view("u4").astype("u8")
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    return bits.astype("u4").view("f4").astype("f8")


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def norm(x, eps):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + eps)


def attention(q, k, v, scale, causal=False):
    s = q @ k.swapaxes(-1, -2) * scale
    if causal:
        s = np.where(np.tri(s.shape[-1], dtype=bool), s, -np.inf)
    return softmax(s) @ v


def philox(counter, seed):
    c = [counter.astype("u8"), *(np.zeros(len(counter), "u8") for _ in range(3))]
    k0, k1, low = seed, 0, 0xFFFFFFFF
    for _ in range(10):
        p, q = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(q >> np.uint64(32)) ^ c[1] ^ np.uint64(k0), q & np.uint64(low), (p >> np.uint64(32)) ^ c[3] ^ np.uint64(k1),
             p & np.uint64(low)]
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
    return np.stack(c, axis=1).reshape(-1)


def conv3x3(x, w):
    """x: …, inputs, height, width; w: outputs, inputs, 3, 3."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    return np.einsum("ihwrc,oirc->ohw", views, w)


def segments(c, values):
    start = c("start")
    return np.array([values[a:b].sum() for a, b in zip(start, start[1:])])


def wrapped(v):
    return (v & 0xFFFFFFFF).astype("u4").astype("i8")


def signed(v):
    return (v & 0xFFFFFFFF).astype("u4").view("i4").astype("i8")


def masked_fill(c):
    return {"y": np.where(c("mask") != 0, c.scale * c("x"), c.fill)}


def bias_gelu_f16(c):
    t = c("x", c.rows, c.cols) + c("bias")
    return {"y": 0.5 * t * (1 + np.tanh(0.7978845608 * (t + 0.044715 * t**3)))}


def swiglu_bf16(c):
    x = c("x", c.rows, 2, c.cols)
    return {"y": x[:, 0] / (1 + np.exp(-x[:, 0])) * x[:, 1]}


def axpby_padded(c):
    return {"z": c.alpha * c("x", c.rows, -1)[:, :c.cols] + c.beta * c("y", c.rows, -1)[:, :c.cols]}


def row_sum_f32(c):
    return {"y": c("x", c.rows, c.cols).sum(axis=1)}


def column_sum_f32(c):
    return {"y": c("x", c.rows, c.cols).sum(axis=0)}


def segment_sum_f32(c):
    return {"y": segments(c, c("x"))}


def dot_pairs_f16(c):
    return {"out": (c("a", c.pairs, c.n) * c("b", c.pairs, c.n)).sum(axis=1)}


def moments_rows(c):
    x = c("x", c.rows, c.cols)
    return {"mean": x.mean(axis=1), "variance": x.var(axis=1)}


def argmax_rows(c):
    x = c("x", c.rows, c.cols)
    return {"value": x.max(axis=1), "index": x.argmax(axis=1)}


def softmax_rows(c):
    return {"y": softmax(c("x", c.rows, c.cols))}


def softmax_causal(c):
    x = c("x", c.heads, c.n, c.n) * c.scale
    return {"y": softmax(np.where(np.tri(c.n, dtype=bool), x, -np.inf))}


def log_softmax_rows(c):
    return {"y": np.log(softmax(c("x", c.rows, c.cols)))}


def softmax_backward(c):
    y, dy = c("y", c.rows, c.cols), c("dy", c.rows, c.cols)
    return {"dx": y * (dy - (y * dy).sum(axis=1, keepdims=True))}


def layernorm_f16(c):
    return {"y": norm(c("x", c.rows, c.cols), c.eps) * c("gain") + c("bias")}


def rmsnorm_residual_bf16(c):
    s = c("x", c.rows, c.cols) + c("residual", c.rows, c.cols)
    r = rounded_bf16(s)
    return {"sum": s, "y": r / np.sqrt((r * r).mean(axis=1, keepdims=True) + c.eps) * c("gain")}


def groupnorm_f32(c):
    y = norm(c("x", c.samples, c.groups, c.channels * c.pixels), c.eps)
    y = y.reshape(c.samples, c.groups * c.channels, c.pixels)
    return {"y": y * c("gain")[:, None] + c("bias")[:, None]}


def layernorm_backward(c):
    rstd = c("rstd", c.rows, 1)
    g = c("dy", c.rows, c.cols) * c("gain")
    h = (c("x", c.rows, c.cols) - c("mean", c.rows, 1)) * rstd
    return {"dx": rstd * (g - g.mean(axis=1, keepdims=True) - h * (g * h).mean(axis=1, keepdims=True))}


def cross_entropy(c):
    x, label = c("x", c.rows, c.classes), c("label")
    known = (label >= 0) & (label < c.classes)
    loss = -np.log(softmax(x))[np.arange(c.rows), np.where(known, label, 0)]
    return {"loss": np.where(known, loss, 0)}


def embedding(c):
    tokens = np.arange(c.tokens)
    return {"y": c("table", -1, c.width)[c("token")] + c("position", -1, c.width)[tokens % c.context]}


def rotary_f16(c):
    x = c("x", c.tokens, c.heads, 2, c.half)
    cos, sin = c("cos", c.tokens, 1, c.half), c("sin", c.tokens, 1, c.half)
    return {"y": np.stack([x[:, :, 0] * cos - x[:, :, 1] * sin, x[:, :, 1] * cos + x[:, :, 0] * sin], axis=2)}


def gemm_f32(c):
    return {"c": c("a", c.m, c.k) @ c("b", c.k, c.n)}


gemm_f16 = gemm_tf32 = gemm_f32


def gemm_bias_relu_bf16(c):
    return {"c": np.maximum(c("a", c.m, c.k) @ c("b", c.k, c.n) + c("bias"), 0)}


def gemm_s8(c):
    return {"c": c("a", c.m, c.k) @ c("b", c.n, c.k).T}


def gemm_batched_small(c):
    return {"c": c("a", c.batch, c.m, c.k) @ c("x", c.batch, c.k, c.n)}


def matvec_f32(c):
    return {"y": c("a", c.rows, c.cols) @ c("x")}


def matvec_int4(c):
    weight = (c("q")[:, None] >> (4 * np.arange(8)) & 15).reshape(c.rows, c.cols) - 8
    return {"y": (weight * np.repeat(c("scale"), 64).reshape(c.rows, c.cols)) @ c("x")}


def attention_full_f32(c):
    return {"out": attention(*(c(n, c.heads, c.n, 64) for n in "qkv"), c.scale)}


def attention_causal_f16(c):
    return {"out": attention(*(c(n, c.heads, c.n, 64) for n in "qkv"), c.scale, causal=True)}


def attention_decode_f16(c):
    return {"out": attention(c("q", c.heads, 1, 128), c("k", c.heads, c.n, 128), c("v", c.heads, c.n, 128), c.scale)}


def conv2d_3x3(c):
    return {"y": conv3x3(c("x", c.inputs, c.height, c.width), c("w", c.outputs, c.inputs, 3, 3))}


def depthwise_conv(c):
    x, w = c("x", c.channels, 1, c.height, c.width), c("w", c.channels, 1, 1, 3, 3)
    return {"y": np.stack([conv3x3(a, b)[0] + d for a, b, d in zip(x, w, c("bias"))])}


def maxpool2d(c):
    x = np.pad(c("x", c.channels, c.height, c.width), ((0, 0), (1, 2), (1, 2)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2)).max(axis=(3, 4))
    return {"y": windows[:, : c.height : 2, : c.width : 2]}


def transpose_f32(c):
    return {"y": c("x", c.rows, c.cols).T}


def permute_heads_f16(c):
    return {"y": c("x", c.batch, c.tokens, c.heads, c.width).swapaxes(1, 2)}


def scan_inclusive_u32(c):
    return {"y": wrapped(c("x", c.rows, c.cols).cumsum(axis=1))}


def scan_exclusive_f32(c):
    return {"y": np.pad(c("x", c.rows, c.cols).cumsum(axis=1), ((0, 0), (1, 0)))[:, :-1]}


def scan_segmented_s32(c):
    x, mark = c("x", c.rows, c.cols), c("mark", c.rows, c.cols) == 0
    total = x.cumsum(axis=1)
    last = np.maximum.accumulate(np.where(mark, np.arange(c.cols), 0), axis=1)
    before = np.take_along_axis(total - x, last, axis=1)
    return {"y": signed(total - before)}


def gather_rows(c):
    return {"y": c("table", -1, c.width)[c("index")]}


def top_k_rows(c):
    x = c("x", c.rows, c.cols)
    order = np.argsort(-x, axis=1, kind="stable")[:, :8]
    return {"value": np.take_along_axis(x, order, axis=1), "index": order}


def spmv_csr(c):
    return {"y": segments(c, c("value") * c("x")[c("column")])}


def stencil2d_heat(c):
    x = c("x", c.height, c.width)
    y = x.copy()
    y[1:-1, 1:-1] += c.k * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1])
    return {"y": y}


def stencil3d_7pt(c):
    x = c("x", c.depth, c.height, c.width)
    y, i = x.copy(), slice(1, -1)
    around = x[:-2, i, i] + x[2:, i, i] + x[i, :-2, i] + x[i, 2:, i] + x[i, i, :-2] + x[i, i, 2:]
    y[i, i, i] = c.a * x[i, i, i] + c.b * around
    return {"y": y}


def sort_segments_u32(c):
    return {"y": np.sort(c("x", -1, 1024), axis=1)}


def dropout_philox(c):
    draw = philox(np.arange(-(-c.n // 4)), c.seed)[: c.n]
    return {"y": np.where(draw < c.threshold, c.scale * c("x"), 0)}


def quantise_rows_s8(c):
    x = c("x", c.rows, c.cols)
    top = np.abs(x).max(axis=1, keepdims=True)
    s = (np.float32(127) / top.astype("f4")).astype("f4")
    return {"q": np.clip(np.rint(x.astype("f4") * s), -127, 127).astype("i8"), "scale": top / 127}


def dequantise_s8_f16(c):
    return {"w": c("q") * np.repeat(c("scale"), 32)}


def adam_step(c):
    f = lambda v: float(np.float32(v))
    p, g = c("p"), c("g")
    m, v = f(0.9) * c("m") + f(0.1) * g, f(0.999) * c("v") + f(0.001) * g * g
    p = p - c.rate * (c.c1 * m / (np.sqrt(c.c2 * v) + f(1e-8)) + c.decay * p)
    return {"p_new": p, "m_new": m, "v_new": v}


def compact_rows(c):
    x = c("x", c.rows, c.cols)
    y = np.zeros_like(x)
    for to, row in zip(y, x):
        to[: (row > 0).sum()] = row[row > 0]
    return {"y": y, "count": (x > 0).sum(axis=1)}


def kmeans_assign_s8(c):
    d = ((c("x", c.n, 1, c.dims) - c("centre", 1, c.centres, c.dims)) ** 2).sum(axis=2)
    return {"index": d.argmin(axis=1), "distance": d.min(axis=1)}


def nbody_f32(c):
    b = c("body", c.n, 4)
    d = b[None, :, :3] - b[:, None, :3]
    r = 1 / np.sqrt((d * d).sum(axis=2) + float(np.float32(0.01)))
    force = ((b[:, 3] * r**3)[:, :, None] * d).sum(axis=1)
    return {"force": np.concatenate([force, -(b[:, 3] * r).sum(axis=1, keepdims=True)], axis=1)}


def resize_bilinear(c):
    def places(m, n):
        at = np.maximum((2 * np.arange(m) + 1) * n - m, 0)
        a = at // (2 * m)
        return a, np.minimum(a + 1, n - 1), (at - a * 2 * m) / (2 * m)

    x = c("x", c.channels, c.height, c.width)
    a, b, f = places(c.out_width, c.width)
    x = (1 - f) * x[:, :, a] + f * x[:, :, b]
    a, b, f = places(c.out_height, c.height)
    return {"y": (1 - f)[:, None] * x[:, a] + f[:, None] * x[:, b]}


def fft_256(c):
    return {"y": np.fft.fft(c("x").view("c16").reshape(-1, 256), axis=1).reshape(-1).view("f8")}


def check(task, data, size):
    """Raises where an oracle's outputs are not the reference's; buffers that are read and written have none here."""
    reference = globals().get(task.name)
    if reference is None:
        return
    with np.errstate(all="ignore"):
        expected = reference(Call(task, data, size))
    for name, want in expected.items():
        kind = next(a["type"] for a in task.arguments if a["name"] == name)
        want = np.asarray(want).reshape(-1)
        if name + "_scale" in data:
            have, scale = np.frombuffer(data[name], "f8"), np.frombuffer(data[name + "_scale"], "f8")
            wrong = ~(np.abs(have - want) <= 1e-9 * scale) & ~(have == want)
            if not (scale > 0).all():
                raise AssertionError(f"{task.name} at {size}: a scale of {name} is not above 0")
        else:
            have = np.frombuffer(data[name], TYPES[kind]).astype("i8")
            wrong = have != want
        if have.shape != want.shape or wrong.any():
            at = int(np.argmax(wrong))
            raise AssertionError(f"{task.name} at {size}: the oracle's {name}[{at}] is {have[at]}, NumPy has {want[at]}")
