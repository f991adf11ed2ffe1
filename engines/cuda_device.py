"""Where a model of ctranslate2 runs and with which numbers, chosen from what there is.

What concerns GPUs follows the documentation of ctranslate2 and of CUDA's driver.
"""

import ctypes
import os

import ctranslate2

# In order of preference: half precision is exact enough, and 8-bit weights need half of its memory.
ON_CUDA = ["float16", "int8_float16", "bfloat16", "int8_bfloat16", "int8_float32", "float32"]
ON_CPU = ["int8", "int8_float32", "float32"]
BYTES_PER_WEIGHT = {"float32": 4, "float16": 2, "bfloat16": 2, "int16": 2}
# CUDA's own share, cuBLAS's workspace and one window's activations.
BESIDE_WEIGHTS_BYTES = 700_000_000


def choose(device, compute_type, folder):
    """@return (device, compute type) for the model in the folder. @raise ValueError, one sentence, where nothing fits"""
    gpus = ctranslate2.get_cuda_device_count()
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"WHISPER_DEVICE is {device!r}: auto, cpu or cuda is expected.")
    if device == "cuda" and gpus == 0:
        raise ValueError("WHISPER_DEVICE is cuda, but no CUDA device is visible: give the container a GPU, or set it to cpu.")
    where = "cuda" if gpus > 0 and device != "cpu" else "cpu"
    supported = ctranslate2.get_supported_compute_types(where)
    if compute_type != "auto" and compute_type not in supported:
        raise ValueError(
            f"WHISPER_COMPUTE_TYPE is {compute_type}, which this {where} does not support: "
            f"one of {', '.join(sorted(supported))}, or auto."
        )
    wanted = [compute_type] if compute_type != "auto" else ON_CUDA if where == "cuda" else ON_CPU
    possible = [kind for kind in wanted if kind in supported]
    if where == "cpu":
        return where, possible[0]
    return where, first_that_fits(possible, os.path.join(folder, "model.bin"), free_bytes())


def first_that_fits(kinds, model_path, free):
    """@param free bytes, or None where that is not known @raise ValueError where none fits"""
    if free is None:
        return kinds[0]
    needs = {kind: bytes_needed(model_path, kind) for kind in kinds}
    for kind in kinds:
        if needs[kind] <= free:
            return kind
    smallest = min(needs.values())
    raise ValueError(
        f"The model {os.path.basename(os.path.dirname(os.path.abspath(model_path)))} needs about {gigabytes(smallest)} of GPU "
        f"memory and {gigabytes(free)} are free: stop what else runs on this GPU, or choose a smaller model."
    )


def bytes_needed(model_path, kind):
    """Published models are files of 16-bit weights; others are taken for such, which is too much rather than too little."""
    return os.path.getsize(model_path) // 2 * BYTES_PER_WEIGHT.get(kind, 1) + BESIDE_WEIGHTS_BYTES


def free_bytes():
    """Of the first visible GPU, from CUDA's driver (which knows of CUDA_VISIBLE_DEVICES and of slices); None if unknown."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device, context = ctypes.c_int(), ctypes.c_void_p()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    calls = (
        lambda: cuda.cuInit(0),
        lambda: cuda.cuDeviceGet(ctypes.byref(device), 0),
        # The context that ctranslate2 will use as well.
        lambda: cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device),
        lambda: cuda.cuCtxSetCurrent(context),
        lambda: cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)),
    )
    return free.value if all(call() == 0 for call in calls) else None


def gigabytes(size):
    return f"{size / 1e9:.1f} GB"
