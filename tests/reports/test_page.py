from __future__ import annotations

from html.parser import HTMLParser

from tunepass.reports.page import page, section
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.trial import Trial

EVIL = "</pre><script>alert(1)</script>"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)


def test_nothing_from_outside_becomes_markup() -> None:
    trials = [
        Trial(0, Configuration({"flag": EVIL}), Measured({"time": 2.0})),
        Trial(1, Configuration({"flag": "b"}), Failed("compile", EVIL)),
        Trial(2, Configuration({"flag": "c"}), Infeasible(EVIL)),
    ]
    text = page(EVIL, [section(EVIL, trials, [Objective("time", unit=EVIL)], trials[0].configuration, {EVIL: EVIL})])
    tags = Tags()
    tags.feed(text)
    assert "script" not in tags.seen and "<script" not in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "") and "src=" not in text
    assert tags.seen.count("tr") == 4
