"""Speed, as ratios within one run on one BLAS thread: ``python -m benchmarks`` runs all, each module runs alone."""

import os

# One BLAS thread, also in the processes that a benchmark starts; before numpy reads it.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[_name] = "1"
