/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are compiled for AVX2 with FMA, where the processor may have it. */
#ifndef WEFT_AVX2_H
#define WEFT_AVX2_H

#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT_AVX2     __attribute__((target("avx2,fma")))
#define WEFT_HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif

#endif
