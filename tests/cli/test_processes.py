"""`qres solve` and `qres resume` as several processes: one run folder, one result, the bits of as many devices."""

import json


def test_one_run_of_two_processes_cut_off_and_gone_on_with(together, qres_process, decay, monkeypatch):
    options = ("--no-estimate", "--json")
    solve = ("-m", "qres", "solve", "decay.toml", "--iterations", 20, "--out", "run", *options)
    first, second = together(2, *solve, cwd=decay.parent)
    assert json.loads(first.splitlines()[-1])["iterations"] == 20
    assert "iterations" not in second  # the first process alone speaks
    resume = ("-m", "qres", "resume", "run", "--iterations", 40, *options)
    on = json.loads(together(2, *resume, cwd=decay.parent)[0].splitlines()[-1])
    monkeypatch.setenv("JAX_NUM_CPU_DEVICES", "2")
    whole = ("solve", "decay.toml", "--iterations", 40, "--out", "whole", *options)
    once = json.loads(qres_process(*whole, cwd=decay.parent).out.splitlines()[-1])
    assert on["loss"] == once["loss"]
    run = decay.parent / "run"
    assert len((run / "history.jsonl").read_text().splitlines()) >= 2
    assert (run / "report.html").stat().st_size > 10_000
