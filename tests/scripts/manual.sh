#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual's programs and commands: the script writes each file of the manual, runs each command, and compares its
# output with the manual, where "..." matches any text. It compiles the prototypes beside weft.h, and the snippets as
# one program on 2 ranks.
. "${srcdir:-.}/tests/scripts/tools.sh"
srcdir=$(cd "$srcdir" && pwd) build=$PWD
stage=$out/stage
mkdir -p $stage/bin $stage/lib/weft $stage/lib/pkgconfig $stage/include/weft $stage/commands
test -n "$MPIEXEC" || skip 'no launcher of MPI programs was found'

# A folder of links, like one that make install fills.
ln -s $build/.libs/libweft* $stage/lib/ && ln -s $build/.libs/libfftw3*_mpi* $stage/lib/weft/ &&
    ln -s "$srcdir"/backends/weft-backend.h $build/*-f08.f03 $stage/include/weft/ &&
    for folder in "$srcdir" $build; do
        for file in "$folder"/api/*.h "$folder"/api/*.f03; do test ! -f "$file" || ln -sf "$file" $stage/include/weft/ || exit; done
    done &&
    ln -s "$FFTW_INCLUDEDIR"/fftw3.* $stage/include/weft/ && ln -s $build/tools/weft-* "$srcdir"/tools/weft-* $stage/bin/ 2>/dev/null
for file in weft*.pc; do
    sed -e "s|^prefix=.*|prefix=$stage|" -e "s|^exec_prefix=.*|exec_prefix=$stage|" -e "s|^libdir=.*|libdir=$stage/lib|" \
        -e "s|^includedir=.*|includedir=$stage/include|" $file >$stage/lib/pkgconfig/$file
done

# Commands as users call them: a compiler and launchers, with the options that this build and this
# machine need.
command=$stage/commands
cat >$command/mpicc <<EOF
#!/bin/sh
exec $CC $INSTRUMENT_CFLAGS $FFTW_CPPFLAGS "\$@" $FFTW_LDFLAGS
EOF
cat >$command/mpiexec <<EOF
#!/bin/sh
libraries=\$LD_PRELOAD
unset LD_PRELOAD
case \$($MPIEXEC --version 2>&1) in
*HYDRA*) libraries=\$libraries\${libraries:+:}$PRELOAD options="-genv LD_PRELOAD \$libraries" ;;
*) options="--oversubscribe \${libraries:+-x LD_PRELOAD=\$libraries}"
   # Open MPI passes only the variables that its options name.
   for name in \$(env | sed -n 's/^\(WEFT_[A-Z]*\)=.*/\1/p; s/^\(LD_LIBRARY_PATH\)=.*/\1/p'); do options="\$options -x \$name"; done
   case " \$* " in *' -bind-to '*) ;; *) options="\$options --bind-to none" ;; esac
   # Without a network Open MPI 5 prints a warning about TCP in each run.
   export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
   export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=^tcp ;;
esac
exec timeout -k 10 ${TIME_LIMIT:-120} $MPIEXEC \$options $MPIEXEC_FLAGS "\$@" </dev/null
EOF
# Slurm's srun, which is not installed: understands only the number of ranks.
cat >$command/srun <<'EOF'
#!/bin/sh
while :; do
    case $1 in
    -n) ranks=$2; shift 2 ;;
    --ntasks=*) ranks=${1#*=}; shift ;;
    -*) shift ;;
    *) exec mpiexec -n "${ranks:-2}" "$@" ;;
    esac
done
EOF
printf '#!/bin/sh\nexec sh "$@"\n' >$command/sbatch
printf '#!/bin/sh\nexec %s %s "$@" %s\n' "$MPIFC" "$INSTRUMENT_CFLAGS" "$FFTW_LDFLAGS" >$command/mpifort
chmod +x $command/*
PATH=$command:$stage/bin:$PATH PREFIX=$stage PKG_CONFIG_PATH=$stage/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PATH PREFIX PKG_CONFIG_PATH
for name in $(env | sed -n 's/^\(WEFT_[A-Z]*\)=.*/\1/p'); do unset $name; done

# A command for a Python that loads this build, which blocks of the manual can require.
mkdir -p $stage/share/weft && ln -s "$srcdir/tools/python" $stage/share/weft/python
WEFT_LIBDIR=$stage/lib PYTHONDONTWRITEBYTECODE=1
export WEFT_LIBDIR PYTHONDONTWRITEBYTECODE
python=$(python_of 'numpy, mpi4py')
if test -z "$INSTRUMENT_CFLAGS" && test -n "$python" &&
    PYTHONPATH=$stage/share/weft/python mpiexec -n 1 "$python" -c 'import weft; weft.version()' 2>/dev/null; then
    printf '#!/bin/sh\nexec %s "$@"\n' "$python" >$command/python3
    chmod +x $command/python3 && ln -s python3 $command/mpi4py
fi

# matches EXPECTED FOUND: whether the files are equal; "..." in the first matches any text.
matches() {
    awk 'NR == FNR { wanted = wanted $0 "\n"; next } { found = found $0 "\n" }
        END { gsub(/[][\\^$.*+?(){}|]/, "\\\\&", wanted)
              gsub(/\\\.\\\.\\\.\n/, "\001", wanted); gsub(/\\\.\\\.\\\./, "[^\n]*", wanted); gsub(/\001/, "[^\001]*", wanted)
              exit found !~ ("^" wanted "$") }' "$1" "$2"
}

# perform FILE: runs commands, and compares their output with the file.
perform() {
    { read -r needs; read -r where; } <"$1"
    case $needs in
    '') ;;
    mpifort) test -n "$MPIFC" || { echo "$where: left out, for there is no Fortran compiler of MPI's"; return 0; } ;;
    *) command -v "$needs" >/dev/null 2>&1 || { echo "$where: left out, for there is no $needs"; return 0; } ;;
    esac
    sed 1,2d "$1" | awk -v to="$1" '
        going && !/^\$ / { print substr($0, 1) >file; going = /\\$/; next }
        /^\$ / { file = to "." ++n; print substr($0, 3) >file; going = /\\$/; printf "" >(to "." n ".wanted"); next }
        { print >(to "." n ".wanted") }'
    step=0
    while step=$((step + 1)); test -f "$1.$step"; do
        sh "$1.$step" >"$1.found" 2>&1 </dev/null
        matches "$1.$step.wanted" "$1.found" || {
            echo "$where: $(cat "$1.$step")"
            echo "prints"
            sed 's/^/    /' "$1.found"
            echo "not, as the manual says,"
            sed 's/^/    /' "$1.$step.wanted"
            return 1
        }
    done
}

# chapters REST: performs the chapters whose number has this rest by 2. Both halves go at a time, because commands
# mostly wait until processes start.
chapters() {
    status=0 chapter_number=0
    for chapter in ${CHAPTERS:-"$srcdir"/doc/*.adoc}; do
        chapter_number=$((chapter_number + 1))
        test $((chapter_number % 2)) -eq $1 || continue
        name=$(basename $chapter .adoc)
        mkdir -p $out/$name
        awk -v OUT=$out/$name -f "$srcdir/doc/blocks" $chapter || status=1
        cd $out/$name || exit 99
        number=1
        while test -f $number.run; do
            perform $number.run || status=1
            number=$((number + 1))
        done
    done
    return $status
}
(chapters 0) >$out/others 2>&1 &
(chapters 1)
status=$?
wait $! || status=1
cat $out/others

functions=$out/functions
if test -f $functions/snippets.h; then
    printf '#include <weft.h>\n#include "prototypes.h"\n' >$functions/prototypes.c
    mpicc -Werror -I$stage/include/weft -c $functions/prototypes.c -o $functions/prototypes.o || fail 'the prototypes differ from weft.h'
    cat >$functions/snippets.c <<'EOF'
#include <fftw3-mpi.h>
#include <stdlib.h>
#include <weft.h>
#define must(what) ((what) ? (void)0 : (fprintf(stderr, "line %d of the snippets: %s: %s\n", __LINE__, #what, weft_last_error()), MPI_Abort(comm, 1), (void)0))
int main(int argc, char **argv)
{
    const ptrdiff_t n[3] = {16, 12, 10};
    const MPI_Comm comm = MPI_COMM_WORLD;
    int rank;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(comm, &rank);
#include "snippets.h"
    MPI_Finalize();
    return 0;
}
EOF
    cd $functions || exit 99
    mpicc -Wall -Wextra -Werror -I$stage/include/weft snippets.c -o snippets -L$stage/lib/weft -Wl,-rpath,$stage/lib/weft \
        -lfftw3_mpi -lfftw3 -lm && mpiexec -n 2 ./snippets >snippets.log 2>&1 || {
        cat snippets.log
        fail 'the snippets of the functions'
    }
fi
exit $status
