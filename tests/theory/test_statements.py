"""The paper's statements: formulas, searches, and the tables in docs/theory.md."""

import ast
from functools import cache
from pathlib import Path

import pytest

from qres import theory
from qres.theory import CHECKS, Architecture, analyse, check, dimension, forms
from qres.theory._document import markdown, replace_table

ROOT = Path(__file__).parents[2]
computed = cache(check)
# Kind, inputs, hidden width, hidden layers, outputs, parameters.
COUNTS = (
    ("plain", 2, 20, 8, 1, 3021),
    ("qres", 2, 10, 8, 1, 1541),
    ("qres", 2, 14, 8, 1, 2941),
    ("plain", 3, 20, 8, 2, 3062),
    ("qres", 3, 14, 8, 2, 2998),
    ("plain", 3, 20, 4, 2, 1382),
    ("qres", 3, 14, 4, 2, 1374),
    ("plain", 1, 50, 4, 50, 10300),
    ("qres", 1, 20, 4, 50, 4570),
    ("plain", 2, 100, 4, 2, 30802),
    ("qres", 2, 50, 4, 2, 15602),
    ("plain", 1, 200, 4, 101, 141301),
    ("qres", 1, 50, 4, 101, 25501),
    ("plain", 2, 128, 3, 1, 33537),
    ("qres", 2, 90, 3, 1, 33211),
)


@pytest.mark.parametrize(("kind", "inputs", "width", "layers", "outputs", "count"), COUNTS)
def test_parameter_counts_are_the_papers(kind, inputs, width, layers, outputs, count):
    assert Architecture((inputs, *(width,) * layers, outputs), kind=kind).parameters == count


def test_leading_degrees():
    widths = (2, 5, 5, 5, 1)
    assert Architecture(widths, 3, "plain").leading_degree == 27
    assert Architecture(widths, 3, "qres", "linear").leading_degree == 216
    assert Architecture(widths, 3, "qres", "quadratic").leading_degree == 432


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((2,),), "widths="),
        (((2, 0, 1),), "widths="),
        (((2, 1), 0), "degree=0"),
        (((2, 1), 2, "cubic"), "'cubic'"),
        (((2, 1), 2, "qres", "none"), "'none'"),
    ],
)
def test_a_wrong_argument_is_named(arguments, message):
    # With beartype switched on, it is the first to refuse a word that is not in the Literal.
    with pytest.raises((ValueError, TypeError), match=message):
        analyse(*arguments)


def test_an_unknown_check_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"check='lemma-9': one of proposition-1, lemma-1"):
        check("lemma-9")


def test_stated_and_corrected_widths():
    quadratic = Architecture((3, 1, 1, 1), 2, "qres", "linear")
    assert theory.proposition_widths(quadratic) == (6, 8)
    assert theory.corrected_widths(quadratic) == (15, 16)
    assert theory.corrected_widths(Architecture((2, 1, 1, 1), 2)) == (5, 8)


@pytest.mark.parametrize("last", ["linear", "quadratic"])
@pytest.mark.parametrize("kind", ["plain", "qres"])
@pytest.mark.parametrize("widths", [(1, 1, 1), (2, 1, 1), (2, 1, 1, 2), (3, 1, 1), (3, 1, 2)])
def test_corrected_widths_reach_the_ceiling(widths, kind, last):
    network = Architecture(widths, 2, kind, last)
    network = network.with_hidden(theory.corrected_widths(network))
    assert dimension(network).value == network.ceiling


def test_stated_widths_fail_already_by_counting():
    for inputs, degree in ((5, 7), (6, 5), (7, 4), (9, 3), (19, 2)):
        network = Architecture((inputs, 1, 1), degree, "qres", "linear")
        network = network.with_hidden(theory.proposition_widths(network))
        assert network.free_weights < network.ambient


@pytest.mark.parametrize("inputs", [2, 3, 4])
@pytest.mark.parametrize("degree", [3, 5, 8])
def test_the_narrowest_shallow_network_is_the_one_by_counting(inputs, degree):
    target = forms(inputs, degree)
    bare = Architecture((inputs, 1, 1), degree, "qres", "linear")
    found = theory.narrowest(bare, target)
    assert found is not None
    assert found.widths[1] == -(-target // (2 * inputs - 1))


def test_the_narrowest_is_enough_and_one_less_is_not():
    bare = Architecture((2, 1, 1, 1), 3, "qres", "linear")
    found = theory.narrowest(bare, bare.ambient)
    assert found is not None
    assert found.widths == (2, 5, 5, 1)
    assert dimension(bare.with_hidden((4, 4))).value < bare.ambient


def test_no_width_fills_behind_a_quadratic_last_layer_from_three_inputs_on():
    bare = Architecture((3, 1, 1), 2)
    assert theory.narrowest(bare, bare.ambient) is None
    assert theory.narrowest(bare, bare.ceiling) is not None
    result = analyse((3, 4, 1))
    assert result.minimal_width is None
    assert result.notes == ("no width fills: the last layer makes every output a product of two forms",)


def test_a_search_beyond_the_limit_is_refused_or_noted():
    bare = Architecture((2, *(1,) * 8, 1))
    with pytest.raises(ValueError, match="target=131073"):
        theory.narrowest(bare, bare.ambient)
    assert "minimal width not searched" in analyse((2, 3, 3, 3, 3, 3, 3, 1)).notes[0]


def test_depth_bound_and_least_depth():
    quadratic = Architecture((2, 3, 3, 1), 2, "qres", "linear")
    assert theory.depth_bound(quadratic) == pytest.approx(5)
    assert theory.depth_bound(Architecture((2, 3, 3, 1), 1)) is None
    plain = Architecture((2, 1), 2, "plain")
    assert theory.least_depth(plain, quadratic.ambient) == 5
    assert theory.least_depth(Architecture((2, 1), 1, "plain"), 5) is None
    assert theory.least_depth(Architecture((1, 3), 2, "plain"), 4) is None


def test_width_exponents():
    assert theory.width_exponents(Architecture((2, *(1,) * 8, 1))) == (1, 2, 3, 4, 5, 6, 4, 2)
    assert theory.width_exponents(Architecture((3, 1))) == ()


def test_networks_of_equal_dimension():
    result = analyse((2, 10, 10, 1))
    assert (result.least_widths, result.least_parameters) == ((2, 4, 4, 1), 65)
    assert (result.equal_widths, result.equal_parameters) == ((2, 4, 4, 4, 4, 4, 1), 97)
    assert analyse((3, 1)).equal_widths == (3, 2, 1)
    assert "no plain network of any depth has dimension 5" in analyse((3, 1), degree=1).notes
    assert analyse((2, 10, 10, 1), search=False).equal_widths is None


def test_proposition_1_fails_from_three_inputs_on():
    result = computed("proposition-1")
    assert {row[0][0] for row in result.counterexamples} == {"3", "4", "5", "6"}


def test_lemma_1_fails_only_where_the_plain_network_does_not_fill():
    result = computed("lemma-1")
    assert ("2,1,1", "1", "3", "2", "3") in result.counterexamples
    assert all(int(plain) < int(ambient) for *_, plain, ambient in result.counterexamples)
    equal = [row for row, holds in zip(result.rows, result.holds, strict=True) if holds]
    assert ("2,2,4", "1", "10", "10", "12") in equal


def test_theorem_1_fails_only_for_one_input():
    result = computed("theorem-1")
    assert all(
        row[2].startswith("1,") == (not holds) for row, holds in zip(result.rows, result.holds, strict=True)
    )


def test_proposition_2_holds_for_plain_networks_and_fails_for_quadratic_ones():
    result = computed("proposition-2")
    full = [
        [a == b for a, b in (cell.split(" / ") for cell in (row[2], row[3], row[5]))] for row in result.rows
    ]
    assert all(plain and corrected for plain, _, corrected in full)
    assert {row[0] for row in result.counterexamples} >= {"3,6,8,1", "2,3,5,4,1"}


def document() -> str:
    return (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["proposition-1", "lemma-1", "theorem-1", "proposition-2", "theorem-2"])
def test_the_document_shows_what_the_code_computes(name):
    assert replace_table(document(), name, markdown(computed(name))) == document()


def test_the_document_has_a_place_for_every_table(tmp_path, monkeypatch):
    path = tmp_path / "theory.md"
    path.write_text(document(), encoding="utf-8")
    for name in CHECKS:
        monkeypatch.setitem(CHECKS, name, lambda: check_of_nothing)
    check_of_nothing = theory.Check("none", "", "", ("a",), (("1",),), ())
    theory.write_tables(path)
    assert path.read_text(encoding="utf-8").count("Computed: 1 networks.") == len(CHECKS)
    with pytest.raises(ValueError, match="no such file"):
        theory.write_tables(tmp_path / "none.md")
    with pytest.raises(ValueError, match="markers"):
        replace_table("no markers", "lemma-1", "")


def test_the_theory_needs_numpy_only():
    allowed = {
        "__future__",
        "collections",
        "dataclasses",
        "itertools",
        "jaxtyping",
        "math",
        "numpy",
        "pathlib",
        "typing",
    }
    for path in (ROOT / "src" / "qres" / "theory").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module == "qres.runtime.errors" or (node.module or "").split(".")[0] in allowed
            assert not isinstance(node, ast.ImportFrom) or node.level <= 1
