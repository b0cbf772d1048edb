# SPDX-License-Identifier: BSD-3-Clause
# To be laid into a repository of one's own (spack repo create) as packages/weft/package.py. The URL is where who publishes
# the tarball of `make dist` puts it; its version then gets the tarball's sha256. From a tree at hand, without either:
# spack dev-build weft@0.2.0
from spack.package import *


class Weft(AutotoolsPackage):
    """Weft computes Fourier transforms of arrays that are spread over the processes of an MPI program. It takes
    the place of FFTW's MPI library, with the same functions; the serial transforms stay FFTW's work."""

    homepage = "https://example.org/weft"
    url = "https://example.org/weft/weft-0.2.0.tar.xz"

    license("BSD-3-Clause")

    version("0.2.0")

    variant("openmp", default=True, description="Threads inside the passes of a process")
    variant("shared", default=True, description="Shared libraries, which those under FFTW's names need, too")
    variant("static", default=True, description="Static libraries")
    variant("flat", default=False, description="FFTW's names straight in lib and include")
    variant("cuda", default=False, description="Arrays on a GPU: libweft-cuda")
    conflicts("+cuda~shared", msg="libweft-cuda is a shared library")
    variant(
        "precision",
        values=("double", "float", "long_double"),
        default="double,float,long_double",
        multi=True,
        description="Libraries for these; that for double there always is",
    )
    conflicts("~shared~static", msg="one of +shared and +static is needed")

    # Only FFTW, and no other library with its interface: programs run plans of Weft by calling FFTW's fftw_execute. Weft does
    # not provide fftw-api, because it uses FFTW's serial transforms.
    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("mpi@3:")
    depends_on("fftw@3.3:")
    depends_on("cuda@11:", when="+cuda")
    for _precision in ("float", "long_double"):
        depends_on("fftw precision=" + _precision, when="precision=" + _precision)

    # A tree that is no tarball has no configure yet.
    depends_on("autoconf", type="build")
    depends_on("automake@1.14:", type="build")
    depends_on("libtool", type="build")

    # make check needs it, and programs of several ranks; make installcheck does not.
    depends_on("check", type="test")
    depends_on("pkgconfig", type="test")

    def configure_args(self):
        args = ["MPICC=" + self.spec["mpi"].mpicc, "--with-fftw=" + self.spec["fftw"].prefix]
        args += self.enable_or_disable("openmp")
        args += self.enable_or_disable("shared")
        args += self.enable_or_disable("static")
        args += self.enable_or_disable("flat")
        args += self.with_or_without("cuda", activation_value="prefix")
        for precision in ("float", "long_double"):
            wanted = self.spec.satisfies("precision=" + precision)
            args.append("--{0}-{1}".format("enable" if wanted else "disable", precision.replace("_", "-")))
        return args

    @property
    def libs(self):
        letters = {"double": "", "float": "f", "long_double": "l"}
        wanted = [p for p in letters if p == "double" or self.spec.satisfies("precision=" + p)]
        names = ["libweft" + letters[p] for p in (self.spec.last_query.extra_parameters or wanted) if p in wanted]
        return find_libraries(names, root=self.prefix, shared=self.spec.satisfies("+shared"), recursive=True)

    @property
    def headers(self):
        folder = self.prefix.include if self.spec.satisfies("+flat") else self.prefix.include.weft
        return find_headers(["weft", "fftw3-mpi"], folder)
