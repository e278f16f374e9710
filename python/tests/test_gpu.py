"""Arrays that stay on a GPU. Skipped where there is no GPU or no PyTorch."""

import gc
import math
import random

import pytest

import bezout
from bezout import Batch, Poly

torch = pytest.importorskip("torch")

if not torch.cuda.is_available() or bezout.device_count() == 0:
    pytest.skip("no CUDA device", allow_module_level=True)


def limbs(numbers, width):
    """A tensor on the GPU with the limbs of these numbers, lowest first, as signed words."""
    signed = [
        [(n >> 64 * i & 2**64 - 1) - (n >> 64 * i + 63 & 1) * 2**64 for i in range(width)]
        for n in numbers
    ]
    return torch.tensor(signed, dtype=torch.int64, device="cuda")


def numbers(tensor):
    return [sum((limb & 2**64 - 1) << 64 * i for i, limb in enumerate(row)) for row in tensor.tolist()]


def rows(seed, count, bits):
    rng = random.Random(seed)
    return [rng.getrandbits(bits) for _ in range(count)]


def test_batch_shares_a_tensor():
    a, b = rows(1, 1000, 256), rows(2, 1000, 256)
    x, y = Batch.from_dlpack(limbs(a, 4)), Batch.from_dlpack(limbs(b, 4))
    assert x.device == "cuda" and x.shape == (1000, 4)
    assert x.__dlpack_device__() == (2, 0)
    total = x + y
    assert total.device == "cuda" and bezout.last_engine() == "cuda:0"
    expected = [(u + v) % 2**256 for u, v in zip(a, b, strict=True)]
    assert total.tolist() == expected
    assert x.tolist() == a


def test_there_and_back():
    a = rows(3, 5000, 1024)
    e, m = rows(4, 5000, 1024), [n | 1 for n in rows(5, 5000, 1024)]
    power = Batch.from_dlpack(limbs(a, 16)).powmod(
        Batch.from_dlpack(limbs(e, 16)), Batch.from_dlpack(limbs(m, 16))
    )
    result = torch.from_dlpack(power)
    assert result.is_cuda and result.shape == (5000, 16) and result.element_size() == 8
    found = numbers(result.view(torch.int64))
    assert found[:50] == [pow(*three) for three in zip(a[:50], e[:50], m[:50], strict=True)]
    # Torch holds what it was given.
    del power
    gc.collect()
    torch.cuda.synchronize()
    assert numbers(result.view(torch.int64)[:50]) == found[:50]


def test_no_copy_is_made():
    tensor = limbs(rows(6, 4096, 128), 2)
    batch = Batch.from_dlpack(tensor)
    assert batch.__cuda_array_interface__["data"] == (tensor.data_ptr(), True)
    assert Batch.from_dlpack(tensor, copy=True).__cuda_array_interface__["data"][0] != tensor.data_ptr()
    result = batch + 1
    address = result.__cuda_array_interface__["data"][0]
    capsule = result.__dlpack__(max_version=(1, 0), stream=1)
    assert torch.utils.dlpack.from_dlpack(capsule).data_ptr() == address


def test_streams_are_respected():
    stream = torch.cuda.Stream()
    for _ in range(20):
        with torch.cuda.stream(stream):
            tensor = torch.zeros((1 << 20, 2), dtype=torch.int64, device="cuda")
            # Work that takes a while, so that the next line is queued behind it.
            torch.cuda._sleep(2_000_000)
            tensor[:, 0] = 7
            batch = Batch.from_dlpack(tensor)
        squares = batch * batch
        with torch.cuda.stream(stream):
            result = torch.from_dlpack(squares).view(torch.int64)
            assert bool((result[:, 0] == 49).all()) and bool((result[:, 1] == 0).all())
        del batch, squares, tensor, result


def test_memory_is_given_back():
    def turn():
        tensor = torch.ones((1 << 20, 4), dtype=torch.int64, device="cuda")
        return torch.from_dlpack(Batch.from_dlpack(tensor) + 1).view(torch.int64).sum().item()

    turn()
    gc.collect()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    assert len({turn() for _ in range(50)}) == 1
    gc.collect()
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() <= before + (1 << 20)


def test_the_array_interface_alone():
    tensor = limbs(rows(7, 300, 192), 3)

    class Numba:
        """An array without DLPack."""

        __cuda_array_interface__ = tensor.__cuda_array_interface__
        kept = tensor

    batch = Batch.from_dlpack(Numba())
    assert batch.tolist() == numbers(tensor)


def test_layouts():
    tensor = limbs(rows(8, 100, 256), 4)
    with pytest.raises(BufferError, match="contiguous"):
        Batch.from_dlpack(tensor[:, ::2])
    # Rows that begin anywhere are copied on the device.
    assert Batch.from_dlpack(tensor[1:]).tolist() == numbers(tensor[1:])
    assert Batch.from_dlpack(tensor.flatten()[1:5]).tolist() == numbers(tensor.flatten()[1:5, None])
    with pytest.raises(TypeError):
        Batch.from_dlpack(tensor.to(torch.float64))
    with pytest.raises(ValueError):
        Batch.from_dlpack(tensor[None])
    empty = Batch.from_dlpack(torch.zeros((0, 4), dtype=torch.int64, device="cuda"))
    assert len(empty) == 0


def test_coefficients():
    p = 998244353
    values = [random.Random(9).randrange(-(2**63), 2**63) for _ in range(3000)]
    tensor = torch.tensor(values, dtype=torch.int64, device="cuda")
    f = Poly(tensor, p)
    assert f.device == "cuda" and f.coefficients() == [v % p for v in values]
    square = f * f
    out = torch.from_dlpack(square)
    assert out.is_cuda and out.view(torch.int64).tolist() == square.coefficients()
    assert f.__cuda_array_interface__["shape"] == (3000,)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64])
@pytest.mark.parametrize("count", [1, 2, 1001, 100_000])
def test_sort(dtype, count):
    keys = torch.randn(count, device="cuda", dtype=torch.float64) * 1e9
    keys = keys.to(dtype)
    before = keys.clone()
    for descending in (False, True):
        found = bezout.sort(keys, descending=descending)
        assert isinstance(found, torch.Tensor) and found.is_cuda and found.dtype == dtype
        assert torch.equal(found, keys.sort(descending=descending).values)
    assert torch.equal(keys, before)


def test_values_on_the_device_by_hand():
    a = bezout.mpz(3) ** 300_000
    b = a.to("cuda")
    assert b.device == "cuda" and (b * b).device == "cuda"
    assert b * b == a * a and math.gcd(int(b % 1000), 7) == math.gcd(int(a % 1000), 7)
