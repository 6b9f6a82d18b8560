"""Files as they are on disk: encodings, line ends, positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.finding import Span
from devlint.source.text import Position, Source, SourceError

PATH = Path("train.py")


def test_utf8_without_a_cookie() -> None:
    source = Source.from_bytes(PATH, "x = 'é'\n".encode())
    assert (source.text, source.encoding, source.bom, source.newline) == ("x = 'é'\n", "utf-8", False, "\n")


def test_byte_order_mark_is_no_text_and_survives() -> None:
    source = Source.from_bytes(PATH, b"\xef\xbb\xbfx = 1\n")
    assert source.text == "x = 1\n"
    assert source.bom
    assert source.encoded("y = 2\n") == b"\xef\xbb\xbfy = 2\n"


@pytest.mark.parametrize("cookie", ["# -*- coding: latin-1 -*-", "#!/bin/python\n# vim: set fileencoding=latin-1 :"])
def test_coding_cookie(cookie: str) -> None:
    data = f"{cookie}\nx = 'é'\n".encode("latin-1")
    source = Source.from_bytes(PATH, data)
    assert "é" in source.text
    assert source.encoded(source.text) == data


def test_cookie_after_lone_carriage_returns() -> None:
    assert Source.from_bytes(PATH, b"# one\r# coding: latin-1\rx = '\xe9'\r").text.endswith("'é'\r")


def test_cookie_in_the_third_line_is_none() -> None:
    with pytest.raises(SourceError):
        Source.from_bytes(PATH, b"\n\n# coding: latin-1\nx = '\xe9'\n")


def test_undecodable_bytes_are_placed() -> None:
    with pytest.raises(SourceError, match="not utf-8: byte 0xe9") as caught:
        Source.from_bytes(PATH, "y = 'é'\n".encode() + b"x = '\xe9'\n")
    assert caught.value.position == Position(2, 6)


@pytest.mark.parametrize("cookie", ["no-such-encoding", "rot13", "utf-16"])
def test_a_cookie_that_does_not_fit(cookie: str) -> None:
    with pytest.raises(SourceError, match="encoding"):
        Source.from_bytes(PATH, f"# coding: {cookie}\nx = 1".encode())


def test_what_the_encoding_cannot_hold() -> None:
    source = Source.from_bytes(PATH, b"# coding: latin-1\n")
    with pytest.raises(SourceError, match="encoding iso-8859-1 has no"):
        source.encoded("x = '世'")


@pytest.mark.parametrize(
    ("text", "newline"), [("a\nb\n", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\r", "\r"), ("", "\n"), ("a", "\n")]
)
def test_the_dominant_line_end(text: str, newline: str) -> None:
    assert Source.from_bytes(PATH, text.encode()).newline == newline


def test_positions_count_characters_and_every_line_end() -> None:
    source = Source.from_bytes(PATH, "é = 1\r\nb\rc = 2\nd".encode())
    assert source.position(0) == (1, 1)
    assert source.position(2) == (1, 3)
    assert source.position(source.text.index("b")) == (2, 1)
    assert source.position(source.text.index("c")) == (3, 1)
    assert source.position(source.text.index("d")) == (4, 1)
    assert source.position(len(source.text)) == (4, 2)
    assert [source.line(row) for row in range(1, 5)] == ["é = 1", "b", "c = 2", "d"]


def test_form_feeds_and_unicode_separators_end_no_line() -> None:
    source = Source.from_bytes(PATH, "a = '\u2028'\f\nb\n".encode())
    assert source.row_count == 3
    assert source.position(source.text.index("b")) == (2, 1)


def test_offset_is_the_inverse_of_position_and_clipped() -> None:
    source = Source.from_bytes(PATH, b"ab\ncd\n")
    assert all(source.offset(source.position(offset)) == offset for offset in range(len(source.text) + 1))
    assert source.offset(Position(1, 99)) == 2
    assert source.offset(Position(99, 1)) == 6


def test_line_span() -> None:
    source = Source.from_bytes(PATH, b"ab\r\ncd")
    assert source.line_span(1) == Span(0, 2)
    assert source.line_span(1, with_end=True) == Span(0, 4)
    assert source.line_span(2, with_end=True) == Span(4, 6)


def test_the_empty_file() -> None:
    source = Source.from_bytes(PATH, b"")
    assert source.position(0) == (1, 1)
    assert source.line(1) == ""
