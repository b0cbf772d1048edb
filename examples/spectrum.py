# SPDX-License-Identifier: BSD-3-Clause
"""spectrum.c in Python: the power spectrum of a density field, on a process grid, with numpy, mpi4py and weft.py.

PYTHONPATH=/usr/local/share/weft/python mpiexec -n 4 python3 spectrum.py spectrum.gnuplot && gnuplot spectrum.gnuplot
"""
import sys

import numpy as np
from mpi4py import MPI
import weft

n = 64
grid = weft.Grid(MPI.COMM_WORLD, 2)
there = weft.Plan((n, n, n), "r2c", grid=grid, flags=("FFTW_ESTIMATE",))
back = weft.Plan((n, n, n), "c2r", grid=grid, flags=("FFTW_ESTIMATE",))


def power(k):
    """P(k): it has its maximum near k = 6."""
    return k / (1 + (k / 8) ** 4)


# |k| of the modes of this rank, their shells of width 1, and their weights: some also stand for -k.
whole = np.fft.fftfreq(n, 1 / n), np.fft.fftfreq(n, 1 / n), np.arange(n // 2 + 1.)
x, y, z = np.meshgrid(*(w[s] for w, s in zip(whole, there.output_slices)), indexing="ij", sparse=True)
k = np.sqrt(x * x + y * y + z * z)
shell = np.minimum(k + 0.5, n // 2).astype(int)
weight = np.where((z > 0) & (z < n / 2), 2., 1.) + 0 * k


def shells(values):
    """The sums of values of modes in each shell, over all ranks."""
    return grid.comm.allreduce(np.bincount(shell.ravel(), (weight * values).ravel(), n // 2 + 1))


# White noise that depends on the point alone; each mode gets the modulus sqrt(P(k)).
i, j, l = np.ogrid[there.input_slices]
noise = np.fmod(43758.5453 * np.sin(12.9898 * ((i * n + j) * n + l)), 1)
mode = there(noise).copy()
density = back(mode * np.sqrt(power(k)) / abs(mode) * n ** 3)

measured = shells(abs(there(density) / n ** 3) ** 2)
given, modes = shells(power(k)), shells(np.ones_like(k))
inner = slice(1, n // 2)
error = abs(measured / np.where(given > 0, given, 1) - 1)[inner].max()
if grid.comm.rank == 0:
    print(f"spectrum: P(10) = {measured[10] / modes[10]:.4f}; largest error {error:.1e}")
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as script:
            print("$shells << END", file=script)
            for s in range(1, n // 2):
                print(s, measured[s] / modes[s], given[s] / modes[s], file=script)
            print("END\nset terminal svg size 640,420 background 'white'\nset output 'spectrum.svg'\nset logscale xy\n"
                  "set xlabel 'k'\nset ylabel 'P(k)'\nplot $shells using 1:3 with lines title 'given', "
                  "$shells using 1:2 with points pt 7 title 'measured'", file=script)
sys.exit(int(error > 1e-12))
