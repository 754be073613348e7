"""Real kernels for the register estimate: fetches packages' sources, compiles and labels them.

python3 tools/registers/packages.py OUT [NAME …]   for the packages of packages.csv (all, or those named) writes
OUT/NAME/*.ptx and OUT/NAME/labels.csv (as label.py), of which fit.py reads. Needs a package index, nvcc and ptxas; for
those of Debian (role test4) apt-get with source packages, and libfftw3-dev, libmpich-dev, libtiff-dev, libfreeimage-dev
and libglew-dev, which they include.
Sources are compiled as they are, for compute_80, those written for torch against torch_stub.h; a file that does not
compile is reported and left out. A template gives at most MOST kernels; kernels with the same instructions count once.
Of a Debian package at most SOURCES files and PACKAGE kernels are taken, by hash, as some hold hundreds that are alike.
--bounds labels the kernels of OUT/NAME again under launch bounds of our choice (OUT/NAME.bounds/labels.csv).
"""

import argparse
import collections
import csv
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sysconfig
import tarfile
import urllib.parse
import urllib.request
import zipfile

HERE = pathlib.Path(__file__).parent
MOST = 6
SOURCES, PACKAGE = 40, 60
TARGETS = ["sm_80", "sm_90"]
# Per package: include directories ("**" takes every directory below), flags, what paths to leave out (a pattern).
FLAGS = {
    "augpy": (["augpy", "augpy/dlpack"], [], "cub/|cnmem"),
    "bmtrain": (["csrc/include"], [], "^$"),
    "colmap": (["made", "src", "lib", "lib/SiftGPU", "lib/PBA"], ["-DCUDA_SIFTGPU_ENABLED"], "^$"),
    "cufinufft": (["include", "include/cufinufft", "src/cuda", "contrib"], [], "^$"),
    "cumcubes": (["cumcubes/include"], [], "^$"),
    "cuimgops": ([], [], "^$"),
    "darknet": (["include", "src"], ["-DGPU"], "^$"),
    "deepspeed": (["csrc/includes", "csrc/spatial/includes", "csrc/fp_quantizer/includes",
                   "csrc/transformer/inference/includes", "deepspeed/inference/v2/kernels/**"], ["-DBF16_AVAILABLE"], "^$"),
    "dlib": (["."], ["-DDLIB_USE_CUDA"], "test_for"),
    "elpa": ([".", "src", "src/general"], ["-DWITH_NVIDIA_GPU_VERSION", "-DWITH_NVIDIA_GPU_SM80_COMPUTE_CAPABILITY"], "^$"),
    "fairseq": (["examples/operators"], [], "^$"),
    "fhelium": (["csrc", "csrc/include"], [], "^$"),
    "ffmpeg": (["."], [], "^$"),
    "fusedtok": (["include", "include/fusedtok"], [], "^$"),
    "gptqmodel": (["gptqmodel_ext", "gptqmodel_ext/exllamav3"], [], "machete|swordfish|cutlass|exllamav2"),
    "gsplat": (["gsplat/cuda/include", "gsplat/cuda/csrc/third_party/glm", "gsplat/cuda"], ["-DGLM_ENABLE_EXPERIMENTAL"], "^$"),
    "imate": (["imate"], [], "^$"),
    "implicit": (["implicit/gpu", "."], [], "^$"),
    "lammps": (["lib/gpu", "lib/gpu/geryon", "lib/gpu/cudpp_mini"], ["-DUSE_CUDA", "-DNV_KERNEL", "-D_SINGLE_DOUBLE"], "^$"),
    "lightgbm": (["include", "external_libs/fmt/include", "external_libs/fast_double_parser/include", "external_libs/eigen"],
                 ["-DUSE_CUDA"], "^$"),
    "lightseq": (["lightseq/csrc/kernels/cuda/includes", "lightseq/csrc/kernels/includes", "lightseq/csrc/ops/includes",
                  "lightseq/csrc/lsflow/includes"], [], "3rdparty"),
    "llama-cpp-python": (["vendor/llama.cpp/ggml/include", "vendor/llama.cpp/ggml/src", "vendor/llama.cpp/ggml/src/ggml-cuda"],
                         ["-use_fast_math", "-DGGML_CUDA_PEER_MAX_BATCH_SIZE=128"],
                         "instances/(?!fattn-vec-instance-f16-f16|mmq-instance-q[46]_[0k]|mmf-instance-ncols_4|"
                         "fattn-mma-f16-instance-ncols1_8-ncols2_8)"),
    "mamba-ssm": ([], [], "(fwd_(?!fp32)|bwd_(?!bf16_real|fp16_complex))"),
    "minkowskiengine": (["src", "src/3rdparty", "src/3rdparty/cudf", "src/3rdparty/hash"], ["-DNVTX_DISABLE"], "^$"),
    "monai": ([], ["-DCHANNEL_COUNT=4", "-DMIXTURE_COUNT=2", "-DMIXTURE_SIZE=3"], "^$"),
    "mpich": (["modules/yaksa/src/backend/cuda/include", "modules/yaksa/src/backend/cuda/pup", "modules/yaksa/src/frontend/include",
               "modules/yaksa/src/backend/src", "modules/yaksa/src/util", "modules/yaksa/src/external/yuthash", "modules/yaksa"], [], "^$"),
    "mmcv": (["mmcv/ops/csrc/common", "mmcv/ops/csrc/common/cuda", "mmcv/ops/csrc/pytorch"], [], "^$"),
    "nerfacc": (["nerfacc/cuda/csrc/include"], [], "^$"),
    "nglpy-cuda": (["include"], [], "^$"),
    "nimpa": (["niftypet/nimpa/include"], [], "^$"),
    "opencv": (["modules/core/include", "modules/imgproc/include", "modules/photo/include", "modules/stitching/include",
                "modules/dnn/include", "modules/dnn/src", "../../opencv-contrib/opencv_contrib-4.6.0/modules/cudev/include", "made"],
               ["-DHAVE_CUDA", "-DtextureReference=void"], "^$"),
    "opencv-contrib": ([f"modules/{m}/include" for m in (
        "cudev", "cudaarithm", "cudabgsegm", "cudacodec", "cudafeatures2d", "cudafilters", "cudaimgproc", "cudalegacy",
        "cudaobjdetect", "cudaoptflow", "cudastereo", "cudawarping", "hfs", "superres", "videostab", "xfeatures2d")] + [
        f"../../opencv/opencv-4.6.0/{m}" for m in ("made", *(f"modules/{m}/include" for m in (
            "core", "imgproc", "video", "objdetect", "features2d", "calib3d", "flann", "videoio", "highgui")))] + [
        "modules/cudalegacy/src", "modules/cudalegacy/src/cuda"], ["-DHAVE_CUDA", "-D_HFS_CUDA_ON_", "-DtextureReference=void"], "test"),
    "petsc": (["include", "made"], [], "tests/|tutorials/"),
    "pyfwht": (["pyfwht/_libfwht/include"], [], "^$"),
    "pyradiomics-cuda": (["radiomics/src", "radiomics/src/cuda"], [], "test"),
    "pytigre": (["tigre/Source"], [], "^$"),
    "qc-cugbasis": (["include", "libs/Boys_function"], [], "libs/|benchmark|test"),
    "qulacs": (["src", "src/gpusim"], [], "test"),
    "relion": ([".", "/usr/include/x86_64-linux-gnu/mpich"], ["-DCUDA", "-DDEBUG_CUDA", "-DTHRUST_IGNORE_CUB_VERSION_CHECK"], "gpu_utils"),
    "suitesparse": (["SuiteSparse_config", "CHOLMOD/Include", "CHOLMOD/GPU", "GPUQREngine/Include", "SuiteSparse_GPURuntime/Include",
                     "GPUQREngine/Include/Kernel", "GraphBLAS/CUDA", "GraphBLAS/CUDA/templates", "GraphBLAS/Include", "GraphBLAS/Source",
                     "GraphBLAS/Source/Template"], [], "^$"),
    "rwkv": ([], ["-D_N_=64", "-D_T_=1024", "-D_C_=64", "-D_CHUNK_LEN_=16"], "^$"),
    "svox": (["svox/csrc/include"], [], "^$"),
    "thinc-gpu-ops": (["include"], [], "^$"),
    "torch-points-kernels": (["cuda/include"], [], "^$"),
    "torch-harmonics": (["torch_harmonics/disco/csrc", "torch_harmonics/attention/csrc"], [], "^$"),
    "torchcompactradius": (["src/torchCompactRadius/cppSrc"], [], "^$"),
    "torchpq": (["torchpq/kernels/cuda"], [
        "-D_VOLATILE_=", "-D_PN_=4", "-D_PM_=4", "-D_M_=16", "-D_K_=256", "-D_TPB_=256", "-D_NCS_=4", "-D_DE_=4",
        "-D_TN_=8", "-D_TM_=8", "-D_QCAP_=8", "-D_STACKCAP_=8", "-D_TA_=8", "-D_TD_=8", "-D_DK_=64", "-D_N_=256",
        "-D__DISTANCE_FN__=madd", "-D__MASK_BID__=bid", "-D_NITERS_=4", "-D_VARNAMES_="], "failed|later|helpers"),
    "xgboost": (["cpp_src/include", "cpp_src/dmlc-core/include"], ["-DXGBOOST_USE_CUDA=1"], "^$"),
    "vllm": (["csrc"], ["-DENABLE_FP8"], "cutlass|rocm|machete|sparse_scaled"),
}


# Headers that a package's configure step would write ("@": from that file of the package) or another package brings.
EXTRA = {
    "colmap": {"made/glog/logging.h": "#include <iostream>\n#define LOG(x) std::cerr\n#define CHECK(x) if (!(x)) std::cerr\n" + "".join(
        f"#define CHECK_{n}(a, b) CHECK((a) {o} (b))\n" for n, o in (("EQ", "=="), ("NE", "!="), ("GT", ">"), ("GE", ">="), ("LT", "<"), ("LE", "<=")))},
    "elpa": {"config-f90.h": "", "config.h": ""},
    "opencv": {"made/opencv2/opencv_modules.hpp": "#define HAVE_OPENCV_CUDEV\n", "made/cvconfig.h": "#define HAVE_CUDA\n"},
    "petsc": {"made/petscconf.h": "#define PETSC_HAVE_CUDA 1\n", "made/petscfix.h": "", "made/petscconf_poison.h": ""},
    "mpich": {"modules/yaksa/src/frontend/include/yaksa_config.h": "#define HAVE_CUDA 1\n",
              "modules/yaksa/src/frontend/include/yaksa.h": "@modules/yaksa/src/frontend/include/yaksa.h.in"},
}


def fetch(index, name, version, out):
    """The package's source archive (a wheel where there is none), unpacked under out/src."""
    page = urllib.parse.urljoin(index, name + "/")
    request = urllib.request.Request(page, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    files = [f for f in json.load(urllib.request.urlopen(request, timeout=60))["files"]
             if re.match(rf"{re.escape(name).replace('-', '[-_.]').replace(chr(92), '')}-{re.escape(version)}[-.]", f["filename"], re.I)]
    best = next((f for f in files if f["filename"].endswith((".tar.gz", ".zip"))), files[0])
    folder = out / "src" / name
    if not folder.exists():
        folder.mkdir(parents=True)
        archive = folder.with_suffix(".archive")
        archive.write_bytes(urllib.request.urlopen(urllib.parse.urljoin(page, best["url"]), timeout=300).read())
        if best["filename"].endswith(".tar.gz"):
            tarfile.open(archive).extractall(folder, filter="data")
        else:
            zipfile.ZipFile(archive).extractall(folder)
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 else folder


def fetch_debian(name, version, out):
    """The source package's archive, unpacked under out/src; NAME-COMPONENT is an archive beside the main one."""
    source, _, component = name.partition("-")
    folder = out / "src" / name
    if not folder.exists():
        folder.mkdir(parents=True)
        subprocess.run(["apt-get", "source", "--download-only", f"{source}={version}"], cwd=out, capture_output=True)
        pattern = f"{source}_*.orig{'-' + component if component else ''}.tar.*"
        archive = next(f for f in sorted(out.glob(pattern)) if f.suffix != ".asc")
        subprocess.run(["tar", "xf", archive, "-C", folder], check=True)
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 else folder


def by_hash(items, most, key=str):
    return sorted(items, key=lambda x: hashlib.sha1(key(x).encode()).hexdigest())[:most]


def stub_headers(out, root):
    """Headers by torch's names that include torch_stub.h: every name that the sources ask for."""
    stub = out / "stub"
    for source in [*root.rglob("*.cu"), *root.rglob("*.cuh"), *root.rglob("*.h")]:
        for header in re.findall(r"#include\s*[<\"]((?:torch|ATen|c10|THC|pybind11)/[^>\"]+)[>\"]", source.read_text(errors="replace")):
            path = stub / header
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text('#pragma once\n#include "torch_stub.h"\n')
    return stub


def compile_all(name, root, out, most):
    includes, flags, leave = FLAGS.get(name, ([], [], "^$"))
    dirs = []
    for i in includes:
        dirs += [p for p in (root / i[:-3]).rglob("*") if p.is_dir()] if i.endswith("/**") else [root / i]
    common = ["nvcc", "-ptx", "-arch=compute_80", "-std=c++17", "-w", "--expt-relaxed-constexpr", "--expt-extended-lambda",
              f"-I{stub_headers(out, root)}", f"-I{HERE}", f"-I{sysconfig.get_paths()['include']}", *[f"-I{d}" for d in dirs], *flags]
    (out / name).mkdir(exist_ok=True)
    for path, text in EXTRA.get(name, {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(re.sub(r"@\w+@", "0", (root / text[1:]).read_text()) if text.startswith("@") else text)
    sources = [s for s in sorted(root.rglob("*.cu")) if not re.search(leave, str(s.relative_to(root)))
               and re.search("__global__|<<<|__kernel", s.read_text(errors="replace"))]
    for source in by_hash(sources, most, lambda s: str(s.relative_to(root))):
        ptx = out / name / ("_".join(source.parts[-2:])[:-3] + ".ptx")
        if ptx.exists():
            continue
        try:
            r = subprocess.run([*common, f"-I{source.parent}", str(source), "-o", str(ptx)], capture_output=True, text=True, timeout=600)
            error = next((l for l in r.stderr.splitlines() if "error" in l), "failed") if r.returncode else ""
        except subprocess.TimeoutExpired:
            error = "takes too long"
        if error:
            ptx.unlink(missing_ok=True)
            print(source.relative_to(root), "left out:", error[-160:], flush=True)


def entries(text):
    """(name, start, start of the body, end) of each kernel."""
    for m in re.finditer(r"(?m)^(?:\.visible |\.weak )?\.entry (\S+?)\(", text):
        yield m.group(1), m.start(), text.index("{", m.start()), text.index("\n}\n", m.start())


def chosen(files, most=None):
    """{file: {kernel: family}}: distinct kernels, at most MOST of a template and `most` in all, none of the toolkit's
    libraries."""
    found, seen, groups = [], set(), collections.defaultdict(list)
    for f in files:
        text = f.read_text()
        for name, _, body, end in entries(text):
            code = re.sub(r"\$L__\w+|__unnamed_\d+|_ZZ\w+|_ZN\w+", "S", text[body:end].replace(name, "K"))
            code = re.sub(r"(?m)^\s*//.*$|\.loc.*$", "", code)
            found.append((f, name, hashlib.sha1(code.encode()).hexdigest(), code.count(";")))
    names = subprocess.run(["c++filt"], input="\n".join(n for _, n, _, _ in found), capture_output=True, text=True).stdout.split("\n")
    for (f, name, digest, size), readable in zip(found, names):
        if digest in seen or size < 12 or "3cub" in name or "thrust" in name:
            continue
        seen.add(digest)
        base = re.split(r"[<(]", re.sub("^void ", "", readable).replace("(anonymous namespace)", "anon"))[0].split("::")[-1]
        groups[base].append((hashlib.sha1((name + digest).encode()).hexdigest(), f, name))
    few = sorted((digest, f, name, base) for base, kernels in groups.items() for digest, f, name in sorted(kernels)[:MOST])
    picked = collections.defaultdict(dict)
    for _, f, name, base in few[:most]:
        picked[f][name] = base
    return picked


def bounds_of(key):
    """Threads of a block and blocks a multiprocessor (0: not stated) for a kernel, by its name."""
    h = int(hashlib.sha1(("bound" + key).encode()).hexdigest(), 16)
    threads, blocks = [128, 256, 512, 1024, 64, 256][h % 6], [0, 0, 1, 1, 1, 2][(h // 6) % 6]
    return threads, 1 if threads * blocks > 1536 else blocks


def bounded(text, f, kernels):
    out, at = "", 0
    for name, start, body, _ in entries(text):
        if name in kernels:
            threads, blocks = bounds_of(name + f.name)
            head = re.sub(r"\.(maxntid|reqntid|minnctapersm|maxnreg)[^\n]*\n", "", text[start:body])
            out += text[at:start] + head + f".maxntid {threads}, 1, 1\n" + (f".minnctapersm {blocks}\n" if blocks else "")
            at = body
    return out + text[at:]


def label(folder, picked, with_bounds):
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for f, kernels in picked.items():
        text = bounded(f.read_text(), f, kernels) if with_bounds else f.read_text()
        for target in TARGETS:
            arch = target + ("a" if target + "a" in text else "")
            r = subprocess.run(["ptxas", "-v", f"-arch={arch}", *[a for n in kernels for a in ("-e", n)], "-o", "/dev/null", "/dev/stdin"],
                               input=re.sub(r"(?m)^\.target sm_\w+", ".target " + arch, text), capture_output=True, text=True)
            name, spill = None, 0
            for line in r.stderr.splitlines():
                if m := re.search(r"Compiling entry function '([^']+)'", line):
                    name, spill = m.group(1), 0
                elif m := re.search(r"(\d+) bytes spill stores", line):
                    spill = int(m.group(1))
                elif (m := re.search(r"Used (\d+) registers", line)) and name:
                    extra = bounds_of(name + f.name) if with_bounds else ()
                    rows.append((f, name, kernels.get(name, ""), target, int(m.group(1)), spill, *extra))
                    name = None
    with open(folder / "labels.csv", "w", newline="") as handle:
        w = csv.writer(handle)
        w.writerow(["file", "kernel", "family", "target", "registers", "spill_stores"] + ["b_threads", "b_blocks"] * with_bounds)
        w.writerows(rows)
    print(folder.name, len(rows), "labels", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out", type=pathlib.Path)
    ap.add_argument("names", nargs="*")
    ap.add_argument("--bounds", action="store_true")
    ap.add_argument("--index", default=os.environ.get("PIP_INDEX_URL"), help="of packages, by pip's simple API (PIP_INDEX_URL)")
    a = ap.parse_args()
    for row in csv.DictReader(open(HERE / "packages.csv")):
        name = row["name"]
        if a.names and name not in a.names:
            continue
        debian = row["role"] == "test4"
        if not a.bounds:
            root = fetch_debian(name, row["version"], a.out) if debian else fetch(a.index.rstrip("/") + "/", name, row["version"], a.out)
            compile_all(name, root, a.out, SOURCES if debian else None)
        files = sorted((a.out / name).glob("*.ptx"))
        label(a.out / (name + ".bounds" * a.bounds), chosen(files, PACKAGE if debian else None), a.bounds)


if __name__ == "__main__":
    main()
