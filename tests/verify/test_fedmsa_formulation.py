"""Maps and directions of fedmsa in several dimensions, against differences of values and runs written out."""

import numpy as np
import pytest

M, D_X, D_W = 3, 2, 3
STEP = 1e-5


def derivative(of, x, u):
    """The derivative of a function of a vector in a direction, by central differences."""
    return (of(x + STEP * u) - of(x - STEP * u)) / (2 * STEP)


def gradient(of, x):
    return np.array([derivative(of, x, e) for e in np.eye(len(x))])


class Bilevel:
    """``g^m = w'H_m w/2 + |w|_4^4/12 - w'B_m(x + x^2)`` and ``f^m = log cosh(w - t_m)'1 + x'E_m w + |x|^2/2``."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        roots = rng.normal(size=(M, D_W, D_W))
        self.H = np.eye(D_W) + roots @ roots.transpose(0, 2, 1)
        self.B, self.t = rng.normal(size=(M, D_W, D_X)), rng.normal(size=(M, D_W))
        self.E, self.x = rng.normal(size=(M, D_X, D_W)), rng.normal(size=D_X)

    def lower(self, x):
        w = np.zeros(D_W)
        for _ in range(50):
            slope = self.H.mean(0) @ w + w**3 / 3 - self.B.mean(0) @ (x + x**2)
            w = w - np.linalg.solve(self.H.mean(0) + np.diag(w**2), slope)
        return w

    def f(self, m, x):
        w = self.lower(x)
        return np.log(np.cosh(w - self.t[m])).sum() + x @ self.E[m] @ w + x @ x / 2

    def parts(self, m):
        """grad_x f^m, grad_w f^m, grad^2_xw g^m, grad^2_ww g^m at (x, w*(x))."""
        w = self.lower(self.x)
        cross = -(self.B[m] * (1 + 2 * self.x)).T
        return self.E[m] @ w + self.x, np.tanh(w - self.t[m]) + self.x @ self.E[m], cross, self.H[m] + np.diag(w**2)


@pytest.mark.parametrize("seed", range(3))
def test_hypergradients(seed):
    problem = Bilevel(seed)
    fx, fw, cross, hessian = map(np.array, zip(*map(problem.parts, range(M)), strict=True))
    truth = np.array([gradient(lambda x, m=m: problem.f(m, x), problem.x) for m in range(M)])
    own = -np.linalg.solve(hessian.mean(0), fw.T).T
    # (8) with (9); the maps (10b) have the other sign, and the cross derivative of one client
    assert fx + own @ cross.mean(0).T == pytest.approx(truth, abs=1e-7)
    local = np.array([cross[m] @ own[m] for m in range(M)])
    assert np.abs(fx - local - truth).max() > 0.1
    assert fx + local - truth == pytest.approx(local - own @ cross.mean(0).T, abs=1e-7)
    # (10) with the second block of (2), in the mean; with that of (10a) the dimensions differ here
    v = np.linalg.solve(hessian.mean(0), fw.mean(0))
    mapped = np.array([fx[m] - cross[m] @ v for m in range(M)])
    assert mapped.mean(0) == pytest.approx(truth.mean(0), abs=1e-7)
    assert fx.shape[1] != hessian.shape[1]


def compositional(A, b, Q, x):
    """``f^{m,0} = A_m x + sin(b_m x)`` and ``f^{m,1} = z'Q_m z/2 + 1'z``: the mean of products, the gradient."""
    inner = [lambda x, m=m: A[m] @ x + np.sin(b[m] * x.sum()) for m in range(M)]

    def f(x):
        z = sum(g(x) for g in inner) / M
        return z @ Q.mean(0) @ z / 2 + z.sum()

    z = sum(g(x) for g in inner) / M
    jacobians = np.array([(A[m] + b[m] * np.cos(b[m] * x.sum())).T for m in range(M)])
    slopes = np.array([Q[m] @ z + 1 for m in range(M)])
    return np.array([J @ s for J, s in zip(jacobians, slopes, strict=True)]).mean(0), gradient(f, x), jacobians, slopes


@pytest.mark.parametrize("seed", range(3))
def test_mean_of_products(seed):
    rng = np.random.default_rng(seed)
    A, b, x = rng.normal(size=(M, D_W, D_X)), rng.normal(size=M), rng.normal(size=D_X)
    roots = rng.normal(size=(M, D_W, D_W))
    Q = roots + roots.transpose(0, 2, 1)
    mapped, truth, jacobians, slopes = compositional(A, b, Q, x)
    tau_0 = max(np.linalg.norm(J - jacobians.mean(0), 2) for J in jacobians)
    tau_1 = max(np.linalg.norm(s - slopes.mean(0)) for s in slopes)
    assert 1e-2 < np.linalg.norm(mapped - truth) <= tau_0 * tau_1
    for one in ((A, b, np.array([Q[0]] * M)), (np.array([A[0]] * M), np.array([b[0]] * M), Q)):
        mapped, truth, *_ = compositional(*one, x)
        assert mapped == pytest.approx(truth, abs=1e-6)


def test_the_mean_map_of_a_composition_vanishes_beside_the_minimiser():
    # f^{1,0} = x, f^{2,0} = 3x, f^{1,1} = z^2/2 - z, f^{2,1} = z^2/2: f is least at 1/4
    x, z = 0.0, 0.0
    for _ in range(500):
        x, z = x - 0.1 * ((z - 1) + 3 * z) / 2, z - 0.5 * (z - 2 * x)
    assert x == pytest.approx(1 / 8)


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_directions_without_noise(rho):
    """Algorithm 1 with one sequence z, written out."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(M, D_X, D_X)), rng.normal(size=(M, D_X, D_X))
    P = lambda m, at: A[m] @ np.sin(at[0]) + B[m] @ at[1]  # noqa: E731
    S = lambda m, at: (m + 1) * (at[1] - np.cos(at[0]))  # noqa: E731
    now = before = (rng.normal(size=D_X), rng.normal(size=D_X))
    h = q = np.zeros(D_X)
    for r in range(5):
        keep = 0.0 if r == 0 else 1 - rho
        h, q = (sum(of(m, now) + keep * (last - of(m, before)) for m in range(M)) / M for of, last in ((P, h), (S, q)))
        total = sum(P(m, now) for m in range(M))
        assert h == pytest.approx(total / M)
        assert np.abs(h - total).max() > 1e-2
        drawn, before, local, last = rng.integers(M), now, (h, q), now
        at = now
        for k in range(1, 2 if r == 0 else 5):
            local = tuple(of(drawn, at) + d - of(drawn, last) for of, d in zip((P, S), local, strict=True))
            if k == 1:
                assert local == (pytest.approx(h), pytest.approx(q))
            assert local[0] == pytest.approx(h + P(drawn, at) - P(drawn, now))
            at, last = tuple(x - 0.1 * d for x, d in zip(at, local, strict=True)), at
        now = at
