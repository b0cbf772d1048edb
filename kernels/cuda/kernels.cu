/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels, whose bodies are in kernels.h. A block of 256 threads moves WEFT_TILE units, four
 * per thread, so that each thread has four loads in flight. If there are more blocks of work than
 * the grid may have, each block of the grid does several, one after the other.
 */
#include <algorithm>
#include "kernels/cuda/inside.h"

#if CUDART_VERSION >= 11070
#define IN_PLACE const __grid_constant__ /* no copy of the argument in local memory */
#else
#define IN_PLACE const
#endif

namespace
{

enum { EACH = WEFT_TILE / WEFT_THREADS };
const uint64_t most_blocks = 1u << 30;

/* Strided copies. */

template <typename unit>
__global__ void __launch_bounds__(WEFT_THREADS)
    copy_lines(IN_PLACE weft_cuda_sweep it, const unit *__restrict__ from, unit *__restrict__ to)
{
    for (uint64_t block = blockIdx.x; block < it.blocks; block += gridDim.x) {
        unit value[EACH];
        int64_t target[EACH];
        uint64_t first = block * WEFT_TILE + threadIdx.x;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            uint64_t item = first + k * WEFT_THREADS;
            int64_t source;
            if (item >= it.items)
                continue;
            weft_locate(&it, item, &source, &target[k]);
            value[k] = from[source];
        }
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (first + k * WEFT_THREADS < it.items)
                to[target[k]] = value[k];
    }
}

template <typename unit>
__global__ void __launch_bounds__(WEFT_THREADS)
    copy_rectangles(IN_PLACE weft_cuda_sweep it, const unit *__restrict__ from,
                    unit *__restrict__ to)
{
    extern __shared__ uint4 memory[];
    unit *slots = (unit *)memory;
    for (uint64_t block = blockIdx.x; block < it.blocks; block += gridDim.x) {
        weft_rectangle r = weft_rectangle_of(&it, block);
        uint32_t slot;
        int64_t place;
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (weft_rectangle_read(&it, &r, threadIdx.x + k * WEFT_THREADS, &slot, &place))
                slots[slot] = from[place];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (weft_rectangle_write(&it, &r, threadIdx.x + k * WEFT_THREADS, &slot, &place))
                to[place] = slots[slot];
        __syncthreads();
    }
}

unsigned grid_of(const weft_cuda_sweep *it)
{
    return (unsigned)std::min(it->blocks, most_blocks);
}

template <typename unit>
void start(const weft_cuda_sweep *it, const void *from, void *to, GPU(Stream_t) stream)
{
    size_t slots = ((size_t)(1 << it->a_bits) + 1) << it->b_bits;
    if (it->tiled)
        copy_rectangles<unit><<<grid_of(it), WEFT_THREADS, slots * sizeof(unit), stream>>>(
            *it, (const unit *)from, (unit *)to);
    else
        copy_lines<unit>
            <<<grid_of(it), WEFT_THREADS, 0, stream>>>(*it, (const unit *)from, (unit *)to);
}

/* Twiddle factors. */

__device__ double2 turn_of(double, int64_t left, uint64_t length)
{
    double2 by;
    sincospi((double)left / (2.0 * (double)length), &by.y, &by.x);
    return by;
}

__device__ float2 turn_of(float, int64_t left, uint64_t length)
{
    float2 by;
    sincospif((float)left / (2.0f * (float)length), &by.y, &by.x);
    return by;
}

template <typename complex> __device__ complex turned(complex by, int quarters, int sign)
{
    complex result = quarters & 2 ? complex{-by.x, -by.y} : by;
    if (quarters & 1)
        result = complex{-result.y, result.x};
    if (sign < 0)
        result.y = -result.y;
    return result;
}

template <typename complex, typename real>
__global__ void __launch_bounds__(WEFT_THREADS)
    multiply(IN_PLACE weft_turns it, complex *__restrict__ array)
{
    for (uint64_t block = blockIdx.x; block < it.sweep.blocks; block += gridDim.x) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            uint64_t item = block * WEFT_TILE + k * WEFT_THREADS + threadIdx.x;
            int64_t place, left;
            if (item >= it.sweep.items)
                continue;
            int quarters = weft_quarters(weft_turn(&it, item, &place), it.length, &left);
            complex by = turned(turn_of(real(), left, it.length), quarters, it.sign);
            complex value = array[place];
            array[place] =
                complex{value.x * by.x - value.y * by.y, value.x * by.y + value.y * by.x};
        }
    }
}

} // namespace

extern "C" GPU(Error_t) weft_cuda_start_copy(const weft_cuda_sweep *sweep, const void *from,
                                             void *to, GPU(Stream_t) stream)
{
    if (sweep->unit == 16)
        start<uint4>(sweep, from, to, stream);
    else if (sweep->unit == 8)
        start<uint2>(sweep, from, to, stream);
    else
        start<unsigned>(sweep, from, to, stream);
    return GPU(GetLastError)();
}

extern "C" GPU(Error_t)
    weft_cuda_start_factors(const weft_turns *turns, void *array, GPU(Stream_t) stream)
{
    if (turns->single)
        multiply<float2, float>
            <<<grid_of(&turns->sweep), WEFT_THREADS, 0, stream>>>(*turns, (float2 *)array);
    else
        multiply<double2, double>
            <<<grid_of(&turns->sweep), WEFT_THREADS, 0, stream>>>(*turns, (double2 *)array);
    return GPU(GetLastError)();
}

extern "C" GPU(Error_t) weft_cuda_kernels_fit(void)
{
    GPU(FuncAttributes) attributes;
    return GPU(FuncGetAttributes)(&attributes, (const void *)copy_lines<uint4>);
}
