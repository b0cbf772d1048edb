/* SPDX-License-Identifier: BSD-3-Clause */
/* main of the test programs. The fuzzer has another main, and links the harness without this file.
 */
#include "tests/mpi/harness.h"

int main(int argc, char **argv)
{
    return harness_run(argc, argv);
}
