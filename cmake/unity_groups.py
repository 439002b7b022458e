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


def own_names(text):
    """The names that are this file's alone: they may not meet others of their kind."""
    tokens, names = tokens_and_macros(text)
    scopes = []  # of each open namespace: whether it has no name
    i, statement = 0, []
    while i < len(tokens):
        token = tokens[i]
        if token == "namespace" and not statement:
            end = next((k for k in range(i, len(tokens)) if tokens[k] in ("{", ";")), len(tokens) - 1)
            if tokens[end] == "{":
                scopes.append(end == i + 1)
            elif any(scopes):
                names.add(tokens[i + 1])  # an alias
            i = end + 1
        elif token == "}":
            if scopes:
                scopes.pop()
            i, statement = i + 1, []
        elif token in ("(", "{"):
            end = skip_brackets(tokens, i)
            if is_plain_enum(statement) and any(scopes):
                names |= {t for t in tokens[i:end] if is_name(t)}
            statement.append(token)
            i = end
            ends = token == "{" and not (statement[0] in TYPE_WORDS and "(" not in statement)
            if ends and tokens[i:i + 1] != [";"]:
                note(statement, scopes, names)
                statement = []
        else:
            statement.append(token)
            i += 1
            if token == ";":
                note(statement, scopes, names)
                statement = []
    return names


def note(statement, scopes, names):
    if any(scopes) or "static" in statement:
        name = declared_name([t for t in statement if t not in ("static", "inline", "constexpr", "constinit")])
        if name:
            names.add(name)


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
    return frozenset(used_names(read(path)))


def used_with_headers(file, text):
    """What a file and the headers of ours that it names use."""
    used = used_names(text)
    for name in INCLUDE.findall(text):
        for folder in (SRC, Path(file).parent):
            if (folder / name).is_file():
                used |= used_in_header(folder / name)
                break
    return used


class Group:
    def __init__(self):
        self.files, self.own, self.used = [], set(), set()

    def has_room_for(self, size, own, used):
        return len(self.files) < size and not (own & self.used or used & self.own)

    def add(self, file, own, used):
        self.files.append(file)
        self.own |= own
        self.used |= used


def group_files(files, size):
    """Lists of files, each of at most `size` and without names that clash."""
    groups = []
    for file in files:
        text = read(file)
        own, used = own_names(text), used_with_headers(file, text)
        group = next((g for g in groups if g.has_room_for(size, own, used)), None)
        if group is None:
            group = Group()
            groups.append(group)
        group.add(file, own, used)
    return [group.files for group in groups]


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
        found = own_names(text)
        self.assertEqual(found & {"Known", "act", "open", "move", "row", "TEST", "kLeft"}, set())
        self.assertLessEqual({"LOCAL_MACRO", "fs", "Json", "kLimit", "kWords", "Place", "Side", "sorted",
                              "is_good", "text_", "hidden", "kStart", "kEnd"}, found)


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
