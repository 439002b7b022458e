"""The worst known inputs of readers, writers and analyses; worst_cases.py measures them."""

from . import analyses, compressed, databases, json_traces, kernel_profiles, names, protobufs, tables  # noqa: F401
from .shape import SHAPES  # noqa: F401
