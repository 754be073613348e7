"""Right results of some kernels, computed with numpy in double precision.

TABLE maps a directory below kernels/ to a function of (inputs, size, spec) that gives the outputs by
buffer name.
"""
import numpy


def wide(a):
    return a.astype("float64")


def constant(spec, name):
    return next(float(a["value"]) for a in spec["args"] if a["name"] == name)


def gelu(i, size, spec):
    x = wide(i["x"])
    return {"y": 0.5 * x * (1 + numpy.tanh(0.7978845608 * (x + 0.044715 * x**3)))}


def silu(i, size, spec):
    x = wide(i["x"])
    return {"y": x / (1 + numpy.exp(-x))}


def leaky_relu(i, size, spec):
    x = wide(i["x"])
    return {"y": numpy.where(x > 0, x, 0.01 * x)}


def rows(a, size, columns="n_cols"):
    return wide(a).reshape(size["rows"], size[columns])


def softmax_of(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax(i, size, spec):
    return {"y": softmax_of(rows(i["x"], size)).ravel()}


def rmsnorm(i, size, spec):
    x = rows(i["x"], size)
    return {"y": (x / numpy.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6) * wide(i["w"])).ravel()}


def l2norm(i, size, spec):
    x = rows(i["x"], size)
    return {"y": (x / numpy.sqrt((x**2).sum(axis=1, keepdims=True) + 1e-6)).ravel()}


def attention(i, size, spec):
    keys = size["n_keys"]
    k, v = wide(i["k"]).reshape(keys, -1), wide(i["v"]).reshape(keys, -1)
    q = wide(i["q"]).reshape(size["rows"], -1)
    return {"y": (softmax_of(q @ k.T * constant(spec, "scale")) @ v).ravel()}


def flash_attention(i, size, spec):
    q, k, v = (wide(i[n]).reshape(size["n"], -1) for n in "qkv")
    return {"y": (softmax_of(q @ k.T * constant(spec, "scale")) @ v).ravel()}


def product(i, m, n, k):
    return (wide(i["a"]).reshape(m, k) @ wide(i["b"]).reshape(k, n)).ravel()


def matmul(i, size, spec):
    return {"c": product(i, size["M"], size["N"], size["K"])}


def gemm(i, size, spec):
    return {"c": product(i, size["m"], size["n"], size["k"])}


def saxpy(i, size, spec):
    return {"y": 2.5 * wide(i["x"]) + wide(i["y"])}


def transpose(i, size, spec):
    return {"y": i["x"].reshape(size["rows"], size["cols"]).T.ravel()}


def scan_block(i, size, spec):
    x = i["x"].astype("int64")
    return {"y": numpy.concatenate([numpy.cumsum(x[b:b + 256]) for b in range(0, len(x), 256)])}


def histogram(i, size, spec):
    return {"bins": numpy.bincount(i["x"], minlength=len(i["bins"]))}


def softmax_rows(i, size, spec):
    return {"y": softmax_of(rows(i["x"], size, "cols")).ravel()}


def norm_of(x, i, eps):
    centred = x - x.mean(axis=1, keepdims=True)
    scale = numpy.sqrt((centred**2).mean(axis=1, keepdims=True) + eps)
    return {"y": (centred / scale * wide(i["gain"]) + wide(i["bias"])).ravel()}


def integers_of(words):
    return [int.from_bytes(w.tobytes(), "little") for w in words]


def add_256(i, size, spec):
    pairs = zip(integers_of(i["a"].reshape(-1, 8)), integers_of(i["b"].reshape(-1, 8)))
    sums = b"".join(((a + b) % 2**256).to_bytes(32, "little") for a, b in pairs)
    return {"out": numpy.frombuffer(sums, "uint32")}


def descending(i, size, spec):
    return {"y": -numpy.sort(-rows(i["x"], size), axis=1).ravel()}


def bitonic(i, size, spec):
    return {"key": numpy.sort(i["key"].reshape(-1, 512), axis=1).ravel()}


def scans(i, size, spec):
    a, b = rows(i["a"], size), rows(i["b"], size)
    state, now = numpy.zeros_like(b), numpy.zeros(len(b))
    for c in range(b.shape[1]):
        now = now * a[:, c] + b[:, c]
        state[:, c] = now
    return {"sum": numpy.cumsum(b, axis=1).ravel(), "state": state.ravel()}


def largest(i, size, spec):
    x = rows(i["x"], size)
    return {"value": x.max(axis=1), "index": x.argmax(axis=1)}


def causal(i, size, spec):
    n, d = size["n"], len(i["q"]) // (size["heads"] * size["n"])
    q, k, v = (wide(i[name]).reshape(size["heads"], n, d) for name in "qkv")
    s = q @ k.transpose(0, 2, 1) / numpy.sqrt(d)
    return {"y": (softmax_of(numpy.where(numpy.tri(n) > 0, s, -numpy.inf)) @ v).ravel()}


def weighted(i, size, spec):
    return {"total": numpy.bincount(i["bin"], weights=wide(i["weight"]), minlength=16)}


TABLE = {
    "pairs/gelu": gelu, "pairs/silu": silu, "pairs/leaky_relu": leaky_relu, "pairs/softmax": softmax,
    "pairs/rmsnorm": rmsnorm, "pairs/l2norm": l2norm, "pairs/attention": attention,
    "pairs/flash_attention": flash_attention, "pairs/matmul": matmul,
    "regressions/atomic_add_to_cas": weighted,
    "cuda/saxpy": saxpy, "cuda/transpose": transpose, "cuda/scan_block": scan_block,
    "cuda/histogram": histogram, "cuda/softmax_rows": softmax_rows, "cuda/carry_chain": add_256,
    "cuda/gemm_naive": gemm, "cuda/gemm_tiled": gemm, "cuda/gemm_vectorised": gemm,
    "cuda/gemm_wmma": gemm, "cuda/gemm_mma": gemm, "cuda/bitonic_sort": bitonic,
    "cuda/layernorm": lambda i, size, spec: norm_of(rows(i["x"], size, "cols"), i, 1e-5),
    "triton/layernorm": lambda i, size, spec: norm_of(rows(i["x"], size), i, 1e-5),
    "triton/transpose": transpose, "triton/sort": descending, "triton/scan": scans,
    "triton/argmax": largest, "triton/attention_causal": causal,
    "triton/softmax_online": softmax,
    "triton/add": lambda i, size, spec: {"out": wide((i["x"] + i["y"]))},
    "triton/relu": lambda i, size, spec: {"out": numpy.maximum(i["x"], 0)},
}
