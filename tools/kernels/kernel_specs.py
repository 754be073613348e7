"""Compiled kernels of some folders, each with the kernel spec that says how to run it.

A spec names one file; others of its directory that were made from the same source for another target, or with the mistake
of a pair, have the same parameters (kernels/README.md), so it serves them too. Edits below variants/ are run by the spec of
what they are edits of.
"""

import json
import math
import pathlib
import random
import re
import tomllib


class Kernel:
    def __init__(self, path, entry, target, spec):
        self.path, self.entry, self.target, self.spec = path, entry, target, spec
        self.key = f"{path}#{entry}"


def without_target(name):
    """NAME.VARIANT of a file that is called NAME.VARIANT.TARGET.ptx."""
    return re.sub(r"\.sm_?\d+[af]?\.ptx$|\.ptx$", "", name)


def of_pair(name):
    """What the right and the wrong kernel of a pair, the kernel before and after a change, and a renamed one have in common."""
    return re.sub(r"_(right|wrong)\b", "", re.sub(r"^(before|after)\b|^renamed_", "", name))


def source_of(path):
    """The file that an edit below variants/ was made from: BASE.KIND.ptx of BASE.ptx."""
    listed = path.parent.parent / "manifest.json"
    if path.parent.name != "variants" or not listed.exists():
        return path
    records = json.loads(listed.read_text())
    records = records if isinstance(records, list) else records["kernels"]
    bases = {r["file"]: r["base"] for r in records if "base" in r}
    base = bases.get(f"variants/{path.name}")
    return path if base is None else path.parent.parent / base


def at_home(spec):
    """The text of a spec, its PTX by an absolute path, so that it may lie anywhere."""
    spec = pathlib.Path(spec).resolve()
    return re.sub(r'^ptx = "(.*)"', lambda m: f'ptx = "{(spec.parent / m[1]).resolve()}"', spec.read_text(), flags=re.M)


def without_tolerance(spec):
    """The text of a spec that says nothing of tolerances."""
    return re.sub(r"^\[tolerance\]\n(?:(?!\[).*\n)*", "", at_home(spec), flags=re.M)


def more_sizes(spec, count, seed):
    """Sizes of about the order of the spec's, drawn by the seed; multiples of what all of its sizes of a name are multiples of."""
    sizes = tomllib.loads(pathlib.Path(spec).read_text()).get("sizes", [])
    names = [n for n in (sizes[0] if sizes else {}) if n != "kind"]
    draw = random.Random(seed)
    out = []
    for _ in range(count if names else 0):
        size = {}
        for n in names:
            step = math.gcd(*(s[n] for s in sizes))
            most = max(s[n] for s in sizes)
            near = [0, step, 2 * step, 3 * step, 5 * step, most - step, most, most + step]
            size[n] = max(0, draw.choice([*near, step * draw.randint(1, max(1, 2 * most // max(step, 1)))]))
        if size not in out:
            out.append(size)
    return out


def with_sizes(spec, more):
    """The text of a spec with further sizes."""
    added = "".join("[[sizes]]\nkind = \"boundary\"\n" + "".join(f"{n} = {v}\n" for n, v in s.items()) + "\n" for s in more)
    return at_home(spec).replace("[[args]]", added + "[[args]]", 1)


def other_values(text):
    """The text of a spec, floats far from 0 in the place of normal ones: what is done to large arguments is run then."""
    return text.replace('init = "normal"', 'init = "uniform(-200000, 200000)"')


def entries(text):
    return re.findall(r"\.entry\s+([\w$]+)", re.sub(r"//.*|/\*.*?\*/", "", text))


class Specs:
    """All specs below some folders, found by what they run."""

    def __init__(self, folders):
        self.exact, self.akin = {}, {}
        for folder in folders:
            for spec in sorted(pathlib.Path(folder).rglob("*.kernel.toml")):
                try:
                    content = tomllib.loads(spec.read_text())
                except tomllib.TOMLDecodeError:
                    continue
                if "ptx" not in content or "args" not in content:
                    continue
                ptx = (spec.parent / content["ptx"]).resolve()
                entry = content.get("entry", "")
                self.exact.setdefault((ptx, entry), str(spec))
                for key in self.keys(ptx, entry):
                    self.akin.setdefault(key, str(spec))

    @staticmethod
    def keys(ptx, entry):
        """Of the same file for another target, and of the other of a pair."""
        name = without_target(ptx.name)
        return (ptx.parent, name, of_pair(entry)), (ptx.parent, "", of_pair(name), of_pair(entry))

    def of(self, path, entry):
        path = source_of(path).resolve()
        found = [self.exact.get((path, entry)), *(self.akin.get(key) for key in self.keys(path, entry))]
        return next((spec for spec in found if spec), None)


def kernels(folders, specs, least=0, most=1 << 30):
    """Every kernel of the PTX files below the folders, by path."""
    for folder in folders:
        root = pathlib.Path(folder)
        for path in sorted(root.rglob("*.ptx")) if root.is_dir() else [root]:
            text = path.read_text(errors="replace")
            target = re.search(r"^\s*\.target\s+(sm_\w+)", text, re.M)
            if target is None or not least <= len(text) <= most:
                continue
            for entry in entries(text):
                yield Kernel(str(path), entry, target[1], specs.of(path, entry))
