"""To be imported before faster_whisper: makes it load with the packages of requirements-faster-whisper.txt alone.

It asks for PyAV (a second ffmpeg, 100 MB) and huggingface_hub (with 30 packages of its own) as soon as it is imported,
and uses them to read files and to fetch models. Here samples come from the worker, and so do model files.
"""

import ctypes
import glob
import importlib.util
import os
import site
import sys
from types import ModuleType

for name in ("av", "huggingface_hub"):
    if importlib.util.find_spec(name) is None:
        sys.modules[name] = ModuleType(name)
# Where it is installed nevertheless, it does not ask the network for anything.
os.environ["HF_HUB_OFFLINE"] = "1"

# ctranslate2 looks for cuBLAS by its name alone. Where it came as a Python package (requirements-faster-whisper-cuda.txt),
# it is found if it is loaded already. cuDNN is not needed: the wheel computes convolutions itself.
for folder in [*sys.path, *site.getsitepackages()]:
    for name in ("libnvrtc.so.12", "libcublasLt.so.12", "libcublas.so.12"):
        for path in glob.glob(os.path.join(folder, "nvidia", "*", "lib", name)):
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
