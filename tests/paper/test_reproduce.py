"""From runs to pages, with real runs of a few epochs."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qres.paper import EXPERIMENTS, Records, Scale, document, make_plan, reproduce, write_document
from qres.runtime.errors import InputError

TINY = Scale("tiny", seeds=2, seconds=0.2, points=40)
NAMES = ("figure-sine", "figure-waves")
RUNS = ("sine-data", "sine-physics", "waves-qres")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Runs of a few epochs, of two experiments; a part of one is left out."""
    folder = tmp_path_factory.mktemp("paper")
    said = []
    with ThreadPoolExecutor(1) as executor:
        result = reproduce(
            NAMES, folder / "out", scale=TINY, seeds=1, executor=executor, only=["sine", "waves-qres"],
            record=folder / "records", progress=False, notify=said.append,
        )  # fmt: skip
    return result, folder, said


def test_tables_and_figures_are_there(made):
    result, folder, said = made
    assert said[0].startswith("3 runs, 0 recorded already, 3 to go: about 1 min")
    assert not result.failed and len(result.records) == 3
    for name in NAMES:
        for suffix in ("txt", "md", "tex", "csv"):
            assert (folder / "out" / "tables" / f"{name}.{suffix}").stat().st_size > 100
        assert (folder / "out" / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / "out" / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    page = result.page.read_text()
    assert all(EXPERIMENTS[name].title in page for name in NAMES)
    assert page.count("![") == 2 and "table-inference" not in page and "**Not run:** waves-dnn." in page
    assert all((folder / "out" / path.split(")")[0]).is_file() for path in page.split("](")[1:])


def test_a_table_has_the_runs_numbers(made):
    result, folder, _ = made
    (file,) = (folder / "out" / "runs").glob("tiny-sine-physics-0-*/result.json")
    line = EXPERIMENTS["figure-sine"].table(result.records).lines[1]
    assert line.values == (json.loads(file.read_text())["summary"]["errors"]["y"],)


def test_records_are_whole_and_small(made):
    _, folder, _ = made
    files = sorted((folder / "records").glob("*.json"))
    assert [file.stem for file in files] == [f"tiny-{name}-0" for name in RUNS]
    assert all(file.stat().st_size < 90_000 for file in files)
    record = json.loads((folder / "records" / "tiny-waves-qres-0.json").read_text())
    assert record["specification"]["network"]["width"] == 90 and record["versions"]["jax"] and record["date"]
    assert record["summary"]["parameters"] == 33211
    assert len(record["measured"]["shown"]) == 4


def test_what_was_run_is_found_again(made):
    _, folder, _ = made
    said = []
    again = reproduce(
        ["figure-sine"], folder / "out", scale=TINY, seeds=1, progress=False, notify=said.append
    )
    assert said == ["2 runs, 2 recorded already: nothing is left to run"]
    assert len(again.records) == 3
    more = reproduce(
        ["figure-sine"], folder / "out", scale=TINY, run=False, progress=False, notify=said.append
    )
    assert said[1].startswith("4 runs, 2 recorded already, 2 to go")
    assert len(more.records) == 3


def test_only_some_runs(made):
    _, folder, _ = made
    plan = make_plan(list(EXPERIMENTS.values()), TINY, 2, folder / "out" / "runs", ["kdv", "sine"])
    assert len(plan.runs) == 2 * (4 + 2) and len(plan.found) == 2
    with pytest.raises(InputError, match="no run has that"):
        make_plan([EXPERIMENTS["figure-sine"]], TINY, 1, folder, ["nothing"])


def test_the_document_of_recorded_runs(made, tmp_path):
    """Records of a few epochs, called the paper's: the page shows them, what was not run, and the remarks."""
    _, folder, _ = made
    records = tmp_path / "results" / "paper"
    records.mkdir(parents=True)
    for file in (folder / "records").glob("*.json"):
        (records / file.name).write_text(file.read_text().replace('"scale":"tiny"', '"scale":"paper"'))
    (records / "remarks.toml").write_text('table-inference = "Too long for this machine."\n')
    page = write_document(records, tmp_path / "docs" / "results.md")
    text = page.read_text()
    assert text == document(records, page)
    assert "![Figure 8" in text and (page.parent / "images" / "figure-waves.png").is_file()
    assert "**Not run.** `qres reproduce table-inference` would." in text
    assert "Too long for this machine." in text
    assert "**Not run:** waves-dnn." in text
    (records / "remarks.toml").write_text('table-4 = ""\n')
    with pytest.raises(InputError, match="table-4"):
        document(records, page)


def test_a_damaged_record_is_named(tmp_path):
    (tmp_path / "x.json").write_text('{"name": 1}')
    with pytest.raises(InputError, match=r"x\.json: not a recorded run"):
        Records.read(tmp_path, "paper")


def test_the_results_page_is_up_to_date():
    page = ROOT / "docs" / "results.md"
    assert page.read_text() == document(ROOT / "results" / "paper", page)
