"""kernels/manifest.json: what each compiled file is, from which source, by which compiler."""
import hashlib
import json
import re

ENTRY = re.compile(r"^[ \t]*(?:\.(?:visible|weak|extern)\s+)*\.entry\s+([\w$.]+)", re.M)


def entry_names(text):
    """Names of the kernels a PTX text defines, in order."""
    return ENTRY.findall(text)


def record(kernels, path, *, source, producer, block, role=None, pair=None, tag=None, shows=None):
    """One manifest record for a compiled file; `block` is the launch block, or None if free."""
    text = path.read_text()
    relative = path.relative_to(kernels).as_posix()
    made = {
        "name": path.name.removesuffix(".ptx"),
        "file": relative,
        "family": relative.split("/")[0],
        "source": source.relative_to(kernels).as_posix(),
        "producer": producer,
        "target": re.search(r"^\s*\.target\s+(\w+)", text, re.M).group(1),
        "version": re.search(r"^\s*\.version\s+([\d.]+)", text, re.M).group(1),
        "entries": entry_names(text),
        "block": block,
        "role": role,
        "pair": pair,
        "variant": tag,
        "shows": shows,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    return {key: value for key, value in made.items() if value is not None}


def replace(kernels, directory, entries):
    """Puts `entries` in the manifest in the place of what it held for `directory`."""
    path = kernels / "manifest.json"
    held = json.loads(path.read_text())["kernels"] if path.exists() else []
    prefix = directory.relative_to(kernels).as_posix() + "/"
    kept = [e for e in held if not e["file"].startswith(prefix) and (kernels / e["file"]).exists()]
    merged = sorted(kept + entries, key=lambda e: e["file"])
    body = ",\n".join("  " + json.dumps(entry) for entry in merged)
    path.write_text('{"schema": "pitot.kernels/1",\n"kernels": [\n' + body + "\n]}\n")
