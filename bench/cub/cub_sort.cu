// Times CUB's radix sort. Usage: cub_sort DEVICE SAMPLES KIND:LOG..., where KIND is u32, u64,
// u32+u32 or u64+u64, for 2^LOG keys.
//
// The first line is CUB's version; then for each argument a line KIND LOG CHECKSUM with the
// milliseconds of a sort in each sample. Keys and checksums are those of bench/src/sort: who sorts
// the same keys knows by the checksum whether the result is the same.

#include <cub/cub.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    exit(1);
}

template <class Key, class Value>
__global__ void fill(Key* keys, Value* values, uint64_t n) {
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        keys[i] = (Key)(z ^ (z >> 31));
        if (values) values[i] = (Value)i;
    }
}

template <class Word>
uint64_t checksum(uint64_t sum, const Word* words, uint64_t n) {
    std::vector<Word> host(n);
    check(cudaMemcpy(host.data(), words, n * sizeof(Word), cudaMemcpyDeviceToHost));
    for (Word word : host) sum = sum * 0x9e3779b97f4a7c15 + word;
    return sum;
}

template <class Key, class Value>
void measure(const char* kind, int log, int samples, bool pairs) {
    uint64_t n = (uint64_t)1 << log;
    Key *keys, *sorted;
    Value *values = nullptr, *moved = nullptr;
    check(cudaMalloc(&keys, n * sizeof(Key)));
    check(cudaMalloc(&sorted, n * sizeof(Key)));
    if (pairs) {
        check(cudaMalloc(&values, n * sizeof(Value)));
        check(cudaMalloc(&moved, n * sizeof(Value)));
    }
    fill<<<1024, 256>>>(keys, values, n);
    check(cudaGetLastError());
    void* room = nullptr;
    size_t bytes = 0;
    auto sort = [&] {
        if (pairs)
            check(cub::DeviceRadixSort::SortPairs(room, bytes, keys, sorted, values, moved, n));
        else
            check(cub::DeviceRadixSort::SortKeys(room, bytes, keys, sorted, n));
    };
    sort();
    check(cudaMalloc(&room, bytes));
    cudaEvent_t from, to;
    check(cudaEventCreate(&from));
    check(cudaEventCreate(&to));
    auto milliseconds = [&](int times) {
        check(cudaEventRecord(from));
        for (int k = 0; k < times; ++k) sort();
        check(cudaEventRecord(to));
        check(cudaEventSynchronize(to));
        float all;
        check(cudaEventElapsedTime(&all, from, to));
        return all / times;
    };
    milliseconds(1);
    // As long a queue as ours has, so that what events cost vanishes in it.
    double one = std::max<double>(milliseconds(1), 1e-3);
    int times = (int)std::min(std::max(std::ceil(5 / one), 1.0), 4096.0);
    std::vector<float> all(samples);
    for (float& sample : all) sample = milliseconds(times);
    uint64_t sum = checksum(0, sorted, n);
    if (pairs) sum = checksum(sum, moved, n);
    printf("%s %d %llu", kind, log, (unsigned long long)sum);
    for (float sample : all) printf(" %.6f", sample);
    printf("\n");
    for (void* memory : {(void*)keys, (void*)sorted, (void*)values, (void*)moved, room})
        check(cudaFree(memory));
}

int main(int count, char** words) {
    if (count < 3) return 2;
    check(cudaSetDevice(atoi(words[1])));
    int samples = atoi(words[2]);
    printf("%d.%d.%d\n", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    for (int i = 3; i < count; ++i) {
        const char* colon = strchr(words[i], ':');
        if (!colon) return 2;
        std::string kind((const char*)words[i], colon);
        int log = atoi(colon + 1);
        if (kind == "u32")
            measure<uint32_t, uint32_t>("u32", log, samples, false);
        else if (kind == "u64")
            measure<uint64_t, uint64_t>("u64", log, samples, false);
        else if (kind == "u32+u32")
            measure<uint32_t, uint32_t>("u32+u32", log, samples, true);
        else if (kind == "u64+u64")
            measure<uint64_t, uint64_t>("u64+u64", log, samples, true);
        else
            return 2;
    }
}
