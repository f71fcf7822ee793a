"""What commands say while they wait, and their tables."""

import time

import pytest

from inspect_discoverybench.cli.terminal import print_table, waiting


def test_a_command_that_waits_says_how_long(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting("The model works", interval=0.1):
        time.sleep(0.35)  # more than three intervals, so that two lines are certain even on a busy machine
    output = capsys.readouterr()
    first, *times = output.err.splitlines()
    assert first == "The model works …"
    assert times[:2] == ["  0.1 s …", "  0.2 s …"]
    assert output.out == ""


def test_nothing_is_said_after_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="broken"), waiting("The model works", interval=0.1):
        raise ValueError("broken")
    time.sleep(0.2)  # two intervals, in which a line could follow
    assert capsys.readouterr().err == "The model works …\n"


def test_a_title_that_is_wider_than_its_table_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("The differences of all pairs of systems", ["system"], ["HMS"], [["A", "0.5"]])
    title, blank, header, _, row, *_ = capsys.readouterr().out.splitlines()
    assert title == "The differences of all pairs of systems"
    assert blank.strip() == ""
    assert header.split() == ["system", "HMS"]
    assert row.split() == ["A", "0.5"]


def test_brackets_in_headings_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("", ["[bold]name"], ["studies[old]"], [["[red]A", "1"]])
    _, header, _, row, *_ = capsys.readouterr().out.splitlines()
    assert header.split() == ["[bold]name", "studies[old]"]
    assert row.split() == ["[red]A", "1"]
