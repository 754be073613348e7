"""Classes of faults for mutate_vs_ptxas.py: each function plants one in a source, or says None.

A function takes a Source and a random generator and gives an Edit: what to replace, and whether the
finding should stand there.
"""
import re

TYPES = 'b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 f32 f64 bf16 pred'.split()
SPACES = 'global shared local const param'.split()
TARGETS = 'sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_120'.split()
VERSIONS = '4.0 4.3 5.0 6.0 6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 7.9 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0 9.5'.split()
STATEMENT = re.compile(r'^[ \t]*(?:(@!?)(%?[\w$]+)[ \t]+)?([a-z][\w]*(?:\.[\w:]+)*)[ \t]*([^;:]*);', re.M)
LABEL = re.compile(r'^[ \t]*([\w$]+):', re.M)
DECLARATION = re.compile(r'^[ \t]*(\.(?:reg|shared|local|global|const|param|extern|visible)\b[^;{}()]*(?:=[^;]*)?;)', re.M)
REGISTER = re.compile(r'%[a-zA-Z_][\w$]*')
MODIFIERS = ('sat ftz rn rz rm rp rni rzi approx wide lo hi cc sync aligned volatile relaxed gpu cta sys nc v2 v4 '
             'uni to u32 f32 b32 s64 shared global cg ca trans row col x4 and or eq lt ge').split()


class Source:
    def __init__(self, path, name):
        self.path, self.name = path, name
        raw = open(path, 'rb').read()
        self.text = raw.decode('latin-1')
        self.code = re.sub(r'//[^\n]*|/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m[0]), self.text, flags=re.S)
        self.code = re.sub(r'^\s*\.section\b.*', lambda m: re.sub(r'[^\n]', ' ', m[0]), self.code, flags=re.M | re.S) \
            if re.search(r'^\s*\.section\b', self.code, re.M) else self.code
        self.target = re.search(r'\.target\s+(\w+)', self.code)[1]
        body = self.code.find('{')
        self.statements = [m for m in STATEMENT.finditer(self.code) if m.start() > body > 0]
        self.labels = [m for m in LABEL.finditer(self.code) if m.start() > body and not m[1].startswith('.')]
        self.declarations = [m for m in DECLARATION.finditer(self.code)]
        self.classes = {}
        for m in re.finditer(r'\.reg\s+(?:\.v\d\s+)?\.(\w+)\s+([^;]*);', self.code):
            for name in m[2].split(','):
                name = name.strip()
                r = re.match(r'(%?[\w$]+?)<(\d+)>$', name)
                if r:
                    self.classes.setdefault(m[1], []).extend(r[1] + str(k) for k in range(min(int(r[2]), 40)))
                elif name:
                    self.classes.setdefault(m[1], []).append(name)
        self.class_of = {n: c for c, ns in self.classes.items() for n in ns}

    def register_class(self, name):
        return self.class_of.get(name)


class Edit:
    """Replaces text[begin:end] by `text`. `where` is the range, in the edited text, that the finding should touch;
    None: the fault shows elsewhere (an undefined label shows where it is used)."""
    def __init__(self, begin, end, text, where=True):
        self.begin, self.end, self.text, self.where = begin, end, text, where


def operands_of(m):
    """(begin, end) of each top-level operand of a statement match."""
    base, text = m.start(4), m[4]
    out, depth, start = [], 0, 0
    for k, c in enumerate(text + ','):
        if c in '[{(':
            depth += 1
        elif c in ']})':
            depth -= 1
        elif c == ',' and depth == 0:
            piece = text[start:k]
            if piece.strip():
                lead = len(piece) - len(piece.lstrip())
                out.append((base + start + lead, base + start + len(piece.rstrip())))
            start = k + 1
    return out


def pick(rng, seq):
    seq = list(seq)
    return rng.choice(seq) if seq else None


def registers_in(s, m):
    return [(r.start() + m.start(4), r.end() + m.start(4), r[0]) for r in REGISTER.finditer(m[4])
            if s.register_class(r[0])]


# Each class: (source, rng) -> Edit or None.

def change_type(s, rng):
    m = pick(rng, [m for m in s.statements if re.search(r'\.(%s)\b' % '|'.join(TYPES), m[3])])
    if not m: return None
    t = pick(rng, re.finditer(r'\.(%s)(?![\w])' % '|'.join(TYPES), m[3]))
    if not t: return None
    new = pick(rng, [x for x in TYPES if x != t[1]])
    return Edit(m.start(3) + t.start(1), m.start(3) + t.end(1), new)


def swap_operands(s, rng):
    m = pick(rng, [m for m in s.statements if len(operands_of(m)) >= 2])
    if not m: return None
    ops = operands_of(m)
    a, b = sorted(rng.sample(range(len(ops)), 2))
    (ab, ae), (bb, be) = ops[a], ops[b]
    t = s.text
    if t[ab:ae] == t[bb:be]: return None
    return Edit(ab, be, t[bb:be] + t[ae:bb] + t[ab:ae])


def drop_operand(s, rng):
    m = pick(rng, [m for m in s.statements if operands_of(m)])
    if not m: return None
    ops = operands_of(m)
    k = rng.randrange(len(ops))
    if len(ops) == 1: return Edit(ops[0][0], ops[0][1], '')
    if k + 1 < len(ops): return Edit(ops[k][0], ops[k + 1][0], '')
    return Edit(ops[k - 1][1], ops[k][1], '')


def add_operand(s, rng):
    m = pick(rng, [m for m in s.statements if operands_of(m)])
    if not m: return None
    ops = operands_of(m)
    at = ops[-1][1]
    new = pick(rng, [s.text[b:e] for b, e in ops] + ['0', '1.0', '%r1', '%p1'])
    return Edit(at, at, ', ' + new)


def wrong_class(s, rng):
    m = pick(rng, [m for m in s.statements if registers_in(s, m)])
    if not m: return None
    b, e, name = pick(rng, registers_in(s, m))
    others = [c for c in s.classes if c != s.register_class(name)]
    if not others: return None
    return Edit(b, e, pick(rng, s.classes[pick(rng, others)]))


def misspell_register(s, rng):
    m = pick(rng, [m for m in s.statements if registers_in(s, m)])
    if not m: return None
    b, e, name = pick(rng, registers_in(s, m))
    new = pick(rng, [name + '9999', name[:1] + 'q' + name[1:], name.replace('%', ''), name.upper(), name[:-1]])
    return Edit(b, e, new) if new != name else None


def misspell_label(s, rng):
    m = pick(rng, [m for m in s.statements if m[3].startswith('bra')])
    if not m: return None
    b, e = operands_of(m)[0]
    name = s.text[b:e]
    return Edit(b, e, pick(rng, [name + '_', name[:-1] or 'x', '%r1', '0', 'L_nowhere']))


def misspell_opcode(s, rng):
    m = pick(rng, s.statements)
    name = m[3].split('.')[0]
    k = rng.randrange(len(name))
    new = pick(rng, [name[:k] + name[k + 1:], name[:k] + name[k] * 2 + name[k + 1:], name[:k] + 'x' + name[k + 1:],
                     pick(rng, ['add', 'mov', 'ld', 'mul', 'cvt', 'and', 'min', 'setp', 'st', 'fma', 'bra'])])
    return Edit(m.start(3), m.start(3) + len(name), new) if new and new != name else None


def misspell_modifier(s, rng):
    m = pick(rng, [m for m in s.statements if '.' in m[3]])
    if not m: return None
    t = pick(rng, re.finditer(r'\.([\w:]+)', m[3]))
    name = t[1]
    k = rng.randrange(len(name))
    new = pick(rng, [name[:k] + name[k + 1:], name[:k] + name[k] * 2 + name[k + 1:], name + 'x', name.upper()])
    return Edit(m.start(3) + t.start(1), m.start(3) + t.end(1), new) if new and new != name else None


def delete_label(s, rng):
    m = pick(rng, s.labels)
    return Edit(m.start(1), m.end(), '', None) if m else None


def duplicate_label(s, rng):
    m = pick(rng, s.labels)
    if not m: return None
    other = pick(rng, s.statements)
    return Edit(other.start(), other.start(), '\n%s:\n' % m[1], None)


def duplicate_declaration(s, rng):
    m = pick(rng, s.declarations)
    if not m: return None
    return Edit(m.end(1), m.end(1), ' ' + m[1])


def delete_declaration(s, rng):
    m = pick(rng, s.declarations)
    if not m: return None
    return Edit(m.start(1), m.end(1), '', None)


def redeclare_type(s, rng):
    m = pick(rng, [m for m in s.declarations if '.reg' in m[1]])
    if not m: return None
    t = re.search(r'\.(%s)\b' % '|'.join(TYPES), m[1])
    if not t: return None
    new = pick(rng, [x for x in TYPES if x != t[1]])
    return Edit(m.start(1) + t.start(1), m.start(1) + t.end(1), new, None)


def fewer_registers(s, rng):
    m = pick(rng, [m for m in s.declarations if re.search(r'<\d+>', m[1])])
    if not m: return None
    n = re.search(r'<(\d+)>', m[1])
    return Edit(m.start(1) + n.start(1), m.start(1) + n.end(1), str(rng.randrange(1, int(n[1]) + 1)), None)


def lower_version(s, rng):
    m = re.search(r'\.version\s+(\d+\.\d+)', s.code)
    new = pick(rng, [v for v in VERSIONS if v != m[1]])
    return Edit(m.start(1), m.end(1), new, None)


def change_target(s, rng):
    m = re.search(r'\.target\s+(\w+)', s.code)
    new = pick(rng, [t for t in TARGETS if t != m[1]] + ['sm_91', 'sm_77'])
    return Edit(m.start(1), m.end(1), new, None)


def header(s, rng):
    m = pick(rng, re.finditer(r'^\s*(\.(?:version|target|address_size)\b[^\n]*)', s.code, re.M))
    return pick(rng, [Edit(m.start(1), m.end(1), '', None), Edit(m.end(1), m.end(1), '\n' + m[1], None),
                      Edit(m.start(1), m.start(1) + 3, m[1][:2], None)])


def alignment(s, rng):
    m = pick(rng, re.finditer(r'\.align\s+(\d+)', s.code))
    if not m: return None
    return Edit(m.start(1), m.end(1), pick(rng, '0 3 6 12 1 2 4 8 32 64 100 256'.split()))


def vector_count(s, rng):
    m = pick(rng, [m for m in s.statements if '.v2' in m[3] or '.v4' in m[3] or '{' in m[4]])
    if not m: return None
    if rng.random() < 0.5 and re.search(r'\.v[24]', m[3]):
        t = re.search(r'\.v([24])', m[3])
        if rng.random() < 0.3: return Edit(m.start(3) + t.start(), m.start(3) + t.end(), '')
        return Edit(m.start(3) + t.start(1), m.start(3) + t.end(1), pick(rng, [x for x in '2348' if x != t[1]]))
    v = re.search(r'\{([^{}]*)\}', m[4])
    if not v: return None
    parts = [p.strip() for p in v[1].split(',')]
    if rng.random() < 0.5 and len(parts) > 1: parts.pop(rng.randrange(len(parts)))
    elif rng.random() < 0.7: parts.append(parts[-1])
    else: return Edit(m.start(4) + v.start(), m.start(4) + v.end(), parts[0])
    return Edit(m.start(4) + v.start(), m.start(4) + v.end(), '{' + ', '.join(parts) + '}')


def change_space(s, rng):
    m = pick(rng, [m for m in s.statements if re.search(r'\.(%s)\b' % '|'.join(SPACES), m[3])])
    if not m: return None
    t = re.search(r'\.(%s)\b' % '|'.join(SPACES), m[3])
    if rng.random() < 0.2: return Edit(m.start(3) + t.start(), m.start(3) + t.end(), '')
    return Edit(m.start(3) + t.start(1), m.start(3) + t.end(1), pick(rng, [x for x in SPACES if x != t[1]]))


def declared_space(s, rng):
    m = pick(rng, re.finditer(r'(?<![\w.])\.(global|shared|local|const|param)\b', s.code))
    if not m: return None
    return Edit(m.start(1), m.end(1), pick(rng, [x for x in SPACES if x != m[1]]), None)


def immediate_for_register(s, rng):
    m = pick(rng, [m for m in s.statements if registers_in(s, m)])
    if not m: return None
    b, e, _ = pick(rng, registers_in(s, m))
    return Edit(b, e, pick(rng, ['7', '-1', '1.5', '0f3F800000', '0d3FF0000000000000', '0x10']))


def immediate_type(s, rng):
    hits = []
    for m in s.statements:
        for t in re.finditer(r'(?<![\w.%$+])(-?\d+(?:\.\d+)?|0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0x[0-9a-fA-F]+)(?![\w.])', m[4]):
            hits.append((m.start(4) + t.start(), m.start(4) + t.end(), t[0]))
    hit = pick(rng, hits)
    if not hit: return None
    new = pick(rng, ['1.5', '3', '0f3F800000', '0d3FF0000000000000', '-2', '0x1FFFFFFFF', '0f3F80', '09', '4294967296',
                     '17', '300', '%r1', '_'])
    return Edit(hit[0], hit[1], new) if new != hit[2] else None


def drop_modifier(s, rng):
    m = pick(rng, [m for m in s.statements if '.' in m[3]])
    if not m: return None
    t = pick(rng, re.finditer(r'\.[\w:]+', m[3]))
    return Edit(m.start(3) + t.start(), m.start(3) + t.end(), '', m)


def add_modifier(s, rng):
    m = pick(rng, s.statements)
    spots = [m.end(3)] + [m.start(3) + t.start() for t in re.finditer(r'\.', m[3])]
    at = pick(rng, spots)
    return Edit(at, at, '.' + pick(rng, MODIFIERS))


def reorder_modifiers(s, rng):
    m = pick(rng, [m for m in s.statements if m[3].count('.') >= 2])
    if not m: return None
    parts = m[3].split('.')
    a, b = sorted(rng.sample(range(1, len(parts)), 2))
    if parts[a] == parts[b]: return None
    parts[a], parts[b] = parts[b], parts[a]
    return Edit(m.start(3), m.end(3), '.'.join(parts))


def other_modifier(s, rng):
    m = pick(rng, [m for m in s.statements if '.' in m[3]])
    if not m: return None
    t = pick(rng, re.finditer(r'\.([\w:]+)', m[3]))
    new = pick(rng, [x for x in MODIFIERS if x != t[1]])
    return Edit(m.start(3) + t.start(1), m.start(3) + t.end(1), new)


def parameter_name(s, rng):
    if rng.random() < 0.5:
        m = pick(rng, [m for m in s.statements if re.match(r'(ld|st)\.param', m[3])])
        if not m: return None
        n = re.search(r'\[\s*([\w$]+)', m[4])
        if not n: return None
        return Edit(m.start(4) + n.start(1), m.start(4) + n.end(1), n[1] + pick(rng, ['x', '_0', '9']))
    m = pick(rng, re.finditer(r'\.param\s[^,;(){}]*?([\w$]+)(?:\[\d*\])?\s*[,)\n]', s.code))
    if not m: return None
    return Edit(m.start(1), m.end(1), m[1] + 'z', None)


def guard(s, rng):
    guarded = [m for m in s.statements if m[1]]
    wrong = [n for c, ns in s.classes.items() if c != 'pred' for n in ns[:3]]
    if guarded and rng.random() < 0.6:
        m = pick(rng, guarded)
        return Edit(m.start(2), m.end(2), pick(rng, wrong + ['%p99', '1', '!' + m[2]]))
    m = pick(rng, s.statements)
    if m[1]: return None
    return Edit(m.start(3), m.start(3), '@' + pick(rng, wrong + s.classes.get('pred', [])[:2]) + ' ')


def punctuation(s, rng):
    m = pick(rng, s.statements)
    spots = [k for k in range(m.start(3), m.end()) if s.text[k] in ',;[]{}.%']
    at = pick(rng, spots)
    return Edit(at, at + 1, pick(rng, ['', '', s.text[at] * 2, ' ', '+', ')']))


def address(s, rng):
    m = pick(rng, [m for m in s.statements if '[' in m[4]])
    if not m: return None
    a = re.search(r'\[\s*(%?[\w$]+)\s*(\+\s*-?\d+)?[^\]]*\]', m[4])
    if not a: return None
    b, e = m.start(4) + a.start(1), m.start(4) + a.end(1)
    kind = rng.randrange(6)
    if kind == 0: return Edit(m.start(4) + a.start(), m.start(4) + a.end(), a[1])
    if kind == 1: return Edit(e, e, pick(rng, ['+3', '+-8', '-4', '+%r1', '+1.0', '*4']))
    if kind == 2: return Edit(b, e, pick(rng, ['0', '64', '_', '%tid', 'nowhere']))
    if kind == 3 and a[2]: return Edit(m.start(4) + a.start(2), m.start(4) + a.end(2), '+1')
    names = [n for ns in s.classes.values() for n in ns[:2]]
    names += re.findall(r'\.(?:shared|global|const|local)\s+[^;=(){}]*?([\w$]+)(?:\[\d*\])*\s*[;=]', s.code)
    return Edit(b, e, pick(rng, names))


def negate(s, rng):
    m = pick(rng, [m for m in s.statements if registers_in(s, m)])
    if not m: return None
    b, _, _ = pick(rng, registers_in(s, m))
    return Edit(b, b, pick(rng, '!!-~'))


def special_register(s, rng):
    m = pick(rng, [m for m in s.statements if registers_in(s, m)])
    if not m: return None
    b, e, _ = pick(rng, registers_in(s, m))
    return Edit(b, e, pick(rng, ['%tid.x', '%clock64', '%laneid', '%ntid', '%nosuch', '_', '%ctaid.y']))


def symbol_operand(s, rng):
    names = re.findall(r'\.(?:shared|global|const|local|param|entry|func)\s+[^;=(){}]*?([\w$]+)(?:\[\d*\])*\s*[;=,()\n]', s.code)
    m = pick(rng, [m for m in s.statements if registers_in(s, m)])
    if not m or not names: return None
    b, e, _ = pick(rng, registers_in(s, m))
    return Edit(b, e, pick(rng, names))


def size(s, rng):
    m = pick(rng, re.finditer(r'\[(\d*)\](?=[\s]*[;,)=\n])', s.code))
    if not m: return None
    return Edit(m.start(1), m.end(1), pick(rng, ['', '0', '1', '49153', '70000', '-1', '4', '%r1', '40000']), None)


def directive(s, rng):
    m = re.search(r'\)\s*(?=(\.maxntid|\.reqntid|\.maxnreg|\.minncta|\.pragma|\{))', s.code[s.code.find('.entry'):])
    if not m: return None
    at = s.code.find('.entry') + m.start() + 1
    return Edit(at, at, pick(rng, ['\n.maxntid 0\n', '\n.reqntid 64\n', '\n.maxntid 128\n', '\n.maxnreg 0\n', '\n.maxnreg 300\n',
                                   '\n.minnctapersm 2\n', '\n.noreturn\n', '\n.maxclusterrank 4\n', '\n.reqnctapercluster 2\n',
                                   '\n.maxntid\n', '\n.mxntid 3\n', '\n.maxntid 1,1,1,1\n', '\n.explicitcluster\n',
                                   '\n.blocksareclusters\n', '\n.maxnctapersm 3\n']), None)


def initialiser(s, rng):
    m = pick(rng, re.finditer(r'\.(?:global|const|shared|local)\s[^;={}()]*?([\w$]+)((?:\[\d*\])*)\s*(=\s*[^;]*)?;', s.code))
    if not m: return None
    at = m.end() - 1
    if m[3]:
        k = pick(rng, [t for t in re.finditer(r'[\w.]+|[{},]', m[3])])
        return Edit(m.start(3) + k.start(), m.start(3) + k.end(), pick(rng, ['1', '1.5', '{', '}', ',', 'nowhere', '', '2, 3', '-1']), None)
    return Edit(at, at, pick(rng, [' = 1', ' = {1, 2}', ' = 1.5', ' = {0}', ' = nowhere', ' = {}']), None)


def call(s, rng):
    m = pick(rng, [m for m in s.statements if m[3].startswith('call')])
    if not m: return None
    ops = operands_of(m)
    b, e = pick(rng, ops)
    text = s.text[b:e]
    names = [n for ns in s.classes.values() for n in ns[:2]] + ['p0', 'p1', 'ret0', 'k', '5', '1.5', '_', 'nowhere', 'out']
    if text.startswith('('):
        parts = [p.strip() for p in text[1:-1].split(',') if p.strip()]
        kind = rng.randrange(3)
        if kind == 0 and parts: parts.pop()
        elif kind == 1 or not parts: parts.append(pick(rng, names))
        else: parts[rng.randrange(len(parts))] = pick(rng, names)
        return Edit(b, e, '(' + ', '.join(parts) + ')')
    return Edit(b, e, pick(rng, names + ['twice', 'scale', 'stop']))


def signature(s, rng):
    m = pick(rng, re.finditer(r'\.func[^{;]*', s.code))
    if not m: return None
    t = pick(rng, re.finditer(r'\.(b32|b64|f32|u32|b8|param|reg|align \d+|visible|extern)\b', m[0]))
    if not t: return None
    return Edit(m.start() + t.start(1), m.start() + t.end(1), pick(rng, ['b32', 'b64', 'f32', 'u32', 'u64', 'param', 'reg', 'align 4']), None)


CLASSES = [change_type, swap_operands, drop_operand, add_operand, wrong_class, misspell_register, misspell_label,
           misspell_opcode, misspell_modifier, delete_label, duplicate_label, duplicate_declaration, delete_declaration,
           redeclare_type, fewer_registers, lower_version, change_target, header, alignment, vector_count, change_space,
           declared_space, immediate_for_register, immediate_type, drop_modifier, add_modifier, reorder_modifiers,
           other_modifier, parameter_name, guard, punctuation, address, negate, special_register, symbol_operand, size,
           directive, initialiser, call, signature]


OPCODE_EDITS = {f.__name__ for f in (change_type, misspell_opcode, change_space, drop_modifier, add_modifier, reorder_modifiers,
                                     other_modifier, vector_count)}
