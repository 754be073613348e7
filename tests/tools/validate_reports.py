"""Validates the gate's SARIF and JUnit reports against their schemas.

  validate_reports.py PITOT [--sarif-schema FILE]

JUnit is checked against tests/data/report/junit-10.xsd (the Jenkins schema that pytest ships, MIT) with
xmllint or the xmlschema package. SARIF is checked against the official 2.1.0 schema when a copy is given,
against the models that the pydantic-sarif package generated from it when that is installed, and always
against tests/data/report/sarif-2.1.0-subset.json: the parts of the standard that pitot writes, with every
constraint they have there. What could not be checked is named.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/report"
PAIRS = [
    ("kernels/pairs/softmax/softmax_right.sm80.ptx", "kernels/pairs/softmax/softmax_wrong.sm80.ptx"),
    ("kernels/regressions/atomic_add_to_cas/before.sm90.ptx", "kernels/regressions/atomic_add_to_cas/after.sm90.ptx"),
    ("kernels/regressions/sincos_false_alarm/before.sm80.ptx", "kernels/regressions/sincos_false_alarm/after.sm80.ptx"),
    ("kernels/cuda/saxpy/saxpy.sm80.ptx", "kernels/cuda/saxpy/saxpy.sm80.ptx"),
]
WAIVER = '[[waive]]\nrule = "*"\nreason = "a <reason> & more"\nexpires = 2999-01-01\n'


def gate(pitot, before, after, fmt, rules=None):
    command = [pitot, "gate", "--no-ptxas", "--format", fmt, str(ROOT / before), str(ROOT / after)]
    if rules:
        command += ["--rules", rules]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit {run.returncode}\n{run.stderr}")
    return run.stdout


def check_sarif(text, schema, skipped):
    import jsonschema

    document = json.loads(text)
    jsonschema.Draft7Validator(json.loads((DATA / "sarif-2.1.0-subset.json").read_text())).validate(document)
    if schema:
        jsonschema.Draft4Validator(json.loads(pathlib.Path(schema).read_text())).validate(document)
    else:
        skipped.add("official SARIF schema: no copy given")
    try:
        import pydantic_sarif
    except ImportError:
        skipped.add("pydantic-sarif: not installed")
        return
    model = getattr(pydantic_sarif, "StaticAnalysisResultsFormatSarifVersion210JsonSchema", None)
    if model is None:
        from pydantic_sarif import model as models

        model = models.StaticAnalysisResultsFormatSarifVersion210JsonSchema
    model.model_validate(document) if hasattr(model, "model_validate") else model.parse_obj(document)


def check_junit(text, skipped):
    xsd = DATA / "junit-10.xsd"
    with tempfile.NamedTemporaryFile("w", suffix=".xml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        if shutil.which("xmllint"):
            subprocess.run(["xmllint", "--noout", "--schema", str(xsd), file.name], check=True, capture_output=True)
            return
        try:
            import xmlschema
        except ImportError:
            skipped.add("JUnit schema: neither xmllint nor the xmlschema package")
            return
        xmlschema.validate(file.name, str(xsd))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pitot")
    parser.add_argument("--sarif-schema")
    args = parser.parse_args()
    skipped, done = set(), 0
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as waiver:
        waiver.write(WAIVER)
        waiver.flush()
        for before, after in PAIRS:
            for rules in (None, waiver.name):
                check_sarif(gate(args.pitot, before, after, "sarif", rules), args.sarif_schema, skipped)
                check_junit(gate(args.pitot, before, after, "junit", rules), skipped)
                done += 2
    for what in sorted(skipped):
        print(f"not checked: {what}")
    print(f"{done} reports valid")


if __name__ == "__main__":
    main()
