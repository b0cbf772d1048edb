# SPDX-License-Identifier: BSD-3-Clause
"""derivative.c in Python: a spectral derivative on a process grid, with numpy, mpi4py and weft.py.

PYTHONPATH=/usr/local/share/weft/python mpiexec -n 4 python3 derivative.py
"""
import sys

import numpy as np
from mpi4py import MPI
import weft

n = (48, 45, 40)
grid = weft.Grid(MPI.COMM_WORLD, 2)
there = weft.Plan(n, "r2c", grid=grid, flags=("FFTW_ESTIMATE",))
back = weft.Plan(n, "c2r", grid=grid, flags=("FFTW_ESTIMATE",))

# The angles of this rank's points, and the wave numbers of its part of the spectrum, along the first axis.
x, y, z = np.meshgrid(*(2 * np.pi * np.arange(s.start, s.stop) / size for s, size in zip(there.input_slices, n)),
                      indexing="ij", sparse=True)
k = np.fft.fftfreq(n[0], 1 / n[0])[there.output_slices[0]]
k[abs(k) == n[0] / 2] = 0  # the wave in the middle has no derivative

u = np.exp(np.sin(x) + np.sin(y) + np.sin(z))
derived = back(1j * k[:, None, None] * there(u))

error = grid.comm.allreduce(abs(derived - np.cos(x) * u).max(initial=0), MPI.MAX)
if grid.comm.rank == 0:
    print(f"derivative: on {grid.dims[0]} x {grid.dims[1]} ranks, largest error {error:.1e}")
sys.exit(int(error > 1e-11))
