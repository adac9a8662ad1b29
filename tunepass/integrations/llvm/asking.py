"""Requests to LLVM, each in a supervised process of its own: LLVM ends the process on some inputs."""

from __future__ import annotations

from pathlib import Path

from tunepass.integrations.tool_process import ToolProcess

LLVM = ToolProcess("LLVM", "llvmlite", "llvm", Path(__file__).with_name("worker.py"))
answer = LLVM.answer
