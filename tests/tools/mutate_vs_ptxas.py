#!/usr/bin/env python3
"""Compares the verifier with ptxas on files that have exactly one fault planted in them.

Takes PTX files that ptxas accepts, plants one seeded fault in each of many copies, asks ptxas and the
verifier, and prints how often they agree, by class of fault, and where they do not. A fault need not be
one: ptxas decides.

  mutate_vs_ptxas.py --driver build/dev/bin/verify_driver --seed 1 --count 2000 PATH...
  mutate_vs_ptxas.py ... --save tests/data/verify/mutations.tsv     keep the labelled set
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from plant_faults import CLASSES, OPCODE_EDITS, Source

PTXAS = os.environ.get('PITOT_PTXAS') or shutil.which('ptxas') or '/usr/local/cuda/bin/ptxas'


def arch_of(text, fallback):
    """ptxas's -arch: the file's own target where ptxas can assemble for it."""
    m = re.search(r'\.target\s+(sm_\d+[af]?)\b', text)
    name = m[1] if m else fallback
    if int(re.match(r'sm_(\d+)', name)[1]) < 75: return 'sm_75'
    return {'sm_91': 'sm_90', 'sm_77': 'sm_75', 'sm_82': 'sm_80', 'sm_101': 'sm_110', 'sm_101a': 'sm_110a'}.get(name, name)


def ask_ptxas(path, arch):
    r = subprocess.run([PTXAS, '-arch=' + arch, '-o', '/dev/null', path], capture_output=True, text=True, errors='replace')
    out = r.stdout + r.stderr
    lines = [int(n) for n in re.findall(r'line (\d+); (?:error|fatal)', out)]
    message = next((l for l in out.splitlines() if 'error' in l or 'fatal' in l), '')
    message = re.sub(r'^.*?(?:error|fatal)\s*: ', '', message)
    if r.returncode < 0 or (r.returncode and not message): return None, lines, 'crashed'  # no verdict
    return r.returncode == 0, lines, message


def ask_driver(driver, paths):
    r = subprocess.run([driver], input='\n'.join(paths) + '\n', capture_output=True, text=True, errors='replace')
    verdicts, findings = {}, {}
    for line in r.stdout.splitlines():
        f = line.split('\t')
        if len(f) == 2: verdicts[f[0]] = f[1] == 'ok'
        elif len(f) >= 8 and f[1] == 'error': findings.setdefault(f[0], []).append(f[2:])
    if r.returncode: print('driver failed with', r.returncode, 'after', len(verdicts), 'files', file=sys.stderr)
    return verdicts, findings


def collect(paths):
    files = []
    for p in paths:
        if os.path.isdir(p):
            for d, _, names in sorted(os.walk(p)):
                files += [os.path.join(d, n) for n in sorted(names) if n.endswith('.ptx')]
        else:
            files.append(p)
    return files


def escape(text):
    return text.replace('\\', '\\\\').replace('\t', '\\t').replace('\n', '\\n').replace('\r', '\\r')


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('paths', nargs='+')
    ap.add_argument('--driver', required=True)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--count', type=int, default=2000)
    ap.add_argument('--only', help='one class of fault')
    ap.add_argument('--max-bytes', type=int, default=24000, help='leave out larger files, which ptxas takes long for')
    ap.add_argument('--max-seconds', type=float, default=0.25, help='leave out files that ptxas takes longer for')
    ap.add_argument('--save', help='write the labelled set here')
    ap.add_argument('--root', default='.', help='names in the labelled set are relative to this')
    ap.add_argument('--show', type=int, default=200, help='disagreements to list')
    args = ap.parse_args()
    if not os.path.exists(PTXAS): sys.exit('no ptxas here: set PITOT_PTXAS')
    rng = random.Random(args.seed)
    work = tempfile.mkdtemp(dir='/dev/shm' if os.path.isdir('/dev/shm') else None)
    sources = []
    for path in collect(args.paths):
        if os.path.getsize(path) > args.max_bytes: continue
        try:
            s = Source(path, os.path.relpath(path, args.root))
        except (TypeError, ValueError):
            continue
        start = time.time()
        ok, _, _ = ask_ptxas(path, arch_of(s.text, 'sm_90'))
        if ok and time.time() - start < args.max_seconds and len(s.statements) > 2: sources.append(s)
    print(len(sources), 'sources')
    classes = [c for c in CLASSES if not args.only or c.__name__ == args.only]
    cases, seen = [], set()
    attempts = 0
    while len(cases) < args.count and attempts < args.count * 20:
        attempts += 1
        c = classes[attempts % len(classes)]
        s = rng.choice(sources)
        e = c(s, rng)
        if e is None: continue
        text = s.text[:e.begin] + e.text + s.text[e.end:]
        if text == s.text or (s.name, e.begin, e.end, e.text) in seen: continue
        seen.add((s.name, e.begin, e.end, e.text))
        path = os.path.join(work, '%05d.ptx' % len(cases))
        with open(path, 'wb') as f: f.write(text.encode('latin-1'))
        cases.append((c.__name__, s, e, text, path, arch_of(text, s.target)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        truth = list(pool.map(lambda k: ask_ptxas(k[4], k[5]), cases))
    decided = [k for k, t in enumerate(truth) if t[0] is not None]
    print('%d mutations; ptxas itself crashed on %d, which are left out' % (len(cases), len(cases) - len(decided)))
    cases, truth = [cases[k] for k in decided], [truth[k] for k in decided]
    verdicts, findings = ask_driver(args.driver, [k[4] for k in cases])

    total, agree, both_bad, line_ok, column_ok, column_of = {}, {}, 0, 0, 0, 0
    wrong, off_line, off_column = [], [], []
    for k, (ok, lines, message) in zip(cases, truth):
        name, s, e, text, path, arch = k
        ours = verdicts.get(path)
        total[name] = total.get(name, 0) + 1
        line = text.count('\n', 0, e.begin) + 1
        if ours != ok:
            wrong.append((name, s, e, text, ok, message, findings.get(path, []), line, lines, arch))
            continue
        agree[name] = agree.get(name, 0) + 1
        if ok: continue
        both_bad += 1
        found = findings[path]
        hit = not lines or any(int(f[0]) in lines for f in found)
        line_ok += hit
        if not hit: off_line.append((name, s, e, text, message, lines, found[0], line))
        if e.where is True:
            column_of += 1
            # The finding touches the edit, or stands in the same statement when the edit left none.
            first_column = e.begin - text.rfind('\n', 0, e.begin)
            last_column = first_column + max(len(e.text), 1)
            touches = any(int(f[0]) == line and int(f[1]) <= last_column + 1 and int(f[2]) >= first_column - 1 for f in found)
            # An edit of the opcode may clash with an operand, and a missing operand shows at the opcode.
            touches = touches or (name in OPCODE_EDITS and any(int(f[0]) == line and int(f[1]) >= first_column for f in found))
            touches = touches or any(int(f[0]) == line and f[3] in ('operand-count', 'argument-count') for f in found)
            column_ok += touches
            if not touches: off_column.append((name, s, e, text, message, first_column, found[0], line))
    n, a = len(cases), sum(agree.values())
    rejected = sum(1 for ok, _, _ in truth if not ok)
    for name in sorted(total):
        print('%-24s %4d  %5.1f %%' % (name, total[name], 100.0 * agree.get(name, 0) / total[name]))
    print('agreement %d of %d = %.2f %% (%d rejected by ptxas; %d wrongly accepted, %d wrongly rejected)' %
          (a, n, 100.0 * a / max(n, 1), rejected, sum(1 for w in wrong if not w[4]), sum(1 for w in wrong if w[4])))
    print('same line %d of %d = %.2f %%; column touches the edit %d of %d = %.2f %%' %
          (line_ok, both_bad, 100.0 * line_ok / max(both_bad, 1), column_ok, column_of, 100.0 * column_ok / max(column_of, 1)))
    for name, s, e, text, ok, message, found, line, lines, arch in wrong[:args.show]:
        print('--- %s %s:%d %s' % (name, s.name, line, arch), 'ptxas accepts' if ok else 'ptxas: %s (line %s)' % (message, lines))
        print('   was ', s.text.split('\n')[s.text.count('\n', 0, e.begin)].strip()[:160])
        print('   now ', text.split('\n')[line - 1].strip()[:160])
        for f in found[:2]: print('   ours', ' '.join(f[:1] + f[3:5]))
    print('===== other line')
    for name, s, e, text, message, lines, f, line in off_line[:args.show // 4]:
        print('--- %s %s:%d ptxas %s: %s' % (name, s.name, line, lines[:3], message))
        print('   now ', text.split('\n')[line - 1].strip()[:160])
        print('   ours', ' '.join(f[:1] + f[3:5]))
    print('===== other column')
    for name, s, e, text, message, column, f, line in off_column[:args.show // 2]:
        print('--- %s %s:%d:%d ptxas: %s' % (name, s.name, line, column, message))
        print('   now ', text.split('\n')[line - 1].strip()[:160])
        print('   ours', ':'.join(f[:3]), ' '.join(f[3:5]))
    if args.save:
        with open(args.save, 'w') as f:
            f.write('# class, source, offset, bytes replaced, text inserted, ptxas verdict, its lines\n')
            for k, (ok, lines, message) in zip(cases, truth):
                name, s, e, text, path, arch = k
                f.write('\t'.join([name, s.name, str(e.begin), str(e.end - e.begin), escape(e.text), 'ok' if ok else 'bad',
                                   ','.join(map(str, sorted(set(lines))))]) + '\n')
    shutil.rmtree(work)


if __name__ == '__main__':
    main()
