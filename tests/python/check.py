# SPDX-License-Identifier: BSD-3-Clause
"""Compares tools/python/weft.py on all ranks with numpy.fft on the whole array. A check fails on all ranks if it fails on
one; the exit status says whether one failed."""
import doctest
import gc
import sys
import warnings
import weakref

import numpy as np
from mpi4py import MPI
import weft

comm = MPI.COMM_WORLD
rng = np.random.default_rng(7)
checks = wrong = 0


def check(condition, what):
    global checks, wrong
    checks += 1
    if not comm.allreduce(bool(condition), MPI.LAND):
        wrong += 1
        if comm.rank == 0:
            print("wrong:", what, flush=True)


def near(a, b, what, dtype="f8"):
    bound = {"f": 2e-4, "d": 1e-10, "g": 1e-10}[np.dtype(dtype).char.lower()]
    check(a.shape == b.shape and (a.size == 0 or np.abs(a - b).max() < bound), what)


def raises(kind, words, what, function):
    """Checks that a function raises an error with these words on all ranks (a rank may report another rank's error)."""
    try:
        function()
        check(False, f"{what}: nothing is raised")
    except (kind, weft.Error) as error:
        check(words in str(error), f"{what}: {error}")


def long_double_is_built():
    if np.dtype("g").itemsize == 8:
        return False
    try:
        weft.Plan((4, 4), dtype="g", comm=comm, flags=("FFTW_ESTIMATE",))
        return True
    except ImportError:
        return False


long_double = long_double_is_built()


def numbers(shape, dtype):
    """Returns random numbers, the same on all ranks."""
    made = rng.standard_normal(shape)
    return (made + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else made).astype(dtype)


def transform(expected, whole, plan, dtype, what):
    """Runs a plan on this rank's part of the whole array, in the plan's arrays and in others."""
    part = plan.input_array[...] = plan.input.local(whole)
    near(plan(), plan.output.local(expected), what, dtype)
    other = np.array(part, order="F")
    near(plan(other), plan.output.local(expected), what + ", another array", dtype)
    check(np.array_equal(other, part), what + ": the array that is passed stays")
    target = np.zeros(plan.output.local_shape, plan.output_array.dtype)
    check(plan(other, target) is target, what + ": returns its output_array")
    near(target, plan.output.local(expected), what + ", to another array", dtype)


def places(shape):
    """Returns slabs and grids for a shape: name, arguments, prefix of the flags."""
    found = [("slabs", {"comm": comm}, "FFTW_MPI_")]
    for dims in range(1, len(shape)):
        found.append((f"grid of {dims}", {"grid": weft.Grid(comm, dims)}, "WEFT_"))
    found.append(("grid of order F", {"grid": weft.Grid(comm, len(shape) - 1, order="F")}, "WEFT_"))
    return found


def all_kinds(shape, real, howmany=None, inplace=False):
    real = np.dtype(real)
    complex_ = np.dtype(real.char.upper())
    axes, many = tuple(range(len(shape))), () if howmany is None else (howmany,)
    fft = (lambda a, f=np.fft: f.fftn(a.astype("c16"), axes=axes))
    for where, place, prefix in places(shape):
        for order in ("", "IN", "OUT"):
            flags = ("FFTW_ESTIMATE",) + ((prefix + "TRANSPOSED_" + order,) if order else ())
            what = f"{shape} x {howmany}, {real}, {where}, {order}, in place {inplace}"
            options = dict(place, howmany=howmany, inplace=inplace, dtype=real)
            if order == "IN" and prefix == "WEFT_":
                continue  # the input of a forward transform is aligned along the last axis
            whole = numbers(shape + many, complex_)
            plan = weft.Plan(shape, "c2c", flags=flags, **options)
            transform(fft(whole), whole, plan, real, "c2c, " + what)
            whole = numbers(shape + many, real)
            half = np.fft.rfftn(whole.astype("f8"), axes=axes)
            if order != "IN":
                plan = weft.Plan(shape, "r2c", flags=flags, **options)
                transform(half, whole, plan, real, "r2c, " + what)
            back = flags if order == "" else ("FFTW_ESTIMATE", prefix + "TRANSPOSED_IN")
            if order != "IN":
                plan = weft.Plan(shape, "c2r", flags=back, **options)
                transform(whole, half.astype(complex_), plan, real, "c2r, " + what)
                plan = weft.Plan(shape, "c2c", direction="FFTW_BACKWARD", flags=back, **options)
                transform(whole, fft(whole).astype(complex_), plan, real, "backward, " + what)


def operators():
    """Forward, operator and back, with factors that depend on the index."""
    shape = (6, 8, 10)

    def factor(i, axis, n):
        return 2 + (axis + 1) * np.minimum(i, n - i)

    def apply(values, index, axis):
        by = 1 / 480
        for a, n in enumerate(shape):
            i = index[a] + (np.arange(len(values)) if a == axis else 0)
            by = by * factor(i, a, n)
        values *= by if values.ndim == 1 else np.reshape(by, (-1, 1))

    along = [factor(np.arange(n), a, n) for a, n in enumerate(shape)]
    factors = np.einsum("i,j,k->ijk", *along)
    for where, place, _ in places(shape):
        for kind, dtype in (("r2c", "f8"), ("c2c", "c16"), ("r2c", "f4")):
            for howmany in (None, 2):
                whole = numbers(shape + (() if howmany is None else (howmany,)), dtype)
                by = factors if howmany is None else factors[..., None]
                expected = np.fft.ifftn(np.fft.fftn(whole, axes=(0, 1, 2)) * by, axes=(0, 1, 2))
                plan = weft.Operator(shape, apply, kind, dtype=dtype, howmany=howmany, flags=("FFTW_ESTIMATE",), **place)
                if kind == "r2c":
                    expected = expected.real
                plan.input_array[...] = plan.input.local(whole)
                scale = np.abs(expected).max()
                near(plan() / scale, plan.output.local(expected) / scale, f"operator, {where}, {kind}, {howmany}", dtype)
    plan = weft.Operator(shape, lambda values, index, axis: 1 / 0, flags=("FFTW_ESTIMATE",), comm=comm)
    try:
        plan()
        check(plan.input.numbers == 0, "an operator that fails")
    except ZeroDivisionError:
        check(True, "an operator that fails")
    def spread(values, index, axis):
        values[:] = values[:, :1] * np.array([1, 2, 3]) / 480

    for kind, dtype in (("r2c", "f8"), ("c2c", "c16")):
        whole = numbers(shape, dtype)
        plan = weft.Operator(shape, spread, kind, dtype=dtype, fields=3, flags=("FFTW_ESTIMATE",), comm=comm)
        plan.input_array[...] = plan.input.local(whole)
        near(plan(), plan.output.local(np.multiply.outer(whole, [1, 2, 3])), f"an operator to three fields, {kind}", dtype)
    raises(ValueError, "fields", "fields below 0", lambda: weft.Operator(shape, spread, fields=-1, comm=comm))
    raises(ValueError, "forward", "a backward operator", lambda: weft.Operator(shape, apply, "c2r", comm=comm))


def r2r():
    """Sine and cosine transforms, compared with the definition."""
    shape, n = (7, 6, 5), np.arange
    whole = numbers(shape, "f8")
    sines = 2 * np.sin(np.pi * np.outer(n(7) + 1, n(7) + 1) / 8)
    cosines = 2 * np.cos(np.pi * np.outer(n(6), n(6) + 0.5) / 6)
    waves = np.cos(2 * np.pi * np.outer(n(5), n(5)) / 5) + np.sin(2 * np.pi * np.outer(n(5), n(5)) / 5)
    expected = np.einsum("ai,bj,ck,ijk->abc", sines, cosines, waves, whole)
    kinds = ("FFTW_RODFT00", "FFTW_REDFT10", "FFTW_DHT")
    for where, place, _ in places(shape):
        plan = weft.Plan(shape, kinds, flags=("FFTW_ESTIMATE",), **place)
        transform(expected, whole, plan, "f8", f"r2r, {where}")
        check(plan.N == 16 * 12 * 5, "N of r2r")
    one, other = (weft.Plan((256, 256), ("FFTW_HC2R", "FFTW_HC2R"), comm=comm, dtype="f8") for _ in range(2))
    other.input_array[...] = 1
    one(other.input_array)
    check(np.all(other.input_array == 1), "an array that is passed for FFTW_HC2R stays")
    whole = numbers(shape, "c16")
    plan = weft.Plan(shape, ("FFTW_REDFT10", "WEFT_NONE", "WEFT_DFT_FORWARD"), grid=weft.Grid(comm, 2))
    half = np.fft.fft(2 * np.einsum("ai,ijk->ajk", np.cos(np.pi * np.outer(n(7), n(7) + 0.5) / 7), whole), axis=2)
    transform(half, whole, plan, "f8", "kinds of all sorts")


def like_numpy():
    whole = numbers((8, 9, 7), "c16")
    for place in {"comm": comm}, {"grid": weft.Grid(comm, 2)}, {"grid": weft.Grid(comm, 1)}:
        for norm in None, "ortho", "forward":
            a = weft.array(whole, **place)
            b = weft.fftn(a, norm=norm)
            near(b, b.layout.local(np.fft.fftn(whole, norm=norm)), "fftn")
            near(weft.ifftn(b, norm=norm), a, "ifftn")
            near(weft.ifftn(2 * b, norm=norm), 2 * a, "arithmetic keeps the layout")
            r = weft.array(whole.real.copy(), **place)
            h = weft.rfftn(r, norm=norm)
            near(h, h.layout.local(np.fft.rfftn(whole.real, norm=norm)), "rfftn")
            near(weft.irfftn(h, last=7, norm=norm), r, "irfftn")
            near(weft.fftn(r), b.layout.local(np.fft.fftn(whole.real)), "fftn of real numbers")
            back = weft.ifftn(a)
            near(back, back.layout.local(np.fft.ifftn(whole)), "ifftn of what fftn has not made")
            all_of_it = h.gather()
            check((all_of_it is None) == (comm.rank > 0), "gather is on rank 0 alone")
            near(np.fft.rfftn(whole.real, norm=norm) if all_of_it is None else all_of_it,
                 np.fft.rfftn(whole.real, norm=norm), "gather")
    for where, place, prefix in places((8, 9, 7)):
        transposed = weft.Plan((8, 9, 7), flags=("FFTW_ESTIMATE", prefix + "TRANSPOSED_OUT"), **place)
        a = weft.ifftn(transposed(transposed.input.local(whole)))
        near(a, a.layout.local(whole), "ifftn of a transposed spectrum, " + where)
    line = numbers(64, "c16")
    b = weft.fftn(weft.array(line, comm=comm))
    near(b, np.fft.fftn(line)[b.slices], "one dimension")
    raises(TypeError, "must be distributed", "fftn of numpy's", lambda: weft.fftn(whole))
    raises(TypeError, "not a view", "fftn of a part", lambda: weft.fftn(weft.array(whole, comm=comm)[:, ::-1]))
    raises(TypeError, "must be real", "rfftn of complex numbers", lambda: weft.rfftn(weft.array(whole, comm=comm)))
    raises(ValueError, "for a last axis of", "irfftn of another length", lambda: weft.irfftn(h, last=11))
    raises(ValueError, "could not convert", "an array of text", lambda: weft.array([["a"]], comm=comm))
    raises(ValueError, "norm is", "no norm", lambda: weft.fftn(weft.array(whole, comm=comm), norm="orthogonal"))


def redistribution():
    shape = (6, 12, 5)
    columns = comm.rank * 12 // comm.size, (comm.rank + 1) * 12 // comm.size
    for dtype in "f8", "c16", "f4":
        whole = numbers(shape, dtype)
        source = weft.Distribution.on_grid(weft.Grid(comm, 2), shape, axes=(0, 2))
        target = weft.Distribution(shape, np.s_[:, columns[0]:columns[1], :], comm)
        move = weft.Redistribution(source, target, dtype, flags=("FFTW_ESTIMATE",))
        check(np.array_equal(move(whole[source.slices()]), whole[target.slices()]), f"redistribution of {dtype}")
        check(target.slices(comm.size - 1)[1].stop == 12, "what another rank holds")
    raises(weft.Error, "no distribution", "a hole", lambda: weft.Distribution(shape, np.s_[1:, :, :], comm))


def orders():
    """Rank r of a 2 x n grid is at (r // n, r % n), in the order F at (r % 2, r // 2)."""
    rows, columns = 2 - comm.size % 2, comm.size // (2 - comm.size % 2)
    for order in "C", "F":
        grid = weft.Grid(comm, (rows, 0), order=order)
        check(grid.order == order and ("order F" in repr(grid)) == (order == "F"), f"a grid says its order {order}")
        at = np.unravel_index(comm.rank, grid.dims, order=order)
        box = weft.Distribution.on_grid(grid, (rows, 2 * columns)).slices()
        check(box == np.s_[at[0]:at[0] + 1, 2 * at[1]:2 * at[1] + 2], f"where ranks are in order {order}")
        whole = numbers((6, 5, 8), "f4")  # the library of float makes another grid
        b = weft.rfftn(weft.array(whole, grid=grid))
        near(b, np.fft.rfftn(whole)[b.slices], f"on a grid of order {order}", "f4")
    raises(ValueError, 'it must be "C" or "F"', "another order", lambda: weft.Grid(comm, 2, order="A"))


def wisdom():
    def plan(*flags):
        return weft.Plan((12, 10, 8), "r2c", comm=comm, flags=("FFTW_MEASURE",) + flags)
    plan()
    learnt = weft.export_wisdom(comm)
    check((learnt is None) == (comm.rank > 0), "wisdom is on rank 0 alone")
    weft.forget_wisdom()
    raises(weft.Error, "no plan", "wisdom that was forgotten", lambda: plan("FFTW_WISDOM_ONLY"))
    check(weft.import_wisdom(learnt, comm) == (True, True, long_double), "wisdom is understood")
    check(plan("FFTW_WISDOM_ONLY"), "a plan by wisdom")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check(not weft.import_wisdom((b"no wisdom", b"", b""), comm)[0], "bytes that are no wisdom are refused")
        check(len(caught) == (comm.rank == 0), "and rank 0 warns")
    raises(TypeError, "three bytes", "wisdom of another type", lambda: weft.import_wisdom("", comm))


def bad():
    def make(*args, **options):
        return lambda: weft.Plan(*args, **dict({"comm": comm, "flags": ("FFTW_ESTIMATE",)}, **options))
    grid = weft.Grid(comm, 2)
    raises(ValueError, "whole numbers", "a size of 0", make((0, 4)))
    raises(ValueError, "whole numbers", "half a number", make((2.5, 4)))
    raises(ValueError, 'it must be "c2c"', "no kind", make((4, 4), "c2d"))
    raises(ValueError, "for each of 2 axes", "too few kinds", make((4, 4), ("FFTW_DHT",)))
    raises(ValueError, "no flag 'FFTW_FAST'", "no flag", make((4, 4), flags="FFTW_FAST"))
    raises(ValueError, "slabs only", "a flag of slabs", make((4, 4, 4), grid=grid, flags="FFTW_MPI_TRANSPOSED_OUT"))
    raises(TypeError, "the type is int64", "integers", make((4, 4), dtype="int64"))
    raises(TypeError, "must be a communicator", "no communicator", make((4, 4), comm=3))
    raises(TypeError, "must be a weft.Grid", "no grid", make((4, 4), grid=3))
    raises(ValueError, "must be c2c", "r2c of one dimension", make((16,), "r2c"))
    raises(weft.Error, "", "a grid of too many dimensions", make((8, 8), grid=grid))
    raises(weft.Error, "no grid", "a grid of other ranks", lambda: weft.Grid(comm, (comm.size + 1, 1)))
    for dims in 0, -1, 31, 2 ** 40, (), (1.5, 0), (2 ** 40, 0), (2 ** 32 + 1, 0), (-1, 0), ("a", 0), (float("inf"), 0):
        raises(ValueError, "dims is", f"a grid of {dims}", lambda: weft.Grid(comm, dims))
    for blocks in (1.5, 0), (2 ** 64, 0), (0, 2 ** 70), (-1, 0), ("a", 0), (0,), (0, 0, 0), 3:
        raises(ValueError, "blocks is", f"blocks of {blocks}", make((6, 8), blocks=blocks))
    raises(weft.Error, "the block is 1", "blocks that hold too little", make((comm.size * 3, 8), blocks=(1, 0)))
    raises(ValueError, "shape is", "a length beyond C's", make((2 ** 64 + 4, 8)))
    raises(ValueError, "howmany is", "howmany beyond C's", make((6, 8), howmany=2 ** 64 + 1))
    raises(ValueError, "dimensions is", "half a dimension", lambda: weft.Grid.tune((8, 8, 8), comm=comm, dimensions=1.5))
    raises(ValueError, "axes is", "axes beyond C's", lambda: weft.Distribution.on_grid(grid, (8, 8, 8), axes=(2 ** 32, 1)))
    if comm.size > 1:
        weft.set_backend("carrier-pigeon")
        raises(weft.Error, "there is no backend", "no backend", make((4, 4)))
        weft.set_backend(None)
    good = make((6, 8))()
    shape = good.input.local_shape
    raises(ValueError, "has the shape", "of another shape", make((6, 8), input_array=np.zeros((1, 2, 3), "c16")))
    raises(ValueError, "has the type complex64", "of another type", make((6, 8), output_array=np.zeros(shape, "c8")))
    raises(ValueError, "not a numpy array", "a list", make((6, 8), input_array=[1]))
    if comm.size == 1:
        raises(ValueError, "strides", "of another order", make((6, 8), input_array=np.zeros(shape, "c16", "F")))
        odd = np.zeros(6 * 8 * 16 + 32, "u1")
        odd = odd[-odd.__array_interface__["data"][0] % 16 + 8:][:6 * 8 * 16].view("c16").reshape(shape)
        raises(ValueError, "is not aligned to 16 bytes", "odd memory", make((6, 8), input_array=odd))
        raises(ValueError, "bytes of memory, but", "too little",
               make((6, 8), "r2c", input_array=np.ndarray((6, 8), "f8", np.zeros(58), strides=(80, 8))))
    near(make((6, 8), input_array=good.input_array, output_array=good.output_array)()(np.ones(shape)),
         good(np.ones(shape)), "a plan in the arrays of another")
    raises(TypeError, "not a numpy array", "a list as output", lambda: good(np.ones(shape), good.output_array.tolist()))
    raises(ValueError, "has the shape", "called with another shape", lambda: good(np.zeros((1, 2, 3))))
    raises(TypeError, "cannot be converted", "real input from complex",
           lambda: make((6, 8), "r2c")()(np.zeros(good.input.local_shape, "c16")))
    raises(TypeError, "it must be", "complex output in real numbers", lambda: good(None, np.zeros(good.output.local_shape)))
    if comm.size > 1:
        raises(weft.Error, "ask for different things", "ranks that differ", make((6, 8 + comm.rank % 2)))
        raises(ValueError, "has the shape", "one rank that is wrong",
               make((6, 8), input_array=good.input_array if comm.rank else np.zeros((1, 2, 3), "c16")))
    good.destroy()
    raises(weft.Error, "destroyed", "a plan that was destroyed", good)


def life():
    plan = weft.Plan((6, 8), comm=comm, flags=("FFTW_ESTIMATE",))
    check("plan" in plan.report() and plan.report(as_json=True), "reports")
    array, ended = plan.output_array, weakref.ref(plan)
    del plan
    check(ended() is None, "a plan ends with its last reference")
    array[...] = 1  # and its memory with the last array
    gc.collect()
    weft.set_timelimit(5)
    weft.set_timelimit(None)
    tuned = weft.Grid.tune((8, 8, 8), "r2c", comm)
    check(np.prod(tuned.dims) == comm.size and tuned.order == "C", "grids that are tuned")
    tuned = weft.Grid.tune((8, 8, 8), "r2c", comm, flags=("FFTW_ESTIMATE", "WEFT_EITHER_ORDER"))
    check(np.prod(tuned.dims) == comm.size and tuned.order in ("C", "F"), "grids that are tuned in either order")
    part = comm.Split(comm.rank % 2)
    whole = numbers((6, 5), "c16")
    b = weft.fftn(weft.array(whole, comm=part))
    near(b, np.fft.fftn(whole)[b.slices], "on another communicator")
    del b
    part.Free()


reals = ["f8", "f4"] + (["g"] if long_double else [])
for real in reals:
    all_kinds((6, 5, 8), real)
all_kinds((5, 4, 6), "f8", howmany=3)
all_kinds((5, 7, 6), "f8", inplace=True)
for group in operators, r2r, like_numpy, redistribution, orders, wisdom, bad, life:
    group()
failed = comm.allreduce(doctest.testmod(weft)[0]) if comm.size == 1 else 0
# A plan that outlives MPI; not on 3 ranks, where tests/mpi/watch.c checks that all handles are freed.
left = weft.Plan((6, 8), comm=comm, flags=("FFTW_ESTIMATE",)) if comm.size < 3 else None
if comm.rank == 0:
    print(f"weft.py: {checks - wrong} of {checks} checks are right on {comm.size} ranks", flush=True)
grid, made = weft.Grid(comm, 2), weft.array(numbers((6, 8), "c16"), comm=comm)
MPI.Finalize()
# Calls after MPI_Finalize raise errors that say so.
late = {"a plan runs": left,
        "Plan": lambda: weft.Plan((6, 8)), "Grid": lambda: weft.Grid(comm, 2), "Grid.tune": lambda: weft.Grid.tune((8, 8, 8)),
        "zeros": lambda: weft.zeros((6, 8)), "on a grid": lambda: weft.zeros((6, 8, 8), grid=grid),
        "array": lambda: weft.array(np.ones((6, 8))), "empty_aligned": lambda: weft.empty_aligned((6, 8)),
        "fftn": lambda: weft.fftn(made), "export_wisdom": weft.export_wisdom,
        "import_wisdom": lambda: weft.import_wisdom((b"", b"", b"")), "forget_wisdom": weft.forget_wisdom,
        "Distribution": lambda: weft.Distribution((6, 8), (slice(0, 6), slice(0, 8))),
        "on_grid": lambda: weft.Distribution.on_grid(grid, (6, 8, 8)), "set_backend": lambda: weft.set_backend(None),
        "set_timelimit": lambda: weft.set_timelimit(1), "backends": weft.backends, "version": weft.version}
for what, call in late.items():
    try:
        if call:
            call()
            print(f"wrong: {what} after MPI_Finalize", flush=True)
            wrong += 1
    except weft.Error as error:
        wrong += "after MPI_Finalize" not in str(error) and "has been finalized" not in str(error)
sys.exit(1 if wrong or failed or checks < 100 else 0)
