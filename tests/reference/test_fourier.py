import numpy as np
import pytest

from qres.reference import Box

LINE = Box((-1.0,), (2.0,), (32,))
PLANE = Box((0.0, -1.0), (2 * np.pi, 1.0), (16, 24))


def wave(x: np.ndarray, order: int = 0) -> np.ndarray:
    """A trigonometric polynomial on LINE."""
    k = 2 * np.pi / 3
    return (k**order) * np.cos(k * x + order * np.pi / 2) + (5 * k) ** order * np.sin(
        5 * k * x + order * np.pi / 2
    )


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_interpolation_is_exact_anywhere(order):
    x = np.array([-1.0, -0.3, 0.123, 5.4])
    modes = LINE.forward(wave(LINE.points()[0]), True)
    np.testing.assert_allclose(
        LINE.interpolate(modes, (x,), (order,), True), wave(x, order), rtol=1e-11, atol=1e-10
    )


def test_a_complex_field():
    x = np.linspace(-1, 2, 7)
    k = 2 * np.pi / 3
    modes = LINE.forward(np.exp(3j * k * LINE.points()[0]), False)
    np.testing.assert_allclose(LINE.interpolate(modes, (x,), (), False), np.exp(3j * k * x), atol=1e-13)
    expected = 3j * k * np.exp(3j * k * LINE.points()[0])
    np.testing.assert_allclose(LINE.backward(LINE.symbol((1,), False) * modes, False), expected, atol=1e-12)


def test_two_dimensions():
    x, y = PLANE.mesh()
    modes = PLANE.forward(np.sin(2 * x) * np.cos(3 * np.pi * y), True)
    points = np.array([0.1, 2.0, 3.3]), np.array([-0.9, 0.77])
    expected = 2 * np.outer(np.cos(2 * points[0]), -3 * np.pi * np.sin(3 * np.pi * points[1]))
    np.testing.assert_allclose(PLANE.interpolate(modes, points, (1, 1), True), expected, atol=1e-12)
    np.testing.assert_allclose(
        PLANE.backward(PLANE.symbol((0, 2), True) * modes, True),
        -9 * np.pi**2 * PLANE.backward(modes, True),
        atol=1e-11,
    )


@pytest.mark.parametrize("real", [True, False])
def test_the_highest_mode_is_a_cosine(real):
    """On the grid it alternates; between, it is a real cosine; its odd derivatives vanish on the grid."""
    modes = LINE.forward((-1.0) ** np.arange(32), real)
    x = np.linspace(-1, 2, 11)
    highest = 32 * np.pi / 3
    np.testing.assert_allclose(LINE.interpolate(modes, (x,), (), real), np.cos(highest * (x + 1)), atol=1e-12)
    assert np.abs(LINE.symbol((1,), real) * modes).max() == 0
    np.testing.assert_allclose(LINE.symbol((2,), real)[16], -(highest**2))


@pytest.mark.parametrize("real", [True, False])
def test_truncation_keeps_what_a_coarser_box_has(real):
    fine = Box(PLANE.lower, PLANE.upper, (32, 48))
    x, y = fine.mesh()
    values = np.sin(2 * x) * np.cos(3 * np.pi * y) + np.sin(12 * x) + np.cos(20 * np.pi * y)
    coarse = PLANE.backward(PLANE.truncate(fine.forward(values, real), real), real)
    x, y = PLANE.mesh()
    np.testing.assert_allclose(coarse, np.sin(2 * x) * np.cos(3 * np.pi * y), atol=1e-13)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0.0,), (1.0,), (15,)), "modes must be even and positive, not \\(15,\\)"),
        (((0.0,), (0.0,), (16,)), "upper must be above lower"),
        (((0.0,), (1.0, 2.0), (16,)), "must be of one length"),
    ],
)
def test_bad_boxes(arguments, message):
    with pytest.raises(ValueError, match=message):
        Box(*arguments)


def test_bad_orders_and_points():
    with pytest.raises(ValueError, match=r"order must be 2 numbers from 0, one a coordinate, not \(1,\)"):
        PLANE.symbol((1,), True)
    with pytest.raises(ValueError, match="2 coordinates are needed, not 1"):
        PLANE.interpolate(PLANE.forward(np.zeros((16, 24)), True), (np.zeros(3),), (), True)
