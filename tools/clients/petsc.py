# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's matrices that are Fourier transforms: applied to a field, back, and, if asked for, to vectors other than the
first, as Krylov methods do. Speaks to the shared library of PETSc, of complex numbers, by its C interface.

    mpiexec -n 2 python3 petsc.py libpetsc_complex.so.3.18 [others]
"""
import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_void_p

N = (c_int * 3)(24, 20, 18)


def call(name, *arguments):
    error = getattr(petsc, name)(*arguments)
    if error:
        sys.exit(f"{name}: error {error}")


def numbers(vector, count):
    """The numbers of a vector that lie here, to read and write."""
    data = POINTER(c_double)()
    call("VecGetArray", vector, byref(data))
    here = ctypes.cast(data, POINTER(c_double * count)).contents
    return here


petsc = ctypes.CDLL(sys.argv[1])
call("PetscInitializeNoArguments")
world = c_void_p.in_dll(petsc, "PETSC_COMM_WORLD")
rank, ranks = c_int(), c_int()
call("MPI_Comm_rank", world, byref(rank))
call("MPI_Comm_size", world, byref(ranks))
transform = c_void_p()
call("MatCreateFFT", world, 3, N, c_char_p(b"fftw"), byref(transform))


def vectors():
    x, y, z = c_void_p(), c_void_p(), c_void_p()
    call("MatCreateVecsFFTW", transform, byref(x), byref(y), byref(z))
    return x, y, z


x, y, z = vectors()
first, last = c_int(), c_int()
call("VecGetOwnershipRange", x, byref(first), byref(last))
count = 2 * (last.value - first.value)


def fill(vector):
    here = numbers(vector, count)
    for i in range(count):
        here[i] = (2 * first.value + i) * 7919 % 1009 / 1009 - 0.5


def show(name, vector):
    """To a file of this rank: norms, and some of the numbers."""
    here = numbers(vector, count)
    print(name, sum(v * v for v in here), *here[:: max(count // 50, 1)], file=output)


output = open(f"petsc.{rank.value}", "w")
fill(x)
call("MatMult", transform, x, y)
show("forward", y)
call("MatMultTranspose", transform, y, z)
show("backward", z)
fill(x)
call("MatMult", transform, x, y)
show("again", y)
second = c_void_p()
call("MatCreateFFT", world, 3, (c_int * 3)(16, 16, 16), c_char_p(b"fftw"), byref(second))
call("MatDestroy", byref(second))
fill(x)
call("MatMult", transform, x, y)
show("after another was destroyed", y)
if len(sys.argv) > 2:
    other_x, other_y, _ = vectors()
    fill(other_x)
    call("MatMult", transform, other_x, other_y)
    if any(abs(a - b) > 1e-9 for a, b in zip(numbers(other_y, count), numbers(y, count))):
        sys.exit("other vectors: the transform is wrong")
call("MatDestroy", byref(transform))
call("PetscFinalize")
