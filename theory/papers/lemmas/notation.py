"""Notation of the lemmas: one loss ``f``, whose values are in the unit of the inner loss."""

from rateproof.theory.symbols import COUNT, NONNEG, POS, vocabulary
from rateproof.theory.units import INNER, LENGTH

declare = vocabulary("lemmas")

AREA = LENGTH**2
FORCE2 = (INNER / LENGTH) ** 2

t = declare("weight", "a positive weight", latex="t", **POS)
L = declare("L_1", "smoothness constant, or Lipschitz constant of a gradient", INNER / AREA, latex="L", **POS)
gamma = declare("gamma_1", "stepsize", AREA / INNER, latex=r"\gamma", **POS)
rho = declare("rho", "weight of the new sample", latex=r"\rho", **POS)
batch = declare("batch", "samples of a client", latex="B", **COUNT)
sigma2 = declare("sigma2", "variance bound of the noise", FORCE2, latex=r"\sigma^2", **NONNEG)

norm2_u = declare("norm2_u", "||u||^2", AREA, latex=r"\|u\|^2", **NONNEG)
norm2_v = declare("norm2_v", "||v||^2", AREA, latex=r"\|v\|^2", **NONNEG)
inner_uv = declare("inner_uv", "<u, v>", AREA, latex=r"\langle u, v\rangle")
mean_sq = declare("mean_sq", "(1/N) sum_i ||v_i||^2", AREA, latex=r"\frac1N\sum_i\|v_i\|^2", **NONNEG)
sq_mean = declare("sq_mean", "||(1/N) sum_i v_i||^2", AREA, latex=r"\|\bar v\|^2", **NONNEG)
spread = declare("spread", "(1/N) sum_i ||v_i - mean v||^2", AREA, latex=r"\frac1N\sum_i\|v_i-\bar v\|^2", **NONNEG)
sampling = declare("sampling", "E||mean over the sample - mean v||^2", AREA, latex=r"E\|\bar v_S-\bar v\|^2", **NONNEG)
sq_mean_noise = declare("sq_mean_noise", "E||(1/N) sum_i e_i||^2", AREA, latex=r"E\|\bar e\|^2", **NONNEG)
mean_sq_noise = declare("mean_sq_noise", "(1/N) sum_i E||e_i||^2", AREA, latex=r"\frac1N\sum_iE\|e_i\|^2", **NONNEG)
mean_noise = declare("mean_noise", "E||mean of the noises of a round||^2", FORCE2, latex=r"E\|\bar e\|^2", **NONNEG)
norm2_g = declare("norm2_g", "E||grad f(x)||^2", FORCE2, latex=r"E\|\nabla f(x)\|^2", **NONNEG)
f_x = declare("f_x", "E f(x)", INNER, latex="E f(x)")
f_y = declare("f_y", "E f(y), y the point after the step", INNER, latex="E f(x^+)")
apart = declare("apart", "||x - y||^2", AREA, latex=r"\|x-y\|^2", **NONNEG)
images_apart = declare("images_apart", "||image of x - image of y||^2", AREA, latex=r"\|Tx-Ty\|^2", **NONNEG)
before = declare("before", "E||e||^2, e the error of the estimator", FORCE2, latex=r"E\|e\|^2", **NONNEG)
moved = declare("moved", "E||x^+ - x||^2", AREA, latex=r"E\|x^+-x\|^2", **NONNEG)
sarah = declare("sarah", "E||e^+||^2, the error after one step of SARAH", FORCE2, latex=r"E\|e^+\|^2", **NONNEG)
storm = declare("storm", "E||e^+||^2, the error after one step of STORM", FORCE2, latex=r"E\|e^+\|^2", **NONNEG)
fed_storm = declare(
    "fed_storm",
    "E||e^+||^2, the error of the mean over the clients after one step",
    FORCE2,
    latex=r"E\|e^+\|^2",
    **NONNEG,
)
fed_first = declare("fed_first", "E||e_0||^2", FORCE2, latex=r"E\|e_0\|^2", **NONNEG)
fed_errors = declare("fed_errors", "sum over r < R of E||e_r||^2", FORCE2, latex=r"\sum_{r<R}E\|e_r\|^2", **NONNEG)
fed_moves = declare(
    "fed_moves", "sum over r < R of E||x_{r+1} - x_r||^2", AREA, latex=r"\sum_{r<R}E\|x_{r+1}-x_r\|^2", **NONNEG
)
tau = declare("tau_1", "Lipschitz constant of a client's map less the mean map", INNER / AREA, latex=r"\tau", **NONNEG)
drifted = declare("drifted", "E||e^+||^2, the same at one client", FORCE2, latex=r"E\|e_m^+\|^2", **NONNEG)
first = declare("first", "E||e_1||^2", FORCE2, latex=r"E\|e_1\|^2", **NONNEG)
mean_error = declare(
    "mean_error", "(1/K) sum_{k=1}^K E||e_k||^2", FORCE2, latex=r"\frac1K\sum_{k=1}^KE\|e_k\|^2", **NONNEG
)
moves = declare("moves", "sum_{k=1}^K E||x_{k+1} - x_k||^2", AREA, latex=r"\sum_{k=1}^KE\|x_{k+1}-x_k\|^2", **NONNEG)
near = declare("near", "||z - z*||^2", AREA, latex=r"\|z-z^*\|^2", **NONNEG)
at_zero = declare("at_zero", "||S(z*)||^2", FORCE2, latex=r"\|S(z^*)\|^2", **NONNEG)
pulled = declare("pulled", "<z - z*, S(z)>", INNER, latex=r"\langle z-z^*,S(z)\rangle")
missed = declare("missed", "||q - S(z)||^2, q the direction that is taken", FORCE2, latex=r"\|q-S(z)\|^2", **NONNEG)
stepped = declare("stepped", "||z - gamma q - z*||^2", AREA, latex=r"\|z-\gamma q-z^*\|^2", **NONNEG)
target = declare("target", "||w - z*(x)||^2", AREA, latex=r"\|w-z^*(x)\|^2", **NONNEG)
target_moved = declare("target_moved", "||w - z*(y)||^2", AREA, latex=r"\|w-z^*(y)\|^2", **NONNEG)
target_turned = declare(
    "target_turned", "<w - z*(x), z*(x) - z*(y)>", AREA, latex=r"\langle w-z^*(x),z^*(x)-z^*(y)\rangle"
)
L_target = declare("L_2", "Lipschitz constant of z*", latex="L", **NONNEG)
