"""`pitot measure` of many specs, killed at random moments and started again until it comes to its end.

    python3 tools/gpu/kill_resume.py build/release/bin/pitot --specs 1000 --seconds 180

After every kill the store must hold what it held before, unchanged, and at the end each spec once. Exit code 1 if not.
"""

import argparse
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write_specs(folder, count):
    """Copies of the timing kernel's spec with loops of different lengths."""
    timing = ROOT / "tools/gpu/timing"
    (folder / "spin.ptx").write_bytes((timing / "spin.ptx").read_bytes())
    text = (timing / "spin.kernel.toml").read_text()
    for i in range(count):
        changed = text.replace("n = 2700", f"n = {10 + i}").replace("grid = 132", "grid = 4")
        (folder / f"s{i:04}.kernel.toml").write_text(changed)


def kept(store):
    """Each spec's samples, and how many records there are."""
    if not store.exists():
        return {}, 0
    with sqlite3.connect(store, timeout=30) as db:
        rows = db.execute("SELECT spec, samples, ok FROM measurement WHERE comparison IS NULL").fetchall()
    return {spec: samples for spec, samples, ok in rows if ok}, len(rows)


def run(pitot, specs, seconds, seed, most_between_kills=10.0):
    """What came of it, as a dict; `problems` is empty when all is well."""
    moments, problems = random.Random(seed), []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "k").mkdir()
        write_specs(folder / "k", specs)
        store, kills, before, ended = folder / "s.db", 0, {}, False
        lost_most = 0
        while not ended and time.monotonic() - begin < seconds:
            command = [str(pathlib.Path(pitot).resolve()), "measure", "k", "--store", "s.db",
                       "--no-cycles", "--warmup", "0.01", "--seconds", "0.02"]
            with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
                left = seconds - (time.monotonic() - begin)
                try:
                    child.wait(min(moments.uniform(0.2, most_between_kills), max(left, 0.1)))
                    ended = True
                    if child.returncode != 0:
                        problems.append(f"exit code {child.returncode}: {child.stderr.read().decode()[-300:]}")
                except subprocess.TimeoutExpired:
                    child.send_signal(signal.SIGKILL)
                    kills += 1
            now, rows = kept(store)
            for spec, samples in before.items():
                if now.get(spec) != samples:
                    problems.append(f"{spec} was lost or measured again")
            if rows != len(now):
                problems.append(f"{rows - len(now)} records twice or failed")
            before = now
        if ended and len(before) != specs:
            problems.append(f"{len(before)} of {specs} specs have a record")
        return {"specs": specs, "measured": len(before), "kills": kills, "ended": ended,
                "seconds": round(time.monotonic() - begin, 1), "problems": problems}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pitot")
    parser.add_argument("--specs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=180, help="at most; what is left then is not measured")
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    result = run(a.pitot, a.specs, a.seconds, a.seed)
    print(result)
    return 1 if result["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
