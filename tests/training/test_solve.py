"""Problems solved for real: errors, seeds, stop reasons, callbacks, run folders, going on."""

import json
from pathlib import Path
from types import SimpleNamespace

import jax
import numpy as np
import pytest

import qres
from qres.optimizers import NO_DESCENT, SSBroyden
from qres.results import Stopped
from qres.runs import RunFolder
from qres.runtime.errors import InputError
from qres.training.loop import _loop, _stages

SMALL = qres.Architecture(width=5, depth=1)
FEW = qres.Sampling(points=60, condition_points=2, resample_every=15)


def decay():
    return qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"], exact={"u": "exp(-x)"}, name="decay")


def solve(**options):
    defaults = {"optimizer": "ssbroyden", "iterations": 40, "sampling": FEW, "progress": False}
    return qres.solve(decay(), SMALL, **{**defaults, **options})


def bits(solution):
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(solution.model)]


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "decay"
    return solve(iterations=150, run=folder), folder


def test_a_problem_is_solved(solved):
    solution, _ = solved
    assert solution.errors["u"] < 1e-4
    np.testing.assert_allclose(solution(x=1.0), np.exp(-1), rtol=1e-3)
    result = solution.result
    assert result.stopped.message.startswith("budget: all 150 iterations of ssbroyden are done")
    assert result.widths == (1, 5, 1)
    assert result.parameters == 10 + 5 + 10 + 1
    assert result.errors == solution.errors


def test_the_run_folder_holds_everything(solved):
    solution, path = solved
    assert {file.name for file in path.iterdir()} >= {
        "specification.toml", "history.jsonl", "checkpoint.safetensors", "solution.qres", "report.html"
    }  # fmt: skip
    assert bits(qres.load(path / "solution.qres")) == bits(solution)
    lines = [json.loads(line) for line in (path / "history.jsonl").read_text().splitlines()]
    records = [qres.Record.from_dict(line) for line in lines]
    assert records == solution.history
    assert records[-1].total == 150
    assert "equation" in records[-1].terms
    np.testing.assert_allclose(sum(records[-1].terms.values()), records[-1].loss)
    specification = RunFolder.open(path).specification()
    assert specification.architecture == SMALL
    assert specification.sampling == FEW
    assert specification.problem.to_dict() == decay().to_dict()


def test_a_folder_that_holds_a_run_is_not_written_over(solved):
    with pytest.raises(qres.InputError, match="holds a run already"):
        solve(run=solved[1])


def test_same_seed_same_bits_other_seed_other_bits():
    first = solve(seed=3)
    assert bits(solve(seed=3)) == bits(first)
    assert bits(solve(seed=4)) != bits(first)


@pytest.mark.parametrize("optimizer", ["ssbroyden", "bfgs", "adam", "lm", "lbfgs", "adam:10,ssbroyden"])
def test_going_on_is_the_same_as_not_having_stopped(optimizer, tmp_path):
    """20 iterations, then on to 40: the same bits as 40 at once, with points drawn anew before and after."""
    whole = solve(optimizer=optimizer)
    cut = solve(optimizer=optimizer, iterations=20, run=tmp_path / "run")
    assert bits(cut) != bits(whole)
    resumed = qres.resume(tmp_path / "run", iterations=40, progress=False)
    assert resumed.result.iterations == whole.result.iterations
    assert resumed.result.loss == whole.result.loss
    assert bits(resumed) == bits(whole)


def test_a_checkpoint_of_another_version_is_refused(tmp_path):
    solve(iterations=3, run=tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    arrays, counters = folder.load_checkpoint() or ({}, {})
    del arrays["stages/H"]
    folder.save_checkpoint(arrays, counters)
    with pytest.raises(InputError, match="another version of qres made it"):
        qres.resume(tmp_path / "run", iterations=5, progress=False)


def test_a_checkpoint_of_the_former_layout_is_refused_in_words(tmp_path):
    solve(iterations=3, run=tmp_path / "run")
    former = Path(__file__).parents[1] / "golden" / "0.1" / "release" / "checkpoint.safetensors"
    (tmp_path / "run" / "checkpoint.safetensors").write_bytes(former.read_bytes())
    with pytest.raises(InputError, match="delete it to restart the run") as caught:
        qres.resume(tmp_path / "run", iterations=5, progress=False)
    assert "\n" not in str(caught.value)


class StopsOnce(SSBroyden):
    """A method that sees no way down after 25 iterations, and has one again once points are drawn anew."""

    def step(self, target, state, batch, count):
        left = 25 - int(state.iteration)
        state = super().step(target, state, batch, min(count, left) if left > 0 else count)
        return state._replace(status=state.status + NO_DESCENT) if int(state.iteration) == 25 else state


def test_a_stop_for_want_of_descent_is_not_final_where_points_are_drawn_anew():
    solution = solve(optimizer=StopsOnce(iterations=60), iterations=60)
    assert solution.result.iterations == 60
    assert solution.result.stopped.reason is qres.Stop.BUDGET
    kept = qres.Sampling(points=60, condition_points=2, resample_every=0)
    stopped = solve(optimizer=StopsOnce(iterations=60), iterations=60, sampling=kept)
    assert stopped.result.iterations == 25
    assert stopped.result.stopped.reason is qres.Stop.NO_DESCENT


@pytest.mark.parametrize(("shape", "axis"), [((6, 5), 0), ((4, 5), 0), ((5, 6), 1), ((5, 5), 0)])
def test_what_is_padded_for_the_devices_fits_another_number_of_them(shape, axis):
    kept = np.random.default_rng(0).normal(size=(5, 5))
    found = _stages.resized(kept, shape)
    assert found.shape == shape
    same = min(5, shape[axis])
    np.testing.assert_array_equal(found.take(range(same), axis), kept.take(range(same), axis))
    assert not found.take(range(same, shape[axis]), axis).any()


def test_resuming_what_has_ended_changes_nothing(solved):
    solution, path = solved
    again = qres.resume(path, progress=False)
    assert bits(again) == bits(solution)
    assert again.result.iterations == 150
    assert again.result.stopped == solution.result.stopped
    assert again.history == solution.history
    assert RunFolder(path).history() == solution.history


def test_a_crash_after_the_first_checkpoint_is_made_good(tmp_path, monkeypatch):
    monkeypatch.setattr("qres.training.loop._checkpointer._SECONDS", 0.0)
    monkeypatch.setattr("qres.training.loop._checkpointer._SHARE", 1e9)
    monkeypatch.setattr("qres.training.loop._budget._CALL_SECONDS", 0.0)  # one iteration a call
    saved = RunFolder.save_checkpoint

    def crash_at_the_tenth(self, arrays, counters):
        saved(self, arrays, counters)
        if counters["budget"]["total"] == 10:
            raise RuntimeError("the machine is gone")

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "save_checkpoint", crash_at_the_tenth)
        with pytest.raises(RuntimeError, match="the machine is gone"):
            solve(run=tmp_path / "run")
    assert not (tmp_path / "run" / "solution.qres").exists()
    assert bits(qres.resume(tmp_path / "run", progress=False)) == bits(solve())


def test_callbacks_see_every_record_and_may_stop():
    seen = []

    def stop(run):
        seen.append(run.record)
        assert run.iteration == run.record.total
        return qres.Stop.CALLBACK

    solution = solve(callbacks=[stop], optimizer="adam", iterations=10**7)  # too slow to end before
    assert solution.result.stopped == Stopped(qres.Stop.CALLBACK, "stopped by a callback")
    assert solution.history == seen
    assert solution.result.iterations < 10**7


def test_a_callback_sees_the_solution_and_says_why_it_stops():
    seen = []

    def watch(run):
        seen.append(run)
        assert run.solution is run.solution and run.solution.result.stopped.reason is qres.Stop.SNAPSHOT
        assert run.solution.errors == run.record.errors
        run.stop("it is good enough")

    solution = solve(callbacks=[watch], iterations=10**7)
    assert solution.result.stopped.message == "stopped by a callback: it is good enough"
    assert bits(seen[-1].solution) == bits(solution)  # which was built in time


def test_a_solution_is_built_within_the_callback_or_never():
    seen = []
    solve(callbacks=[seen.append], iterations=3)
    with pytest.raises(InputError, match="ask for it there"):
        seen[0].solution
    assert "RunView(ssbroyden" in repr(seen[0]) and seen[0] != seen


def test_a_callback_of_the_old_kind_is_told_what_to_return():
    with pytest.raises(InputError, match=r"returns None, or a qres.Stop to end the run.*not False"):
        solve(callbacks=[lambda run: False])


@pytest.mark.parametrize("stop", list(qres.Stop))
def test_a_callback_may_give_any_reason(stop):
    solution = solve(callbacks=[lambda run: stop], iterations=10**7)
    assert solution.result.stopped.reason is stop


def test_a_callback_that_raises_is_heard():
    def wrong(run):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        solve(callbacks=[wrong])


def test_a_time_limit_stops_the_run():
    solution = solve(optimizer="adam", iterations=10**9, time_limit=0.001)
    assert solution.result.stopped.message == "time limit: 0.001 seconds are over"


def test_a_loss_below_the_tolerance_is_converged():
    specification = qres.Specification(decay(), SMALL, sampling=FEW, tolerance=1e3)
    solution = qres.solve(specification, progress=False)
    assert solution.result.stopped.message == "converged: the loss is below the tolerance of 1000"


def test_a_converged_run_does_not_go_on(tmp_path):
    specification = qres.Specification(decay(), SMALL, sampling=FEW, tolerance=1e-3)
    solution = qres.solve(specification, progress=False, run=tmp_path / "run")
    again = qres.resume(tmp_path / "run", progress=False)
    assert solution.result.stopped.reason.is_converged and bits(again) == bits(solution)


@pytest.mark.parametrize("optimizer", ["ssbroyden", "adam"])
def test_not_finite_is_a_reason_and_the_state_is_kept(optimizer):
    problem = qres.Problem("u_x = sqrt(-1 - u^2)", {"x": (0, 1)}, ["u(0) = 1"])
    solution = qres.solve(problem, SMALL, optimizer=optimizer, sampling=FEW, iterations=20, progress=False)
    assert solution.result.stopped.reason is qres.Stop.NOT_FINITE
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(solution.model))


def test_any_callable_is_a_network():
    import equinox as eqx
    import jax.numpy as jnp

    class Cubic(eqx.Module):
        coefficients: jax.Array

        def __call__(self, x):
            return jnp.polyval(self.coefficients, x)

    problem = qres.Problem("u_x = 3*x^2", {"x": (0, 1)}, ["u(0) = 1"], exact={"u": "x^3 + 1"})
    solution = qres.solve(
        problem, Cubic(jnp.zeros(4)), optimizer="lm", sampling=FEW, iterations=10, progress=False
    )
    x = np.linspace(0, 1, 5)
    np.testing.assert_allclose(solution(x=x), x**3 + 1, rtol=1e-7)  # a loss below 1e-13 is enough
    assert solution.result.network == "Cubic"


def test_a_network_in_single_precision_is_taken_to_double():
    """As one is that was made before anything of qres was used."""
    import equinox as eqx

    class Line(eqx.Module):
        weights: jax.Array

        def __call__(self, x):
            return self.weights[0] * x + self.weights[1]

    problem = qres.Problem("u_x = 2", {"x": (0, 1)}, ["u(0) = 1"])
    for optimizer in ("ssbroyden", "lm", "lbfgsb"):
        network = Line(jax.numpy.zeros(2, jax.numpy.float32))
        found = qres.solve(problem, network, optimizer=optimizer, sampling=FEW, iterations=9, progress=False)
        assert found(x=1.0) == pytest.approx(3, abs=1e-4)


def test_a_network_of_equinox_layers():
    import equinox as eqx

    first, second = jax.random.split(jax.random.key(0))

    class Layered(eqx.Module):
        layers: eqx.nn.Sequential

        def __call__(self, x):
            return jax.vmap(self.layers, in_axes=1, out_axes=1)(x)

    layers = [eqx.nn.Linear(1, 4, key=first), eqx.nn.Lambda(jax.numpy.tanh), eqx.nn.Linear(4, 1, key=second)]
    data = qres.Data({"x": np.array([0.0, 0.5, 1.0]), "u": np.array([0.0, 1.0, 0.0])})
    problem = qres.Problem([], {"x": (0, 1)}, fields=["u"], data=data)
    found = qres.solve(problem, Layered(eqx.nn.Sequential(layers)), iterations=60, progress=False)
    assert found(x=0.5) == pytest.approx(1.0, abs=1e-2)


def test_a_network_by_its_kind():
    options = {"sampling": FEW, "iterations": 5, "progress": False}
    assert qres.solve(decay(), "pinn", **options).result.network == "mlp"
    with pytest.raises(InputError, match="did you mean 'qres'"):
        qres.solve(decay(), "qress", **options)
    with pytest.raises(InputError, match="network must be a network, an Architecture or a kind, not 3"):
        qres.solve(decay(), 3, **options)


def test_a_mistake_leaves_no_folder_behind(tmp_path):
    with pytest.raises(InputError, match="no term is called 'intial'"):
        solve(weights={"intial": 10}, run=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_checkpoint_of_another_network_is_refused(tmp_path):
    solve(run=tmp_path / "run", iterations=5)
    file = tmp_path / "run" / "specification.toml"
    file.write_text(file.read_text().replace("width = 5", "width = 6"))
    with pytest.raises(InputError, match=r"has shape \(26,\), and this network needs \(31,\)"):
        qres.resume(tmp_path / "run", progress=False)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"seed": -1}, "seed must be a whole number"),
        ({"iterations": 0}, "iterations must be a whole number of 1 or more, not 0"),
        ({"time_limit": -1.0}, "time limit (seconds) must be a number above 0"),
        ({"weights": {"boundry": 2}}, "no term is called 'boundry'"),
        ({"optimizer": "adamm"}, "did you mean 'adam'?"),
        ({"optimizer": qres.Adam}, "objects such as qres.Adam(5000)"),
        ({"optimizer": ["adam:5", "lbfgsb"]}, "'adam:5' is none; give text such as"),
        ({"callbacks": print}, "callbacks must be a list of functions"),
    ],
)
def test_a_mistake_is_named(wrong, says):
    with pytest.raises(ValueError) as caught:
        solve(**wrong)
    assert says in str(caught.value)


def test_data_alone_are_fitted_and_no_noise_is_seen_in_them():
    problem = qres.Problem.from_dict(
        {"fields": ["y"], "equations": [], "domain": {"x": [0, 2]}, "exact": {"y": "sin(3*x)"},
         "data": {"reference": "exact", "grid": 41}}
    )  # fmt: skip
    solution = qres.solve(problem, SMALL, optimizer="ssbroyden", iterations=120, sampling=FEW, progress=False)
    assert solution.errors["y"] < 1e-2
    assert solution.result.stopped.reason is qres.Stop.BUDGET


def test_computing_a_reference_takes_no_time_of_the_run(monkeypatch):
    """By a clock that only the reference moves, far beyond the time limit."""
    now, found = [0.0], _loop.known_solution

    def slow(*arguments):
        now[0] += 1000.0
        return found(*arguments)

    clock = SimpleNamespace(perf_counter=lambda: now[0], process_time=lambda: now[0])
    monkeypatch.setattr("qres.runtime.clock.time", clock)
    monkeypatch.setattr(_loop, "known_solution", slow)
    solution = solve(iterations=20, time_limit=10.0)
    assert now[0] == 1000.0
    assert solution.result.iterations == 20
    assert solution.history[-1].seconds == 0.0
