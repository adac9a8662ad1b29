"""A cluster of workers that answer one task a tick of their own clock, for tests and simulations of the session."""

from __future__ import annotations

import json
from collections import Counter

from tests.executors.made_from_text import value_of
from tunepass.executors.dask.exchange import UNKNOWN, encode_evaluation
from tunepass.study.outcome import Evaluation, Measured
from tunepass.study.storage.json_text import decode_configuration

TICK_S = 0.1


class SimulatedCluster:
    """Workers that answer one task a tick. `fatal` and `hanging` are values of x, `broken` and `silent` addresses."""

    def __init__(self, count: int):
        self.now, self.tickets, self.started = 0.0, 0, 0
        self.queues: dict[str, list[tuple[int, str, tuple[object, ...]]]] = {}
        self.devices: dict[str, str] = {}
        self.opened: set[str] = set()
        self.versions: dict[str, str] = {}
        self.fatal: set[int] = set()
        self.hanging: set[int] = set()
        self.broken: set[str] = set()
        self.strangers: set[str] = set()  # that have no tunepass
        self.asked_to_open: list[str] = []
        self.garbled: set[str] = set()
        self.restarts: list[str] = []
        self.evaluated: Counter[int] = Counter()
        self.replaced = True  # does another process take the place of one that died?
        for _ in range(count):
            self.add()

    def add(self, device: str = "a processor", version: str = "1") -> str:
        self.started += 1
        address = f"tcp://h:{self.started}"
        self.queues[address], self.devices[address], self.versions[address] = [], device, version
        return address

    def kill(self, address: str) -> None:
        del self.queues[address]
        if self.replaced:
            self.add()

    def addresses(self) -> list[str]:
        return list(self.queues)

    def submit(self, address: str, function: str, *arguments: object) -> int:
        self.tickets += 1
        self.queues.get(address, []).append((self.tickets, function, arguments))
        return self.tickets

    def cancel(self, ticket: int) -> None:
        for queue in self.queues.values():
            queue[:] = [task for task in queue if task[0] != ticket]

    def wait(self, seconds: float) -> list[tuple[int, str | None]]:
        self.now += TICK_S
        answers: list[tuple[int, str | None]] = []
        for address in list(self.queues):
            if self.queues[address]:
                ticket, function, arguments = self.queues[address][0]
                answer = self.answer(address, function, arguments)
                if answer is not None and address in self.queues:
                    self.queues[address].pop(0)
                    answers.append((ticket, answer))
        return answers

    def restart(self, address: str) -> None:
        self.restarts.append(address)
        self.kill(address)

    def close(self) -> None: ...

    def clock(self) -> float:
        return self.now

    def answer(self, address: str, function: str, arguments: tuple[object, ...]) -> str | None:
        """None: it hangs, or has died."""
        if function == "version":
            if address in self.strangers:
                error = {"kind": "TunepassError", "message": "this process has no tunepass", "hint": None}
                return json.dumps({"error": error})
            return json.dumps({"value": {"version": self.versions[address], "host": "h"}})
        if function == "open_evaluator":
            self.asked_to_open.append(address)
            if address in self.broken:
                return json.dumps({"error": {"kind": "ToolError", "message": "compiler not found", "hint": None}})
            self.opened.add(address)
            identity = {"source": "s", "device": self.devices[address]}
            about = {"host": "h", "pid": 1, "identity": identity}
            return json.dumps({"value": {**about, "capabilities": [], "description": f"of {self.devices[address]}"}})
        if function != "evaluate":
            return json.dumps({"value": None})
        if address not in self.opened:
            return json.dumps({"error": {"kind": "TunepassError", "message": UNKNOWN, "hint": None}})
        if address in self.garbled:
            return '{"value": {"cells": {}}}'
        configuration = decode_configuration(arguments[1])
        x = int(str(configuration["x"]))
        if x in self.fatal:
            self.kill(address)
            return None
        if x in self.hanging:
            return None
        self.evaluated[x] += 1
        evaluation = encode_evaluation(configuration, Evaluation(Measured({"time": value_of(x)})))
        return json.dumps({"value": {**evaluation, "look_s": 0.0}})
