"""Reads the weights of a PyTorch checkpoint (the zip format of torch.save) without PyTorch."""

import collections
import io
import pickle
import zipfile

import numpy

STORAGES = {"FloatStorage": numpy.dtype("<f4"), "LongStorage": numpy.dtype("<i8")}


def read_weights(path):
    """Returns {name: array} of the checkpoint's state dictionary.

    Raises ValueError for a file that is not such a checkpoint.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            index = next(name for name in archive.namelist() if name.endswith("/data.pkl"))
            content = Unpickler(archive, index[: -len("data.pkl")]).load()
    except (StopIteration, zipfile.BadZipFile, KeyError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path} is not a PyTorch checkpoint that can be read: {error}") from error
    weights = content.get("state_dict", content)
    return {name: value for name, value in weights.items() if isinstance(value, numpy.ndarray)}


class Unpickler(pickle.Unpickler):
    """Builds arrays and plain containers; whatever else the pickle names becomes an inert object.

    A pickle may name any function to be called, so no name is ever looked up in a module.
    """

    def __init__(self, archive, folder):
        super().__init__(io.BytesIO(archive.read(folder + "data.pkl")))
        self.archive = archive
        self.folder = folder

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return tensor
        if module == "torch" and name in STORAGES:
            return STORAGES[name]
        return Inert

    def persistent_load(self, identity):
        """("storage", type, key, location, count) → the storage's numbers."""
        _, dtype, key, *_ = identity
        return numpy.frombuffer(self.archive.read(f"{self.folder}data/{key}"), dtype)


def tensor(storage, offset, shape, strides, *_):
    """A tensor is a view of its storage; offset and strides count elements."""
    steps = [stride * storage.itemsize for stride in strides]
    return numpy.lib.stride_tricks.as_strided(storage[offset:], shape, steps).copy()


class Inert:
    """Stands for an object that has nothing to do with the weights."""

    def __init__(self, *_):
        pass

    def __setstate__(self, _):
        pass

    def __setitem__(self, *_):
        pass
