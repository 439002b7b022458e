"""JSON as a reader sees it that takes text as it stands."""

import re

# A string, a mark, or text that is neither; a string right behind such text belongs to it.
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][\s{}:,"]+(?:"(?:[^"\\]|\\.)*")?|"', re.S)
VALUE = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")
ESCAPE = re.compile(rb"\\(.)", re.S)
KNOWN_ESCAPES = b'"\\/bfnrt'


def as_value(token):
    """A string or a number as JSON has it."""
    if token[:1] == b'"':
        return ESCAPE.sub(lambda found: found.group() if found.group(1) in KNOWN_ESCAPES else b"?" + found.group(1), token)
    return token if VALUE.fullmatch(token) else b'"' + re.sub(rb'["\\]', b"?", token) + b'"'


def ends_a_member(token, depth):
    return token in (b"}", b"]") or depth == 1


def put_right(data):
    """The same document with commas where they are missing between members, and with values that JSON has."""
    out, depth = [], 0
    for token in TOKEN.findall(data):
        is_mark = token in (b"{", b"}", b"[", b"]", b":", b",")
        before = out[-1] if out else b""
        if token == b"," and before in (b"", b",", b"{", b"["):
            continue
        if token in (b"}", b"]") and before == b",":
            out.pop()
        begins = token in (b"{", b"[") or token[:1] == b'"'
        if begins and before not in (b"", b",", b":", b"{", b"[") and ends_a_member(before, depth):
            out.append(b",")
        depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
        out.append(token if is_mark else as_value(token))
    return b" ".join(out)
