"""The one expression language: parsed once, read by NumPy, a native machine, intervals, C text and a printer."""

from tunepass.expr.nodes import free_names as free_names
from tunepass.expr.parser import parse as parse
from tunepass.expr.printer import to_text as to_text
