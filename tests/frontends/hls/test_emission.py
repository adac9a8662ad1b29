from tests.frontends.hls.sources import GEMV, parse
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.ir.kernel import Choice


def emitted(text: str, **values: object) -> str:
    kernel = parse(text)
    choices = tuple(Choice(name, value) for name, value in values.items())  # type: ignore[arg-type]
    return HlsFrontend().emit((kernel.scheduled(choices),), "why")[0].text


def test_values_stand_in_the_pragmas() -> None:
    text = emitted(GEMV, PIPE_I="flatten", PARA_I=4, TILE_I=2, PARA_J=8)
    assert "#pragma ACCEL PIPELINE flatten\n" in text and "auto{" not in text
    assert "PARALLEL FACTOR=4\n" in text and "reduction=sum FACTOR=8\n" in text and "why" in text


def test_a_plain_pipeline_is_the_word_alone() -> None:
    assert "#pragma ACCEL PIPELINE \n" in emitted(GEMV, PIPE_I="plain")
