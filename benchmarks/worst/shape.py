"""What a shape is: a kind of input that can be made at any size, and the command that reads it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

INFO = ("info", "--json", "IN")
SHAPES = []
# What SECURITY.md promises. Shapes of nothing but the smallest records say what they take instead.
MEMORY_PER_BYTE = 20


@dataclass
class Shape:
    name: str
    reader: str
    n: int  # where to begin; grown until the program takes long enough to be timed
    command: tuple  # IN stands for the inputs, OUT.suffix for a file to write
    make: Callable  # make(n, folder) gives the path of the input, several, or (path, inflated bytes)
    code: int = 0  # with which the program ends at every size
    memory: int = MEMORY_PER_BYTE  # times the inflated input that it may take, beyond 200 MB
    gated: bool = False  # among those that a test runs (--gated)

    @property
    def title(self):
        return f"{self.reader}: {self.name}"

    def inputs(self, n, folder):
        """The paths of an input of size n, made now, and how many bytes it has when inflated."""
        made = self.make(n, Path(folder))
        inflated = None
        if isinstance(made, tuple):
            made, inflated = made
        paths = [Path(path) for path in (made if isinstance(made, list) else [made])]
        return paths, inflated if inflated is not None else sum(map(bytes_under, paths))


def bytes_under(path):
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def shape(name, reader, n, *command, code=0, memory=MEMORY_PER_BYTE, gated=False):
    """Declares the decorated function as the maker of a shape."""
    def declare(make):
        SHAPES.append(Shape(name, reader, n, command or INFO, make, code, memory, gated))
        return make
    return declare


def write(path, *parts):
    """Writes parts one after the other: bytes, text, or (bytes or text, times)."""
    with open(path, "wb", buffering=1 << 20) as out:
        for part in parts:
            if isinstance(part, tuple):
                repeat(out, *part)
            elif hasattr(part, "__next__"):
                for piece in part:
                    out.write(encoded(piece))
            else:
                out.write(encoded(part))
    return path


def encoded(text):
    return text.encode() if isinstance(text, str) else text


def repeat(out, piece, times):
    """Without holding all of it: the memory of this process would count as the program's."""
    piece = encoded(piece)
    block = max(1, (1 << 18) // max(1, len(piece)))
    many = piece * block
    for _ in range(times // block):
        out.write(many)
    out.write(piece * (times % block))
