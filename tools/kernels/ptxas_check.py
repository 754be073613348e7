"""Assembles compiled PTX with ptxas, so that no file is kept that an assembler refuses."""
import os
import shutil
import subprocess
import sys
from pathlib import Path


def find_tool(name):
    """Path of a CUDA tool, from PATH, CUDA_HOME or the usual place; None where there is none."""
    places = [shutil.which(name)]
    for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if home:
            places.append(str(Path(home) / "bin" / name))
    return next((p for p in places if p and Path(p).exists()), None)


def check(kernels, entries):
    """Stops on the first file that ptxas does not take for its own target."""
    ptxas = find_tool("ptxas")
    if not ptxas:
        print("ptxas is not here: the files are not checked", file=sys.stderr)
        return
    for entry in entries:
        path = kernels / entry["file"]
        command = [ptxas, f"-arch={entry['target']}", str(path), "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{entry['file']}: ptxas refuses it\n{done.stdout}{done.stderr}")
