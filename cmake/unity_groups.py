#!/usr/bin/env python3
"""Divides sources into groups that can be compiled as one file each.

    unity_groups.py SIZE FILE...        prints a line 'GROUP FILE' for every file
    unity_groups.py --self-test

A name of a file's own (of an unnamed namespace, static, or a macro) is in no other file of its group, neither as
one of its own nor as one that it uses: it would hide what is meant. What cannot be parsed here with certainty
counts as a name, so that a group may be smaller than it could be.
"""

import functools
import re
import sys
import tempfile
import unittest
from pathlib import Path

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|[A-Za-z_]\w*|::|\S", re.DOTALL | re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
SRC = Path(__file__).resolve().parent.parent / "src"
MACRO = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)")
TYPE_WORDS = {"struct", "class", "enum", "union"}
CLOSING = {"(": ")", "{": "}", "[": "]"}


def tokens_and_macros(text):
    tokens, macros = [], set()
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token.startswith(("//", "/*")):
            continue
        if token.lstrip().startswith("#"):
            define = MACRO.match(token)
            if define:
                macros.add(define.group(1))
            continue
        tokens.append(token)
    return tokens, macros


def skip_brackets(tokens, i):
    """The index behind the bracket that closes the one at i."""
    depth, opening, closing = 0, tokens[i], CLOSING[tokens[i]]
    while i < len(tokens):
        depth += (tokens[i] == opening) - (tokens[i] == closing)
        i += 1
        if depth == 0:
            break
    return i


def is_name(token):
    return token[0].isalpha() or token[0] == "_"


def without_heads(statement):
    """Without attributes and template parameters."""
    kept, i = [], 0
    while i < len(statement):
        if statement[i:i + 2] == ["[", "["]:
            while i < len(statement) and statement[i:i + 2] != ["]", "]"]:
                i += 1
            i += 2
            continue
        if statement[i] == "template" and statement[i + 1:i + 2] == ["<"]:
            depth, i = 0, i + 1
            while i < len(statement):
                depth += (statement[i] == "<") - (statement[i] == ">")
                i += 1
                if depth == 0:
                    break
            continue
        kept.append(statement[i])
        i += 1
    return kept


def declared_name(statement):
    """The name that one statement outside of functions declares, or None."""
    statement = without_heads(statement)
    if statement[:1] == ["using"]:
        return statement[1] if statement[2:3] == ["="] else None
    if statement and statement[0] in TYPE_WORDS:
        names = [t for t in statement[1:] if is_name(t) and t not in TYPE_WORDS and t != "alignas"]
        return names[0] if names else None
    before = None
    for i, token in enumerate(statement):
        if token in ("(", "=", "{", "[", ";"):
            is_member = i > 1 and statement[i - 2] == "::"
            is_macro = i == 1 and token == "("  # TEST(Suite, Claim)
            return before if before and is_name(before) and not is_member and not is_macro else None
        before = token
    return None


def is_plain_enum(statement):
    """Of an enum that is no class the enumerators are names around it."""
    return statement[:1] == ["enum"] and statement[1:2] not in (["class"], ["struct"])


class Namespaces:
    """Which namespaces are open: the names of each (none for an unnamed one)."""

    def __init__(self):
        self.open, self.seen = [], {""}

    def enter(self, names):
        self.open.append("".join(f"{name}::" for name in names))
        self.seen.add(self.path())

    def leave(self):
        if self.open:
            self.open.pop()

    def path(self):
        """What stands before a name that is declared here: 'a::b::'."""
        return "".join(self.open)

    def is_unnamed(self):
        return "" in self.open


def own_names(text):
    """The names that are this file's alone, each with where it is declared: (namespaces, what it is another name
    of). Only what lies in a namespace or inside it sees a name of it by itself. And all namespaces of the file."""
    tokens, macros = tokens_and_macros(text)
    names = {macro: {("", None)} for macro in macros}
    spaces = Namespaces()
    i, statement = 0, []

    def note(name, meaning=None):
        if name:
            names.setdefault(name, set()).add((spaces.path(), meaning))

    def end_statement():
        if spaces.is_unnamed() or "static" in statement:
            name = declared_name([t for t in statement if t not in ("static", "inline", "constexpr", "constinit")])
            note(name, " ".join(statement) if statement[:1] == ["using"] else None)
        statement.clear()

    while i < len(tokens):
        token = tokens[i]
        if token == "namespace" and not statement:
            end = next((k for k in range(i, len(tokens)) if tokens[k] in ("{", ";")), len(tokens) - 1)
            if tokens[end] == "{":
                spaces.enter([t for t in tokens[i + 1:end] if is_name(t)])
            elif spaces.is_unnamed():
                note(tokens[i + 1], " ".join(tokens[i:end]))
            i = end + 1
        elif token == "}":
            spaces.leave()
            statement.clear()
            i += 1
        elif token in ("(", "{"):
            end = skip_brackets(tokens, i)
            if is_plain_enum(statement) and spaces.is_unnamed():
                for name in filter(is_name, tokens[i:end]):
                    note(name)
            statement.append(token)
            i = end
            ends = token == "{" and not (statement[0] in TYPE_WORDS and "(" not in statement)
            if ends and tokens[i:i + 1] != [";"]:
                end_statement()
        else:
            statement.append(token)
            i += 1
            if token == ";":
                end_statement()
    return names, spaces.seen


def used_names(text):
    """All names that are looked up by themselves, not as members of something."""
    tokens, _ = tokens_and_macros(text)
    used = set()
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else ""
        is_member = before in (".", "::") or (before == ">" and tokens[i - 2] == "-")
        if is_name(token) and not is_member:
            used.add(token)
    return used


def read(path):
    return Path(path).read_text(encoding="utf-8", errors="replace")


@functools.cache
def used_in_header(path):
    text = read(path)
    return frozenset(used_names(text)), frozenset(own_names(text)[1])


class Source:
    """A file, its own names, and the names that it and the headers of ours that it includes use, each with the
    namespaces that it is looked up in."""

    def __init__(self, file):
        self.file = file
        text = read(file)
        self.own, self.spaces = own_names(text)
        self.used = used_names(text)
        self.used_in_headers = {}
        for name in INCLUDE.findall(text):
            header = next((h for h in (SRC / name, Path(file).parent / name) if h.is_file()), None)
            if header:
                names, spaces = used_in_header(header)
                for used in names:
                    self.used_in_headers.setdefault(used, set()).update(spaces)

    def hides_from(self, other):
        """Whether a name of its own would be found where the other one means something else."""
        for name, declarations in self.own.items():
            for space, meaning in declarations:
                seen_in = set(other.used_in_headers.get(name, ()))
                if name in other.used and not (meaning and (space, meaning) in other.own.get(name, ())):
                    seen_in |= other.spaces
                if any(seen.startswith(space) for seen in seen_in):
                    return True
        return False


def group_files(files, size):
    """Lists of files, each of at most `size` and without names that clash."""
    groups = []
    for source in map(Source, files):
        group = next((g for g in groups if len(g) < size and not any(
            member.hides_from(source) or source.hides_from(member) for member in g)), None)
        if group is None:
            group = []
            groups.append(group)
        group.append(source)
    return [[source.file for source in group] for group in groups]


class OwnNames(unittest.TestCase):
    def test_names_of_unnamed_namespaces_are_found(self):
        text = """
            #define LOCAL_MACRO 1
            namespace a::b {
            class Known;
            namespace {
            namespace fs = std::filesystem;
            using Json = nlohmann::json;
            constexpr int kLimit = 3, unused = 2;
            constexpr std::array<int, 2> kWords = {1, 2};
            struct Place { int row; void move(); };
            enum class Side { kLeft };
            enum Column : int { kStart, kEnd = 4 };
            template <typename T> std::vector<T> sorted(std::vector<T> v) { if (v) { return v; } return {}; }
            [[nodiscard]] bool is_good(const std::string& text) { return text == "}"; }
            std::string text_;
            TEST(Suite, Claim) { EXPECT_EQ(1, 1); }
            }  // namespace
            void Known::act() {}
            int open(int x) { return x; }
            static int hidden() { return 1; }
            }
            """
        found = set(own_names(text)[0])
        self.assertEqual(found & {"Known", "act", "open", "move", "row", "TEST", "kLeft"}, set())
        self.assertLessEqual({"LOCAL_MACRO", "fs", "Json", "kLimit", "kWords", "Place", "Side", "sorted",
                              "is_good", "text_", "hidden", "kStart", "kEnd"}, found)

    def test_names_are_found_with_their_namespaces(self):
        text = "#define A\nnamespace b { namespace c::d { namespace { int e; using F = g::H; } } static int i; }"
        self.assertEqual(own_names(text), (
            {"A": {("", None)}, "e": {("b::c::d::", None)}, "F": {("b::c::d::", "using F = g :: H ;")},
             "i": {("b::", None)}},
            {"", "b::", "b::c::d::"}))


class Groups(unittest.TestCase):
    def groups_of(self, texts, size):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for i, text in enumerate(texts):
                files.append(str(Path(folder) / f"{i}.cpp"))
                Path(files[-1]).write_text(text)
            return [[int(Path(f).stem) for f in group] for group in group_files(files, size)]

    def test_files_with_a_common_name_part(self):
        one = "namespace { int a() { return 1; } }"
        other = "namespace { int b() { return 1; } }"
        self.assertEqual(self.groups_of([one, other, one, other], 8), [[0, 1], [2, 3]])

    def test_a_name_that_would_hide_what_another_file_uses_parts(self):
        own = "namespace { int open(int x) { return x; } }"
        self.assertEqual(self.groups_of([own, "int f() { return open(2); }"], 8), [[0], [1]])
        self.assertEqual(self.groups_of([own, "int f(F x) { return x.open(2); }"], 8), [[0, 1]])

    def test_a_name_is_seen_in_its_namespace_and_inside_it_alone(self):
        own = "namespace a::b { namespace { int open(int x) { return x; } } }"
        self.assertEqual(self.groups_of([own, "namespace a::c { int f() { return open(2); } }"], 8), [[0, 1]])
        self.assertEqual(self.groups_of([own, "namespace a { int f() { return open(2); } }"], 8), [[0, 1]])
        self.assertEqual(self.groups_of([own, "namespace a::b { int f() { return open(2); } }"], 8), [[0], [1]])
        self.assertEqual(self.groups_of([own, "namespace a::b::c { int f() { return open(2); } }"], 8), [[0], [1]])

    def test_the_same_name_for_the_same_type_parts_nothing(self):
        text = "namespace a { namespace { using T = %s; } T f%d(); }"
        self.assertEqual(self.groups_of([text % ("int", 1), text % ("int", 2)], 8), [[0, 1]])
        self.assertEqual(self.groups_of([text % ("int", 1), text % ("char", 2)], 8), [[0], [1]])

    def test_a_header_is_searched_too(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "h.h").write_text("namespace a { inline int f() { return open(2); } }")
            files = [Path(folder) / "0.cpp", Path(folder) / "1.cpp"]
            files[0].write_text("namespace a { namespace { int open(int x) { return x; } } }")
            files[1].write_text('#include "h.h"\nint g();')
            self.assertEqual(group_files(files, 8), [[files[0]], [files[1]]])

    def test_no_group_is_larger_than_asked(self):
        self.assertEqual(self.groups_of(["int a;"] * 5, 2), [[0, 1], [2, 3], [4]])


def main(arguments):
    if arguments == ["--self-test"]:
        unittest.main(argv=[sys.argv[0]])
    if len(arguments) < 2 or not arguments[0].isdigit():
        sys.exit(__doc__)
    for number, members in enumerate(group_files(arguments[1:], int(arguments[0]))):
        for file in members:
            print(number, file)


if __name__ == "__main__":
    main(sys.argv[1:])
