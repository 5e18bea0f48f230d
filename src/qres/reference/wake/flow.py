"""The flow past a cylinder by finite elements. Only `python -m qres.reference.wake` imports this."""

# ngsolve is an extra, and much of it has no stubs.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

import ngsolve as ng
from netgen import occ

from ..wake import REYNOLDS

# Bounds of the computational box, far enough that the wake does not feel them.
LEFT, RIGHT, BOTTOM, TOP = -15.0, 25.0, -9.0, 9.0

# SBDF3 (Ascher, Ruuth, Wetton 1995): 11/6 u⁺ = Σ HISTORY u + h Σ EXPLICIT f(u) + h g(u⁺), newest first.
LEADING = 11 / 6
HISTORY = (3.0, -3 / 2, 1 / 3)
EXPLICIT = (3.0, -3.0, 1.0)


def cylinder_mesh(order: int) -> ng.Mesh:
    """Curved triangles around the cylinder of diameter 1 at the origin, periodic in y.

    Args:
        order: degree of the curved sides.
    """
    box = occ.MoveTo(LEFT, BOTTOM).Rectangle(RIGHT - LEFT, TOP - BOTTOM).Face()
    box.edges.Min(occ.X).name = "inflow"
    box.edges.Max(occ.X).name = "outflow"
    box.edges.Max(occ.Y).Identify(box.edges.Min(occ.Y), "periodic")
    middle = occ.MoveTo(-2, -3).Rectangle(RIGHT + 2, 6).Face()
    near = occ.MoveTo(-1.2, -1.8).Rectangle(5.2, 3.6).Face()
    disc = occ.Circle((0, 0), 0.5).Face()
    disc.edges.name = "cylinder"
    disc.edges.maxh = 0.15
    far, middle, near = box - middle, middle - near, near - disc
    far.faces.maxh, middle.faces.maxh, near.faces.maxh = 2.5, 0.7, 0.4
    geometry = occ.OCCGeometry(occ.Glue([far, middle, near]), dim=2)
    mesh = ng.Mesh(geometry.GenerateMesh(maxh=2.5))
    mesh.Curve(order)
    return mesh


class Flow:
    """Incompressible Navier–Stokes with Taylor–Hood elements, one step of SBDF3 at a time.

    u_t + (u·∇)u + ½ (∇·u) u = -∇p + ν Δu, ∇·u = 0, with u = (1, 0) at the inflow, 0 on the cylinder,
    ν ∂ₙu = p n at the outflow. The Stokes part is implicit and factored once; convection is explicit.
    """

    def __init__(self, order: int, step: float) -> None:
        """Factor the implicit part.

        Args:
            order: degree of the velocity; the pressure has one less.
            step: time step.
        """
        self.order, self.step = order, step
        self.mesh = cylinder_mesh(order)
        velocity = ng.Periodic(ng.VectorH1(self.mesh, order=order, dirichlet="inflow|cylinder"))
        pressure = ng.Periodic(ng.H1(self.mesh, order=order - 1))
        self.space = velocity * pressure
        self.field = ng.GridFunction(self.space)
        self._implicit(self.space)
        self._explicit(velocity)
        self.mass = ng.BilinearForm(velocity, symmetric=True)
        u, v = velocity.TnT()
        self.mass += u * v * ng.dx
        self.mass.Assemble()
        self.u = self.field.components[0].vec
        self.previous = [self.u.CreateVector() for _ in HISTORY]
        self.convected = [self.u.CreateVector() for _ in EXPLICIT]
        self._tests()

    def _implicit(self, space: ng.FESpace) -> None:
        (u, p), (v, q) = space.TnT()
        stokes = ng.BilinearForm(space, symmetric=True)
        stokes += (LEADING / self.step * u * v + ng.InnerProduct(ng.Grad(u), ng.Grad(v)) / REYNOLDS) * ng.dx
        # Grad-div stabilisation; the tiny pressure mass lets the matrix be factored without pivoting.
        stokes += (ng.div(u) * ng.div(v) - ng.div(u) * q - ng.div(v) * p - 1e-11 * p * q) * ng.dx
        stokes.Assemble()
        self.stokes = stokes.mat
        self.inverse = stokes.mat.Inverse(space.FreeDofs(), inverse="sparsecholesky")

    def _explicit(self, velocity: ng.FESpace) -> None:
        u, v = velocity.TnT()
        self.convection = ng.BilinearForm(velocity, nonassemble=True)
        term = ng.InnerProduct(ng.Grad(u) * u + 0.5 * ng.div(u) * u, v)
        self.convection += term.Compile() * ng.dx(bonus_intorder=self.order - 1)

    def _tests(self) -> None:
        """Functions that are a unit vector on the cylinder: their residual is the force on it."""
        self.tests = []
        for direction in ((1, 0), (0, 1)):
            test = ng.GridFunction(self.space)
            test.components[0].Set(direction, definedon=self.mesh.Boundaries("cylinder"))
            weight = test.vec.CreateVector()
            weight.data = self.stokes * test.vec
            self.tests.append((test.vec, weight))

    def start(self, velocity: ng.CoefficientFunction) -> None:
        """Begin from a velocity field, at rest before time 0: the transient of that dies out."""
        values = self.field.components[0]
        values.Set(velocity)
        values.Set((1, 0), definedon=self.mesh.Boundaries("inflow"))
        # `Set` on a boundary clears the interior, so the boundary values are put on a copy.
        inside = ng.GridFunction(values.space)
        inside.Set(velocity)
        fixed = ~values.space.FreeDofs()
        projector = ng.Projector(fixed, True)
        values.vec.data = inside.vec + projector * (values.vec - inside.vec)
        for old, convected in zip(self.previous, self.convected, strict=True):
            old.data = self.u
            self.convection.Apply(self.u, convected)

    def advance(self) -> tuple[float, float]:
        """One step; returns the drag and lift coefficients at its end."""
        rhs = self.field.vec.CreateVector()
        rhs[:] = 0
        old, convected = self.previous, self.convected
        sources = rhs[self.space.Range(0)]
        combined = self.u.CreateVector()
        combined.data = sum(
            (c / self.step * o for c, o in zip(HISTORY[1:], old[1:], strict=True)),
            HISTORY[0] / self.step * old[0],
        )
        sources.data = self.mass.mat * combined
        for weight, term in zip(EXPLICIT, convected, strict=True):
            sources.data -= weight * term
        residual = self.field.vec.CreateVector()
        residual.data = rhs - self.stokes * self.field.vec
        self.field.vec.data += self.inverse * residual
        self.previous = [old[-1], *old[:-1]]
        self.convected = [convected[-1], *convected[:-1]]
        self.previous[0].data = self.u
        self.convection.Apply(self.u, self.convected[0])
        drag, lift = (
            2 * (ng.InnerProduct(test, rhs) - ng.InnerProduct(weight, self.field.vec))
            for test, weight in self.tests
        )
        return drag, lift
