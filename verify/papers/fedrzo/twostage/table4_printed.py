"""Table 4 of the paper as printed: the objective that FedRZO_2s reaches on the leader-follower game, 72 numbers."""

#: Followers of the settings, with the printed tau and the printed lower-level stepsize of each.
FOLLOWERS: dict[int, tuple[int, str]] = {10: (20, "1e-4"), 20: (35, "1e-6"), 100: (55, "1e-7"), 1000: (80, "1e-8")}
#: Slopes of the demand curve.
SLOPES: tuple[float, ...] = (0.5, 1.0)
#: Local steps per round.
LOCAL_STEPS: tuple[int, ...] = (1, 10, 20)
#: Radii of the ball.
RADII: tuple[float, ...] = (1.0, 0.1, 0.01)

_ROWS = {
    (10, 0.5): "-7.875 -7.878 -7.879 -35.190 -35.192 -35.192 -39.448 -39.448 -39.448",
    (10, 1.0): "-6.557 -6.562 -6.563 -18.945 -18.945 -18.945 -19.315 -19.314 -19.314",
    (20, 0.5): "-8.774 -8.773 -8.773 -39.733 -39.732 -39.732 -44.141 -44.140 -44.140",
    (20, 1.0): "-7.964 -7.963 -7.963 -23.000 -23.000 -23.000 -23.343 -23.343 -23.342",
    (100, 0.5): "-9.084 -9.078 -9.077 -40.688 -40.685 -40.685 -45.158 -45.157 -45.157",
    (100, 1.0): "-8.252 -8.242 -8.241 -23.557 -23.556 -23.556 -23.895 -23.895 -23.895",
    (1000, 0.5): "-8.901 -8.903 -8.903 -40.302 -40.297 -40.297 -44.758 -44.759 -44.759",
    (1000, 1.0): "-8.077 -8.080 -8.081 -23.329 -23.326 -23.326 -23.656 -23.656 -23.656",
}

#: (followers, slope b, local steps H, radius eta) -> the printed f(xbar_K), a decimal string.
PRINTED: dict[tuple[int, float, int, float], str] = {
    (followers, slope, steps, radius): value
    for (followers, slope), row in _ROWS.items()
    for (steps, radius), value in zip(
        ((steps, radius) for steps in LOCAL_STEPS for radius in RADII), row.split(), strict=True
    )
}
