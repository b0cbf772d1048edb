# SPDX-License-Identifier: BSD-3-Clause
"""Weft's transforms of arrays that are spread over the ranks of an MPI program, for numpy and mpi4py.

A plan knows the part of the array that this rank has, and has memory for it. On all ranks:

>>> import numpy as np
>>> from mpi4py import MPI
>>> import weft
>>> whole = np.arange(480.).reshape(8, 6, 10)        # (as an example; real programs have no such array)
>>> plan = weft.Plan(whole.shape, "r2c", comm=MPI.COMM_WORLD, flags=("FFTW_ESTIMATE",))
>>> plan.input_array[...] = whole[plan.input_slices]
>>> spectrum = plan()
>>> spectrum.shape == plan.output.local_shape
True
>>> bool(np.allclose(spectrum, np.fft.rfftn(whole)[plan.output_slices]))
True

Or as with numpy, on arrays that know their layout. Each call makes a plan:

>>> a = weft.array(whole, grid=weft.Grid(MPI.COMM_WORLD, 2))
>>> b = weft.irfftn(weft.rfftn(a), last=10)
>>> bool(np.allclose(b, a))
True

Names are the same as in pyFFTW where it has them. All ranks of the communicator must together make plans, grids and
distributions, run plans, and call the functions above. If a plan cannot be made, weft.Error is raised on all of them, with
Weft's error text. As in every MPI program, an exception that only one rank does not catch leaves the others waiting:
`mpiexec -n 4 python3 -m mpi4py program.py` ends them. A plan ends with its last reference. Do not use plans after
MPI_Finalize, nor the arrays of plans on grids, whose memory is freed then.
"""
import copy
import ctypes
import json
import os
import sys
import warnings
import weakref

import numpy as np
from mpi4py import MPI

__all__ = ["Array", "Distribution", "Error", "Grid", "Layout", "Operator", "Plan", "Redistribution", "array", "backends", "empty",
           "empty_aligned", "export_wisdom", "fftn", "forget_wisdom", "ifftn", "import_wisdom", "irfftn", "rfftn",
           "set_backend", "set_timelimit", "version", "zeros"]

FLAGS = {"FFTW_MEASURE": 0, "FFTW_DESTROY_INPUT": 1 << 0, "FFTW_UNALIGNED": 1 << 1, "FFTW_CONSERVE_MEMORY": 1 << 2,
         "FFTW_EXHAUSTIVE": 1 << 3, "FFTW_PRESERVE_INPUT": 1 << 4, "FFTW_PATIENT": 1 << 5, "FFTW_ESTIMATE": 1 << 6,
         "FFTW_WISDOM_ONLY": 1 << 21, "FFTW_MPI_TRANSPOSED_IN": 1 << 29, "FFTW_MPI_TRANSPOSED_OUT": 1 << 30,
         "WEFT_FFTW_BLOCKS": 1 << 24, "WEFT_REVERSED": 1 << 25, "WEFT_SAME_LAYOUT": 1 << 26,
         "WEFT_EITHER_ORDER": 1 << 28, "WEFT_TRANSPOSED_IN": 1 << 29, "WEFT_TRANSPOSED_OUT": 1 << 30}
UNPADDED = 1 << 23
KINDS = {name: number for number, name in enumerate(
    "FFTW_R2HC FFTW_HC2R FFTW_DHT FFTW_REDFT00 FFTW_REDFT01 FFTW_REDFT10 FFTW_REDFT11 "
    "FFTW_RODFT00 FFTW_RODFT01 FFTW_RODFT10 FFTW_RODFT11".split())}
KINDS.update({name: 64 + number for number, name in enumerate(
    "WEFT_NONE WEFT_DFT_FORWARD WEFT_DFT_BACKWARD WEFT_DFT_R2C WEFT_DFT_C2R WEFT_R2R".split())})
DIRECTIONS = {"FFTW_FORWARD": -1, "FFTW_BACKWARD": 1}


class Error(RuntimeError):
    """An error of Weft, with its text."""


# ---------------------------------------------------------------------------------------------------- the libraries

_COMM = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
_SIZE = ctypes.c_ssize_t
_TYPES = {"v": None, "p": ctypes.c_void_p, "i": ctypes.c_int, "u": ctypes.c_uint, "n": _SIZE, "z": ctypes.c_size_t,
          "c": _COMM, "s": ctypes.c_char_p, "d": ctypes.c_double, "N": ctypes.POINTER(_SIZE),
          "I": ctypes.POINTER(ctypes.c_int)}
# What a function returns, and takes; X is FFTW's prefix, W is Weft's.
_FUNCTIONS = {
    "X_malloc": "pz", "X_free": "vp", "X_destroy_plan": "vp", "X_execute": "vp", "X_mpi_init": "v",
    "X_export_wisdom_to_string": "p", "X_import_wisdom_from_string": "is", "X_forget_wisdom": "v",
    "X_mpi_gather_wisdom": "vc", "X_mpi_broadcast_wisdom": "vc",
    "X_mpi_execute_dft": "vppp", "X_mpi_execute_dft_r2c": "vppp", "X_mpi_execute_dft_c2r": "vppp",
    "X_mpi_execute_r2r": "vppp",
    "X_mpi_local_size_many_transposed": "niNnnncNNNN", "X_mpi_local_size_many_1d": "nnnciuNNNN",
    "X_mpi_plan_many_dft": "piNnnnppciu", "X_mpi_plan_many_dft_r2c": "piNnnnppcu",
    "X_mpi_plan_many_dft_c2r": "piNnnnppcu", "X_mpi_plan_many_r2r": "piNnnnppcIu",
    "W_version": "s", "W_last_error": "s", "W_backend_name": "si", "W_backend_about": "si", "W_set_backend": "is",
    "W_set_timelimit": "vd", "W_plan_report": "ipp", "W_plan_report_json": "ipp",
    "W_grid_create": "pciI",
    "W_grid_create_column_major": "pciI", "W_grid_column_major": "ip", "W_grid_free": "vp", "W_grid_dims": "ipI", "W_grid_tune": "pciiNniu",
    "W_local_size": "niNnpiuNNNN", "W_alloc_real": "pnc", "W_free": "vp", "W_plan_many_kinds": "piNnpppIu",
    "W_plan_fields": "piNNnnpppIppcu",
    "W_distribution_grid": "ppiNIu", "W_distribution_boxes": "pciNNN", "W_distribution_free": "vp",
    "W_distribution_box": "npiNN", "W_plan_redistribute": "pppnppu"}
_PRECISIONS = {"f4": "f", "f8": "", "c8": "f", "c16": ""}
if np.dtype("g").itemsize > 8 and np.dtype("g").itemsize == ctypes.sizeof(ctypes.c_longdouble):
    _PRECISIONS.update({np.dtype("g").str[1:]: "l", np.dtype("G").str[1:]: "l"})
# `make install` fills in the folder of the libraries, and the suffix of their names.
_LIBDIR = ""
_SUFFIX = ""
_libc = ctypes.CDLL(None)
_libraries = {}


def _mpi_of(library):
    """The address of the MPI_Get_library_version that a library calls, and the version."""
    function = library.MPI_Get_library_version
    text, length = ctypes.create_string_buffer(10000), ctypes.c_int()
    function(text, ctypes.byref(length))
    return ctypes.cast(function, ctypes.c_void_p).value, text.value.decode(errors="replace").split("\n")[0].strip()


def _folders():
    """Folders to search for the libraries, in this order; "" is the search path of the dynamic loader."""
    named = os.environ.get("WEFT_LIBDIR") or _LIBDIR
    return [named] if named else [os.path.join(sys.prefix, "lib"), "", "/usr/local/lib"]


def _load(letter):
    """The library of one precision, and its path."""
    name = f"libweft{letter}.so.0"
    suffix = _SUFFIX or {"MPICH": "-mpich", "Open MPI": "-openmpi"}.get(MPI.get_vendor()[0], "")
    why = ""
    for folder in _folders():
        for path in (os.path.join(folder, f"libweft{letter}{suffix}.so.0"), os.path.join(folder, name)):
            try:
                return ctypes.CDLL(path), path
            except OSError as failure:
                why = f"; {failure}" if os.path.exists(path) else why
    places = ", ".join(folder or "the folders of the dynamic loader" for folder in _folders())
    raise ImportError(f"{name} is not in {places}{why}; set WEFT_LIBDIR to its folder")


class _Library:
    """libweft of one precision. Its functions are attributes, such as `X_malloc` and `W_version`."""

    def __init__(self, letter):
        self.library, path = _load(letter)
        (own, ours), (other, theirs) = _mpi_of(self.library), _mpi_of(ctypes.CDLL(MPI.__file__))
        if own != other:
            raise ImportError(f"{path} was built for another MPI ({ours}) than mpi4py ({theirs}); set WEFT_LIBDIR to "
                              "the folder of a Weft for the MPI of mpi4py, or install an mpi4py for the MPI of Weft")
        self.letter = letter
        self.real = np.dtype({"f": "f4", "": "f8", "l": "g"}[letter])
        self.complex = np.dtype({"f": "c8", "": "c16", "l": "G"}[letter])
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(self.library, name.replace("X", "fftw" + letter).replace("W", "weft" + letter))
            function.restype, function.argtypes = _TYPES[result], [_TYPES[a] for a in arguments]
            setattr(self, name, function)
        self.X_mpi_init()

    def failed(self, what):
        why = self.W_last_error().decode(errors="replace")
        return Error(f"{what}: {why or 'Weft says no more'}")


def _check_mpi():
    """Raises an error if MPI cannot be called; MPI would end the program."""
    if not MPI.Is_initialized():
        raise Error("MPI is not initialized; call MPI.Init first")
    if MPI.Is_finalized():
        raise Error("MPI has been finalized; call this before MPI.Finalize")


def _library(letter=""):
    _check_mpi()
    if letter not in _libraries:
        _libraries[letter] = _Library(letter)
    return _libraries[letter]


def _library_for(dtype):
    dtype = np.dtype(dtype)
    letter = _PRECISIONS.get(dtype.str[1:]) if dtype.isnative else None
    if letter is None:
        raise TypeError(f"the type is {dtype}; it must be single, double or long double, real or complex")
    return _library(letter)


def _available():
    """The libraries of all installed precisions."""
    found = []
    for letter in ("", "f", "l"):
        try:
            found.append(_library(letter))
        except ImportError:
            if letter == "":
                raise
    return found


def _handle(comm):
    """A communicator as C has it: a number with MPICH, a pointer with Open MPI."""
    return _COMM.from_address(MPI._addressof(comm))


def _communicator(comm):
    _check_mpi()
    comm = MPI.COMM_WORLD if comm is None else comm
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is {comm!r}; it must be a communicator of mpi4py")
    if comm == MPI.COMM_NULL or comm.Is_inter():
        raise ValueError("comm must be an intracommunicator, and not MPI.COMM_NULL")
    return comm


def _together(comm, work, same=None):
    """Calls `work`. Raises an exception on all ranks if `work` fails on one, or if `same` differs between ranks."""
    _check_mpi()
    result = failure = None
    try:
        result = work()
    except (Error, ImportError, MemoryError, OverflowError, TypeError, ValueError) as caught:
        failure = caught
    answers = comm.allgather((failure and f"{type(failure).__name__}: {failure}", repr(same)))
    if failure:
        raise failure
    for rank, (sentence, words) in enumerate(answers):
        if sentence:
            raise Error(f"rank {rank} failed: {sentence}")
        if words != answers[0][1]:
            raise Error(f"ranks ask for different things: rank 0 for {answers[0][1]}, rank {rank} for {words}")
    return result


def _whole(values, what, least, most):
    """Checks integers and their bounds; C would truncate larger numbers."""
    try:
        numbers = tuple(int(v) if v == int(v) else None for v in values)
    except (OverflowError, TypeError, ValueError):
        numbers = (None,)
    if not numbers or None in numbers or min(numbers) < least or max(numbers) > most:
        raise ValueError(f"{what} is {values!r}; it must be a sequence of whole numbers from {least} to {most}")
    return numbers


_MOST = (1 << 8 * ctypes.sizeof(_SIZE) - 1) - 1


def _sizes(values, what="shape"):
    return _whole(values, what, 1, _MOST)


def _array_of(ctype, values):
    return (ctype * max(len(values), 1))(*values)


def _flag_bits(flags, grid):
    bits = 0
    for flag in (flags,) if isinstance(flags, str) else flags:
        if flag not in FLAGS:
            raise ValueError(f"there is no flag {flag!r}; the flags are {', '.join(FLAGS)}")
        if flag.startswith("WEFT_") and grid is None or flag.startswith("FFTW_MPI_") and grid is not None:
            raise ValueError(f"{flag} is for {'plans on grids' if grid is None else 'slabs'} only")
        bits |= FLAGS[flag]
    return bits


# ----------------------------------------------------------------------------------------------- memory and arrays

def _release(function, address, at_any_time):
    if at_any_time or not MPI.Is_finalized():
        function(address)


def _owned(owner, function, address, at_any_time=False, at_exit=True):
    """Frees an address when its owner is garbage collected, but not after MPI_Finalize."""
    finalizer = weakref.finalize(owner, _release, function, address, at_any_time)
    finalizer.atexit = at_exit
    return finalizer


class _Memory:
    """Aligned memory of the library. It exists as long as an array in it. With a communicator, all ranks of a node can
    access it."""

    def __init__(self, library, nbytes, comm=None):
        self.nbytes = nbytes
        if comm is None:
            self.address, free = library.X_malloc(max(nbytes, 16)), library.X_free
        else:
            self.address, free = library.W_alloc_real(-(-nbytes // library.real.itemsize), _handle(comm)), library.W_free
        if not self.address:
            raise MemoryError(f"there is no memory for {nbytes} bytes")
        _owned(self, free, self.address, at_any_time=comm is None, at_exit=False)
        self.__array_interface__ = {"version": 3, "shape": (max(nbytes, 16),), "typestr": "|u1",
                                    "data": (self.address, False)}

    def array(self, layout, dtype):
        rows = layout.local_shape[:layout.axes - 1] + (layout.row,) + layout.local_shape[layout.axes:]
        whole = np.ndarray(rows, dtype, buffer=np.asarray(self)).view(Array)
        last = (slice(None),) * (layout.axes - 1) + (slice(0, layout.local_shape[layout.axes - 1]),)
        array = whole[last]
        array.layout = layout
        return array


def _room(array):
    """The bytes from the first element of an array to the end of its memory."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    return root.__array_interface__["data"][0] + root.nbytes - array.__array_interface__["data"][0]


def _address(array):
    return array.__array_interface__["data"][0]


def empty_aligned(shape, dtype="complex128"):
    """A local array of this rank, aligned for FFTW.

    >>> empty_aligned((3, 4), "float32").shape
    (3, 4)
    """
    dtype, shape = np.dtype(dtype), _sizes((shape,) if np.isscalar(shape) else shape)
    memory = _Memory(_library_for(dtype), int(np.prod(shape)) * dtype.itemsize)
    return np.ndarray(shape, dtype, buffer=np.asarray(memory))


class Layout:
    """The part of a distributed array that each rank has.

    comm, grid       the ranks; grid is None for slabs
    shape            of the whole array
    start, count     the part of this rank, for each axis
    order            the order of the axes in memory
    first            on grids: no grid dimension divides the first axis, instead of the last
    howmany          numbers of each point, as an additional last axis; or None
    """

    def __init__(self, comm, grid, shape, start, count, order=None, first=False, howmany=None, row=None, blocks=(0, 0)):
        self.comm, self.grid, self.shape, self.howmany, self.first = comm, grid, tuple(shape), howmany, first
        self.start, self.count, self.blocks = tuple(start), tuple(count), tuple(blocks)
        self.axes = len(self.shape)
        self.order = tuple(range(self.axes)) if order is None else tuple(order)
        self.row = self.local_shape[self.axes - 1] if row is None else row  # numbers of a row, with padding

    @property
    def slices(self):
        """This rank's part, as slices of the whole array, in the order of the whole array's axes."""
        return tuple(slice(s, s + c) for s, c in zip(self.start, self.count))

    @property
    def local_shape(self):
        """The shape of this rank's array, with the axes in the order of memory."""
        return tuple(self.count[a] for a in self.order) + (() if self.howmany is None else (self.howmany,))

    @property
    def numbers(self):
        return int(np.prod(self.local_shape[:self.axes - 1] + (self.row, self.howmany or 1)))

    def local(self, whole):
        """This rank's part of a whole array, with the axes in the order of memory."""
        part = np.asarray(whole)[self.slices]
        return part.transpose(self.order + tuple(range(self.axes, part.ndim)))

    def __repr__(self):
        return f"<weft.Layout {self.slices} of {self.shape}>"


class Array(np.ndarray):
    """This rank's part of a distributed array: a numpy array with a `layout`. Arithmetic keeps the layout; in views of a
    part it is None."""

    def __array_finalize__(self, of):
        layout = getattr(of, "layout", None)
        new = self.base is None and layout is not None and layout.local_shape == self.shape
        self.layout = layout if new else None

    def __array_wrap__(self, made, context=None, *more):
        made = super().__array_wrap__(made, context, *more)
        if isinstance(made, Array) and self.layout is not None and made.shape == self.shape:
            made.layout = self.layout
        return made

    def _whole_layout(self, what="this"):
        if self.layout is None:
            raise TypeError(f"{what} needs the whole array of a rank, not a view of a part")
        return self.layout

    @property
    def slices(self):
        """This part, as slices of the whole array."""
        return self._whole_layout().slices

    @property
    def global_shape(self):
        return self._whole_layout().shape

    def gather(self, root=0):
        """The whole array on rank `root`, None on others. It is slow; use it for tests and pictures."""
        layout = self._whole_layout("gather")
        parts = layout.comm.gather((layout.slices, np.asarray(self)), root)
        if parts is None:
            return None
        whole = np.empty(layout.shape + self.shape[layout.axes:], self.dtype)
        for slices, part in parts:
            whole[slices] = part.transpose(tuple(np.argsort(layout.order)) + tuple(range(layout.axes, part.ndim)))
        return whole


class _Copied:
    """copy.copy returns the object itself. Another object would go on after the memory of this one is freed."""

    def __copy__(self):
        return self


class Grid(_Copied):
    """A process grid. Weft chooses dimensions that are 0: Grid(comm, 2), Grid(comm, (2, 0)).

    From rank to rank the last dimension varies fastest (order="C", as in numpy), or the first (order="F").

    >>> Grid(MPI.COMM_SELF, 2).dims
    (1, 1)
    """

    def __init__(self, comm=None, dims=2, order="C"):
        self.comm, self._addresses, self.order = _communicator(comm), {}, order

        def prepare():
            if isinstance(dims, int):
                chosen = (0,) * _whole((dims,), "dims", 1, 30)[0]
            else:
                chosen = _whole(dims, "dims", 0, (1 << 31) - 1)
            if order not in ("C", "F"):
                raise ValueError(f'order is {order!r}; it must be "C" or "F"')
            return _library(), chosen

        library, chosen = _together(self.comm, prepare, (dims, order))
        self._keep(library, self._create(library, chosen), f"no grid {dims}")

    def _create(self, library, dims):
        create = library.W_grid_create_column_major if self.order == "F" else library.W_grid_create
        return create(_handle(self.comm), len(dims), _array_of(ctypes.c_int, dims))

    def _keep(self, library, address, what):
        if not address:
            raise library.failed(what)
        _owned(self, library.W_grid_free, address)
        self._addresses[library.letter] = address
        self.order = "F" if library.W_grid_column_major(address) else "C"
        dims = (ctypes.c_int * 64)()
        self.dims = tuple(dims[:library.W_grid_dims(address, dims)])

    def address(self, library):
        """The grid of one library. The first call, by all ranks together, makes it."""
        if library.letter not in self._addresses:
            self._keep(library, self._create(library, self.dims), f"no grid {self.dims}")
        return self._addresses[library.letter]

    @classmethod
    def tune(cls, shape, kind="c2c", comm=None, dimensions=2, howmany=None, flags=("FFTW_MEASURE",), dtype="f8"):
        """Times grids and returns the fastest for this transform; with "WEFT_EITHER_ORDER" also in order "F"."""
        self = cls.__new__(cls)
        self.comm, self._addresses = _communicator(comm), {}
        kinds = {"c2c": 65, "r2c": 67, "c2r": 68, "r2r": 69}

        def prepare():
            if kind not in kinds:
                raise ValueError(f"kind is {kind!r}; it must be one of {', '.join(kinds)}")
            _whole((dimensions,), "dimensions", 1, 30)
            many = 1 if howmany is None else _sizes((howmany,), "howmany")[0]
            return _library_for(dtype), _sizes(shape), _flag_bits(flags, self), many

        library, n, bits, many = _together(self.comm, prepare, (shape, kind, dimensions, howmany, flags, dtype))
        self._keep(library, library.W_grid_tune(_handle(self.comm), dimensions, len(n), _array_of(_SIZE, n),
                                                many, kinds[kind], bits), "no grid")
        return self

    def __repr__(self):
        return f"<weft.Grid {'x'.join(map(str, self.dims))}{', order F' if self.order == 'F' else ''}>"


# ------------------------------------------------------------------------------------------------------------ plans

class _Planned(_Copied):
    """A plan with its two arrays."""

    def _keep(self, library, comm, plan, what):
        if not plan:
            raise library.failed(what)
        self._library, self.comm, self._plan = library, comm, plan
        self._destroyed = _owned(self, library.X_destroy_plan, plan)

    def _alive(self):
        if MPI.Is_finalized():
            raise Error("the plan cannot run after MPI_Finalize")
        if not self._destroyed.alive:
            raise Error("the plan was destroyed")

    def destroy(self):
        """Frees the plan now, instead of with its last reference."""
        self._destroyed()

    @property
    def input_array(self):
        """This rank's part of the input; the plan reads it."""
        return self._input_array

    @property
    def output_array(self):
        return self._output_array

    @property
    def input_slices(self):
        """This rank's part of the input, as slices of the whole array."""
        return self.input.slices

    @property
    def output_slices(self):
        return self.output.slices

    def report(self, as_json=False):
        """The report of the plan: its steps on this rank, who chose them, other candidates. Text, or the JSON as a dict."""
        self._alive()
        function = self._library.W_plan_report_json if as_json else self._library.W_plan_report
        text, length = ctypes.c_void_p(), ctypes.c_size_t()
        _libc.open_memstream.restype = ctypes.c_void_p
        file = ctypes.c_void_p(_libc.open_memstream(ctypes.byref(text), ctypes.byref(length)))
        if not file:
            raise MemoryError("there is no memory for a report")
        done = function(self._plan, file)
        _libc.fclose(file)
        report = ctypes.string_at(text, length.value).decode(errors="replace")
        _libc.free(text)
        if not done:
            raise self._library.failed("no report")
        return json.loads(report) if as_json else report


class Plan(_Planned):
    """A transform of a distributed array.

    shape            of the whole array; for "r2c" and "c2r", of the real array
    kind             "c2c", "r2c", "c2r", or one of FFTW's r2r kinds for each axis ("FFTW_RODFT00"); on grids also the kinds of
                     weft_plan_many_kinds: "WEFT_NONE", "WEFT_DFT_FORWARD", ...
    comm or grid     a communicator, for FFTW's slabs over all its ranks; or a weft.Grid
    dtype            of either side: "float32" and "complex64" are single precision
    direction        for "c2c": "FFTW_FORWARD" or "FFTW_BACKWARD"
    flags            names of FFTW's and Weft's flags: FFTW_MPI_TRANSPOSED_OUT on slabs, WEFT_TRANSPOSED_OUT on grids
    howmany          numbers of each point, as an additional last axis
    blocks           for slabs: indices of axis 0 on each rank (and of axis 1, where it is divided); 0: an even division
    inplace          input and output share their memory
    input_array, output_array   arrays to use, for example the arrays of another plan; by default the plan makes them
    normalise_idft   whether a call divides the result of a backward transform by N

    >>> plan = Plan((4, 6), flags=("FFTW_ESTIMATE",), comm=MPI.COMM_SELF)
    >>> plan.input_array[...] = 1
    >>> plan()[0, 0].real.item()
    24.0
    """

    def __init__(self, shape, kind="c2c", *, comm=None, grid=None, dtype="complex128", direction="FFTW_FORWARD",
                 flags=("FFTW_MEASURE",), howmany=None, blocks=(0, 0), inplace=False, input_array=None,
                 output_array=None, normalise_idft=True):
        if grid is not None and not isinstance(grid, Grid):
            raise TypeError(f"grid is {grid!r}; it must be a weft.Grid")
        comm = _communicator(comm if grid is None else grid.comm)
        self.grid, self.kind, self.direction, self.flags = grid, kind, direction, flags
        self.inplace, self.normalise_idft = bool(inplace), normalise_idft

        library = _together(comm, lambda: _library_for(dtype), (shape, kind, np.dtype(dtype).str, direction, flags, howmany,
                                                                blocks, inplace, grid))
        if grid is not None:
            grid.address(library)

        def prepare():
            self.shape, self.bits = _sizes(shape), _flag_bits(flags, grid)
            self.howmany = None if howmany is None else _sizes((howmany,), "howmany")[0]
            self.blocks = _whole(blocks, "blocks", 0, _MOST)
            if len(self.blocks) != 2:
                raise ValueError(f"blocks is {blocks!r}; it must be two numbers")
            self._read_kind()
            lay = self._lay_slabs if grid is None else self._lay_on_grid
            numbers = lay(library, comm)
            if numbers <= 0:
                raise library.failed(f"no sizes for {self.shape}")
            self._bytes = numbers * (library.real if self.family == "r2r" else library.complex).itemsize
            self._dtypes = (library.real if self.family in ("r2c", "r2r") else library.complex,
                            library.real if self.family in ("c2r", "r2r") else library.complex)
            self._finish_sides()

        _together(comm, prepare)
        self._make_arrays(library, comm, input_array, output_array)
        self._keep(library, comm, self._make_plan(library, comm), f"no plan for {self.shape}, {kind}")

    def _finish_sides(self):
        pass

    def _read_kind(self):
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction is {self.direction!r}; it must be FFTW_FORWARD or FFTW_BACKWARD")
        axes = len(self.shape)
        backward = self.direction == "FFTW_BACKWARD"
        if isinstance(self.kind, str):
            dft = {"c2c": "WEFT_DFT_BACKWARD" if backward else "WEFT_DFT_FORWARD", "r2c": "WEFT_DFT_R2C",
                   "c2r": "WEFT_DFT_C2R"}.get(self.kind)
            if dft is None:
                raise ValueError(f'kind is {self.kind!r}; it must be "c2c", "r2c", "c2r", or one of FFTW\'s kinds for each axis')
            rest = {"r2c": "WEFT_DFT_FORWARD", "c2r": "WEFT_DFT_BACKWARD"}.get(self.kind, dft)
            kinds = (rest,) * (axes - 1) + (dft,)
        else:
            kinds = tuple(self.kind)
            wrong = [k for k in kinds if k not in KINDS or k == "WEFT_R2R"]
            if wrong or len(kinds) != axes:
                raise ValueError(f"kind must name one of {', '.join(KINDS)} for each of {axes} axes, not {list(kinds)}")
            if self.grid is None and any(k.startswith("WEFT_") for k in kinds):
                raise ValueError("WEFT_ kinds need a grid")
        self.kinds = kinds
        self.family = {"WEFT_DFT_R2C": "r2c", "WEFT_DFT_C2R": "c2r"}.get(kinds[-1]) or (
            "c2c" if any("_DFT_" in k for k in kinds) else "r2r")
        self.backward = self.family == "c2r" or "WEFT_DFT_BACKWARD" in kinds

    @property
    def N(self):
        """The factor of a transform followed by its inverse."""
        def factor(kind, n):
            if kind == "WEFT_NONE":
                return 1
            if "_DFT_" in kind or kind in ("FFTW_R2HC", "FFTW_HC2R", "FFTW_DHT"):
                return n
            return 2 * (n - (kind == "FFTW_REDFT00") + (kind == "FFTW_RODFT00"))
        product = 1
        for kind, n in zip(self.kinds, self.shape):
            product *= factor(kind, n)
        return product

    def _side_shapes(self):
        """The shapes of the whole array before and after the transform."""
        halved = self.shape[:-1] + (self.shape[-1] // 2 + 1,)
        return (halved if self.family == "c2r" else self.shape), (halved if self.family == "r2c" else self.shape)

    def _lay_slabs(self, library, comm):
        axes, n = len(self.shape), list(self.shape)
        transposed = [bool(self.bits & FLAGS["FFTW_MPI_TRANSPOSED_" + side]) for side in ("IN", "OUT")]
        half = self.family in ("r2c", "c2r")
        local = (_SIZE * 4)()
        at = [ctypes.cast(ctypes.addressof(local) + i * ctypes.sizeof(_SIZE), ctypes.POINTER(_SIZE)) for i in range(4)]
        if axes == 1 and self.family != "c2c":
            raise ValueError("kind must be c2c for an array of one axis")
        if axes == 1 and self.blocks != (0, 0):
            raise ValueError("blocks cannot be given for an array of one axis")
        if axes == 1:
            numbers = library.X_mpi_local_size_many_1d(n[0], self.howmany or 1, _handle(comm), DIRECTIONS[self.direction],
                                                       self.bits, *at)
            self.input = Layout(comm, None, n, [local[1]], [local[0]], howmany=self.howmany, blocks=self.blocks)
            self.output = Layout(comm, None, n, [local[3]], [local[2]], howmany=self.howmany, blocks=self.blocks)
            return numbers
        if half:
            n[-1] = n[-1] // 2 + 1
        numbers = library.X_mpi_local_size_many_transposed(axes, _array_of(_SIZE, n), self.howmany or 1, *self.blocks,
                                                           _handle(comm), *at)
        sides = []
        for whole, side in zip(self._side_shapes(), (0, 1)):
            real = half and whole == self.shape and (side == 0) == (self.family == "r2c")
            if real and transposed[side] and axes == 2:
                raise ValueError("a real array of two axes cannot be transposed")
            start, count, order = [0] * axes, list(whole), list(range(axes))
            if transposed[side]:
                start[1], count[1], order[:2] = local[3], local[2], [1, 0]
            else:
                start[0], count[0] = local[1], local[0]
            sides.append(Layout(comm, None, whole, start, count, order, howmany=self.howmany, blocks=self.blocks,
                                 row=2 * n[-1] if real else None))
        self.input, self.output = sides
        return numbers

    def _lay_on_grid(self, library, comm):
        axes = len(self.shape)
        if self.blocks != (0, 0):
            raise ValueError("blocks are for slabs only; on a grid use WEFT_FFTW_BLOCKS")
        real = {"r2c": 0, "c2r": 1}.get(self.family)  # the side whose rows are padded in place, and not else
        if real is not None and not self.inplace:
            self.bits |= UNPADDED
        overall = {"c2c": "WEFT_DFT_BACKWARD" if self.backward else "WEFT_DFT_FORWARD", "r2c": "WEFT_DFT_R2C",
                   "c2r": "WEFT_DFT_C2R", "r2r": "WEFT_R2R"}[self.family]
        parts = [(_SIZE * axes)() for _ in range(4)]
        numbers = library.W_local_size(axes, _array_of(_SIZE, self.shape), self.howmany or 1, self.grid.address(library),
                                       KINDS[overall], self.bits, *parts)
        first = [self.backward, not self.backward]
        if self.bits & FLAGS["WEFT_REVERSED"]:
            first.reverse()
        if self.bits & FLAGS["WEFT_SAME_LAYOUT"]:
            first = [False, False]
        if real is not None and self.inplace and first[real]:
            raise ValueError("in place, the last axis of the real side must be whole")
        sides = []
        for side, whole in enumerate(self._side_shapes()):
            order, divided = None, len(self.grid.dims)
            if self.bits & FLAGS["WEFT_TRANSPOSED_" + ("IN", "OUT")[side]]:
                order = list(range(1, divided + 1)) + [0] + list(range(divided + 1, axes))
            sides.append(Layout(comm, self.grid, whole, parts[2 * side + 1], parts[2 * side], order, first[side],
                                 self.howmany, 2 * (whole[-1] // 2 + 1) if self.inplace and side == real else None))
        self.input, self.output = sides
        return numbers

    def _make_arrays(self, library, comm, input_array, output_array):
        given = [array is not None for array in (input_array, output_array)]

        def check():
            for array, what in ((input_array, "input_array"), (output_array, "output_array")):
                why = array is not None and self._unfit(array, what == "output_array")
                if why:
                    raise ValueError(f"{what} {why}")
            if self.inplace and any(given) and (not all(given) or _address(input_array) != _address(output_array)):
                raise ValueError("in place, input_array and output_array must both be given, and have the same address")

        _together(comm, check, f"input_array, output_array: {given}")
        memory = None
        self._input_array, self._output_array = input_array, output_array
        if not given[0]:
            memory = self._memory(library, comm)
            self._input_array = memory.array(self.input, self._dtypes[0])
        if not given[1]:
            memory = memory if self.inplace else self._memory(library, comm)
            self._output_array = memory.array(self.output, self._dtypes[1])

    def _memory(self, library, comm):
        nbytes = max(self._bytes, self.input.numbers * self._dtypes[0].itemsize,
                     self.output.numbers * self._dtypes[1].itemsize)
        return _together(comm, lambda: _Memory(library, nbytes, comm if self.grid is not None else None))

    def _unfit(self, array, output=False):
        """The reason why the plan cannot use an array; None if it can."""
        layout, dtype = (self.output, self._dtypes[1]) if output else (self.input, self._dtypes[0])
        if not isinstance(array, np.ndarray):
            return "is not a numpy array"
        if array.dtype != dtype:
            return f"has the type {array.dtype}; it must be {dtype}"
        if array.shape != layout.local_shape:
            return f"has the shape {array.shape}; on this rank it must be {layout.local_shape}"
        strides, width = [], dtype.itemsize
        memory = list(array.shape[:layout.axes - 1]) + [layout.row] + list(array.shape[layout.axes:])
        for n in reversed(memory):
            strides.insert(0, width)
            width *= n
        if any(n > 1 and a != b for n, a, b in zip(array.shape, array.strides, strides)):
            return f"has the strides {array.strides}; they must be {tuple(strides)}"
        if _address(array) % 16:
            return "is not aligned to 16 bytes; use an array of a plan or of weft.empty_aligned"
        if not array.flags.writeable:
            return "cannot be written"
        if _room(array) < self._bytes:
            return f"has {_room(array)} bytes of memory, but the transform needs {self._bytes}; use an array of a plan"
        return None

    def _make_plan(self, library, comm):
        n, howmany = _array_of(_SIZE, self.shape), self.howmany or 1
        kinds = _array_of(ctypes.c_int, [KINDS[k] for k in self.kinds])
        arrays = _address(self._input_array), _address(self._output_array)
        if self.grid is not None:
            return library.W_plan_many_kinds(len(n), n, howmany, *arrays, self.grid.address(library), kinds, self.bits)
        transposed = [bool(self.bits & FLAGS["FFTW_MPI_TRANSPOSED_" + side]) for side in ("IN", "OUT")]
        begin = (len(n), n, howmany, *(self.blocks[t] for t in transposed), *arrays, _handle(comm))
        if self.family == "c2c":
            return library.X_mpi_plan_many_dft(*begin, DIRECTIONS[self.direction], self.bits)
        if self.family == "r2r":
            return library.X_mpi_plan_many_r2r(*begin, kinds, self.bits)
        return getattr(library, "X_mpi_plan_many_dft_" + self.family)(*begin, self.bits)

    def execute(self):
        """Transforms input_array to output_array without normalising, as FFTW does."""
        self._alive()
        self._library.X_execute(self._plan)

    def __call__(self, input_array=None, output_array=None, normalise_idft=None):
        """Transforms input_array to output_array and returns the output. The defaults are the arrays of the plan.
        Another array must have the shape of this rank's part. The input is not changed."""
        self._alive()
        source, target = self._input_array, self._output_array
        if input_array is not None:
            self._check_shape(input_array, self.input, "input_array")
            source = self._source(input_array)
        if output_array is not None:
            if not isinstance(output_array, np.ndarray):
                raise TypeError("output_array is not a numpy array")
            self._check_shape(output_array, self.output, "output_array")
            if not np.can_cast(self._dtypes[1], output_array.dtype, "same_kind"):
                raise TypeError(f"output_array has the type {output_array.dtype}; it must be {self._dtypes[1]}")
            if self._direct(output_array, True) and not np.may_share_memory(output_array, source):
                target = output_array
        name = "r2r" if self.family == "r2r" else "dft" if self.family == "c2c" else "dft_" + self.family
        getattr(self._library, "X_mpi_execute_" + name)(self._plan, _address(source), _address(target))
        if self.backward and (self.normalise_idft if normalise_idft is None else normalise_idft):
            target /= target.dtype.type(self.N)
        if output_array is None:
            return target
        if target is not output_array:
            output_array[...] = target
        return output_array

    @staticmethod
    def _check_shape(array, layout, what):
        if np.shape(array) != layout.local_shape:
            raise ValueError(f"{what} has the shape {np.shape(array)}; on this rank it must be {layout.local_shape}")

    def _direct(self, array, output=False):
        return self.grid is None and not self.inplace and self._unfit(array, output) is None

    def _source(self, array):
        """The array itself if the plan can read it; otherwise the array of the plan, with the same numbers."""
        destroys = self.family == "c2r" or "FFTW_HC2R" in self.kinds or self.bits & FLAGS["FFTW_DESTROY_INPUT"]
        if array is self._input_array or self._direct(array) and not destroys:
            return array
        if not np.can_cast(np.asarray(array).dtype, self._dtypes[0], "same_kind"):
            raise TypeError(f"input_array has the type {np.asarray(array).dtype}, which cannot be converted to {self._dtypes[0]}")
        self._input_array[...] = array
        return self._input_array

    def __repr__(self):
        over = f"{self.comm.size} ranks" if self.grid is None else repr(self.grid)
        return f"<weft.Plan {self.kind} {'x'.join(map(str, self.shape))} on {over}>"


# -------------------------------------------------------------------------------------------------------- operators

_OPERATOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _SIZE, ctypes.POINTER(_SIZE), ctypes.c_int, ctypes.c_void_p)


class Operator(Plan):
    """Forward transform, operator and inverse transform as one plan. Without `fields` the output is like the input.

    apply    the operator: apply(values, index, axis) changes `values` in place. These are points of the spectrum that follow one
             another along `axis`; `index` is the index of the first one in the whole array. With howmany, values[i] are the
             numbers of a point
    modes    modes of the spectrum along each axis; None: as many as points
    fields   numbers of each point of the output; None: howmany. The operator gets points with the larger of howmany and
             fields, and sets the first `fields`. 0: there is no output, and the plan ends with the operator

    `kind` describes the forward transform. All other arguments are as for Plan. Nothing is scaled. An exception in the
    operator is raised after the run, on the ranks where it occurred.

    >>> plan = Operator((4, 6), lambda values, index, axis: values.__imul__(2 / 24), flags=("FFTW_ESTIMATE",),
    ...                 comm=MPI.COMM_SELF)
    >>> plan.input_array[...] = 1
    >>> plan()[0, 0].real.item()
    2.0
    """

    def __init__(self, shape, apply, kind="c2c", *, modes=None, fields=None, **options):
        self._apply, self._modes, self._raised, self.fields = apply, modes, None, fields
        this = weakref.ref(self)  # a plan ends with its last reference
        self._callback = _OPERATOR(lambda *given: this()._call(*given))
        super().__init__(shape, kind, **options)

    def _finish_sides(self):
        if self.backward or self.blocks != (0, 0):
            raise ValueError("an operator needs the kind of a forward transform, and no blocks")
        modes = None if self._modes is None else _sizes(self._modes, "modes")
        if modes is not None and len(modes) != len(self.shape):
            raise ValueError(f"modes is {self._modes!r}; it must have {len(self.shape)} numbers")
        if self.fields is not None:
            self.fields = _whole((self.fields,), "fields", 0, _MOST)[0]
        self.output, self._modes = copy.copy(self.input), modes
        self.output.howmany = self.howmany if self.fields is None else self.fields
        self._spectrum, self._dtypes = self._dtypes[1], (self._dtypes[0], self._dtypes[0])

    def _call(self, values, count, index, axis, data):
        try:
            each = max(self.howmany or 1, self.fields or 1)
            memory = (ctypes.c_char * (count * each * self._spectrum.itemsize)).from_address(values)
            array = np.frombuffer(memory, self._spectrum)
            self._apply(array if self.howmany is None and self.fields is None else array.reshape(count, each),
                        tuple(index[:len(self.shape)]), axis)
        except BaseException as error:  # C cannot pass it on
            self._raised = self._raised or error

    def _make_plan(self, library, comm):
        n, modes = _array_of(_SIZE, self.shape), self._modes and _array_of(_SIZE, self._modes)
        kinds = _array_of(ctypes.c_int, [KINDS[k] for k in self.kinds])
        return library.W_plan_fields(len(n), n, modes, self.howmany or 1,
                                     (self.howmany or 1) if self.fields is None else self.fields, _address(self._input_array),
                                     _address(self._output_array), self.grid and self.grid.address(library), kinds,
                                     ctypes.cast(self._callback, ctypes.c_void_p), None, _handle(comm), self.bits)

    def _end(self):
        error, self._raised = self._raised, None
        if error is not None:
            raise error

    def execute(self):
        super().execute()
        self._end()

    def __call__(self, input_array=None, output_array=None):
        result = super().__call__(input_array, output_array)
        self._end()
        return result


# --------------------------------------------------------------------------------------------------- redistribution

class Distribution(_Copied):
    """The box of an array that each rank has: slices that each rank chooses, or the boxes of a grid.

    >>> Distribution((4, 6), (slice(0, 4), slice(0, 6)), comm=MPI.COMM_SELF).slices()
    (slice(0, 4, None), slice(0, 6, None))
    """

    def __init__(self, shape, slices, comm=None):
        comm = _communicator(comm)

        def prepare():
            n = _sizes(shape)
            if len(slices) != len(n):
                raise ValueError(f"there are {len(slices)} slices, but {len(n)} axes")
            bounds = [s.indices(size) for s, size in zip(slices, n)]
            if any(step != 1 for _, _, step in bounds):
                raise ValueError("slices must have steps of 1")
            return n, [b[0] for b in bounds], [max(b[1] - b[0], 0) for b in bounds]

        parts = _together(comm, prepare, shape)
        self._begin(comm, parts[0], lambda library: library.W_distribution_boxes(
            _handle(comm), len(parts[0]), *(_array_of(_SIZE, part) for part in parts)))

    @classmethod
    def on_grid(cls, grid, shape, axes=None, flags=()):
        """Dimension i of the grid divides axis axes[i] (or i)."""
        def prepare():
            n = _sizes(shape)
            chosen = _whole(range(len(grid.dims)) if axes is None else axes, "axes", 0, len(n) - 1)
            if len(chosen) != len(grid.dims):
                raise ValueError(f"there are {len(chosen)} axes, but the grid has {len(grid.dims)} dimensions")
            return n, _array_of(ctypes.c_int, chosen), _flag_bits(flags, grid)

        n, chosen, bits = _together(grid.comm, prepare, (shape, axes, flags))
        self = cls.__new__(cls)
        self._begin(grid.comm, n, lambda library: library.W_distribution_grid(
            grid.address(library), len(n), _array_of(_SIZE, n), chosen, bits))
        return self

    def _begin(self, comm, shape, create):
        self.comm, self.shape, self._create, self._addresses = comm, shape, create, {}
        self._library = _together(comm, _library)
        self.address(self._library)

    def address(self, library):
        """The distribution of one library."""
        if library.letter not in self._addresses:
            made = self._create(library)
            if not made:
                raise library.failed("no distribution")
            _owned(self, library.W_distribution_free, made)
            self._addresses[library.letter] = made
        return self._addresses[library.letter]

    def slices(self, rank=None):
        """The part of a rank; by default of this rank."""
        rank = self.comm.rank if rank is None else rank
        if not 0 <= rank < self.comm.size:
            raise ValueError(f"rank is {rank}; it must be from 0 to {self.comm.size - 1}")
        start, count = (_SIZE * len(self.shape))(), (_SIZE * len(self.shape))()
        self._library.W_distribution_box(self._addresses[""], rank, start, count)
        return tuple(slice(s, s + c) for s, c in zip(start, count))


class Redistribution(_Planned):
    """Moves an array from one distribution to another.

    >>> all_of_it = Distribution((2, 3), np.s_[:, :], comm=MPI.COMM_SELF)
    >>> move = Redistribution(all_of_it, all_of_it, dtype="float64")
    >>> float(move(np.ones((2, 3))).sum())
    6.0
    """

    def __init__(self, source, target, dtype="float64", howmany=None, flags=("FFTW_MEASURE",)):
        comm = source.comm

        def prepare():
            library = _library_for(dtype)
            many = None if howmany is None else _sizes((howmany,), "howmany")[0]
            if source.shape != target.shape or comm != target.comm:
                raise ValueError("both distributions must be of the same array and communicator")
            self.input, self.output = (
                Layout(comm, None, d.shape, [s.start for s in d.slices()], [s.stop - s.start for s in d.slices()],
                        howmany=many) for d in (source, target))
            memory = [_Memory(library, h.numbers * np.dtype(dtype).itemsize) for h in (self.input, self.output)]
            self._input_array, self._output_array = (
                m.array(h, dtype) for m, h in zip(memory, (self.input, self.output)))
            return library, (many or 1) * np.dtype(dtype).itemsize // library.real.itemsize, _flag_bits(flags, None)

        library, reals, bits = _together(comm, prepare, (np.dtype(dtype).str, howmany, flags))
        distributions = [d.address(library) for d in (source, target)]
        self._keep(library, comm, library.W_plan_redistribute(*distributions, reals, _address(self._input_array),
                                                              _address(self._output_array), bits), "no plan")

    def __call__(self, input_array=None):
        """Moves input_array (default: the plan's input_array) to the plan's output_array, and returns the latter."""
        self._alive()
        if input_array is not None:
            Plan._check_shape(input_array, self.input, "input_array")
            self._input_array[...] = input_array
        self._library.X_execute(self._plan)
        return self._output_array


# --------------------------------------------------------------------------------------------------- as with numpy

def empty(shape, dtype="complex128", comm=None, grid=None, howmany=None):
    """This rank's part of a distributed array of this shape, in slabs or on a grid, for fftn."""
    if grid is not None and not isinstance(grid, Grid):
        raise TypeError(f"grid is {grid!r}; it must be a weft.Grid")
    comm = _communicator(comm if grid is None else grid.comm)
    plan = Plan.__new__(Plan)
    library = _together(comm, lambda: _library_for(dtype), (shape, np.dtype(dtype).str, grid, howmany))
    if grid is not None:
        grid.address(library)

    def prepare():
        plan.shape, plan.howmany, plan.grid, plan.bits, plan.blocks = _sizes(shape), howmany, grid, 0, (0, 0)
        plan.kind, plan.direction, plan.inplace = "c2c", "FFTW_FORWARD", False
        plan._read_kind()
        if (plan._lay_slabs if grid is None else plan._lay_on_grid)(library, comm) <= 0:
            raise library.failed(f"no sizes for {plan.shape}")
        return _Memory(library, plan.input.numbers * np.dtype(dtype).itemsize)

    return _together(comm, prepare).array(plan.input, np.dtype(dtype))


def zeros(shape, dtype="complex128", comm=None, grid=None, howmany=None):
    """Like `empty`, filled with zeros."""
    made = empty(shape, dtype, comm, grid, howmany)
    made[...] = 0
    return made


def array(whole, dtype=None, comm=None, grid=None):
    """This rank's part of an array that all ranks have."""
    whole = np.asarray(whole)
    dtype = whole.dtype if dtype is None else np.dtype(dtype)
    whole = np.asarray(whole, dtype if dtype.kind in "fc" else "float64")  # may fail, so on all ranks
    made = empty(whole.shape, whole.dtype, comm, grid)
    made[...] = made.layout.local(whole)
    return made


def _transform(a, kind, backward, norm, flags, shape=None):
    if not isinstance(a, Array):
        raise TypeError("the array must be distributed: from weft.empty, weft.array or a plan")
    layout, side = a._whole_layout("a transform"), "FFTW_MPI" if a.layout.grid is None else "WEFT"
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'norm is {norm!r}; it must be "backward", "ortho" or "forward"')
    flags = ((flags,) if isinstance(flags, str) else tuple(flags))
    if layout.order != tuple(range(layout.axes)):
        flags += (side + "_TRANSPOSED_IN",)
    if layout.grid is not None and layout.first != backward:
        flags += ("WEFT_REVERSED",)
    plan = Plan(layout.shape if shape is None else shape, kind, comm=layout.comm, grid=layout.grid, dtype=a.dtype,
                direction="FFTW_BACKWARD" if backward else "FFTW_FORWARD", flags=flags, howmany=layout.howmany,
                blocks=layout.blocks, normalise_idft=False)
    result = plan(a)
    divisor = {"ortho": plan.N ** 0.5, "forward": 1 if backward else plan.N}.get(norm, plan.N if backward else 1)
    if divisor != 1:
        result /= result.dtype.type(divisor)
    return result


def fftn(a, norm=None, flags=("FFTW_ESTIMATE",)):
    """numpy.fft.fftn of all axes of a distributed array. On a grid, no dimension divides the first axis of the result, because
    that is fastest; ifftn accepts this layout."""
    return _transform(a, "c2c", False, norm, flags)


def ifftn(a, norm=None, flags=("FFTW_ESTIMATE",)):
    """numpy.fft.ifftn."""
    return _transform(a, "c2c", True, norm, flags)


def rfftn(a, norm=None, flags=("FFTW_ESTIMATE",)):
    """numpy.fft.rfftn of an array of real numbers."""
    if isinstance(a, Array) and a.dtype.kind == "c":
        raise TypeError("the array of rfftn must be real")
    return _transform(a, "r2c", False, norm, flags)


def irfftn(a, last=None, norm=None, flags=("FFTW_ESTIMATE",)):
    """numpy.fft.irfftn; `last` is the length of the result's last axis (default: 2 * (n - 1), for n here)."""
    if not isinstance(a, Array) or a.layout is None:
        return _transform(a, "c2r", True, norm, flags)
    shape = a.layout.shape
    last = 2 * (shape[-1] - 1) if last is None else last
    if last // 2 + 1 != shape[-1]:
        raise ValueError(f"last is {last}; for a last axis of {shape[-1]} it must be {2 * shape[-1] - 2} or {2 * shape[-1] - 1}")
    return _transform(a, "c2r", True, norm, flags, shape[:-1] + (last,))


# ----------------------------------------------------------------------------------------------- wisdom and settings

def export_wisdom(comm=None):
    """The wisdom of FFTW and Weft of all ranks of comm, as three bytes objects: double, single and long double (b"" if that
    precision is not installed). Returns None on ranks other than 0. All ranks call it together.

    >>> [type(w).__name__ for w in export_wisdom(MPI.COMM_SELF)]
    ['bytes', 'bytes', 'bytes']
    """
    comm, wisdom = _communicator(comm), {}
    for library in _available():
        library.X_mpi_gather_wisdom(_handle(comm))
        text = library.X_export_wisdom_to_string()
        wisdom[library.letter] = ctypes.string_at(text) if text else b""
        _libc.free(ctypes.c_void_p(text))
    return tuple(wisdom.get(letter, b"") for letter in ("", "f", "l")) if comm.rank == 0 else None


def import_wisdom(wisdom, comm=None):
    """Adds wisdom from export_wisdom. All ranks get the wisdom of rank 0. Returns for each precision whether it could be
    read, and warns if not."""
    comm, understood = _communicator(comm), {}

    def check():
        if comm.rank == 0 and (len(wisdom) != 3 or any(not isinstance(w, bytes) for w in wisdom)):
            raise TypeError("wisdom must be three bytes objects, as export_wisdom returns them")
        return _available()

    for library in _together(comm, check):
        text = wisdom[("", "f", "l").index(library.letter)] if comm.rank == 0 else b""
        known = not text or bool(library.X_import_wisdom_from_string(text))
        understood[library.letter] = comm.bcast(known, 0)
        library.X_mpi_broadcast_wisdom(_handle(comm))
    result = tuple(understood.get(letter, False) for letter in ("", "f", "l"))
    if comm.rank == 0 and not all(understood.values()):
        warnings.warn(f"wisdom could not be read (double, single, long double: {result}); planning goes on without it")
    return result


def forget_wisdom():
    for library in _available():
        library.X_forget_wisdom()


def set_backend(names):
    """Sets the backend of later plans: "waitsome", "bruck:4", "alltoallw,auto"; None: the backend in WEFT_BACKEND."""
    for library in _available():
        if not library.W_set_backend(None if names is None else names.encode()):
            raise library.failed("set_backend")


def set_timelimit(seconds):
    """Limits the time of planning, in seconds; None: no limit."""
    for library in _available():
        library.W_set_timelimit(-1 if seconds is None else seconds)


def backends():
    """The names for set_backend, each with a description.

    >>> "pairwise" in backends()
    True
    """
    library, found = _library(), {}
    while library.W_backend_name(len(found)):
        found[library.W_backend_name(len(found)).decode()] = library.W_backend_about(len(found)).decode()
    return found


def version():
    """The version of Weft."""
    return _library().W_version().decode()
