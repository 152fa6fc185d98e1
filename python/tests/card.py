"""Arrays on a CUDA device: those of PyTorch where a card's library is named, else host memory that says it is one, for the
imitation of a card (src/cuda/emulation.cpp)."""

import ctypes
import os
import pathlib

import numpy as np

ON_CARD = os.environ.get("PLIANT_TEST_CARD") == "1"
EMULATION = pathlib.Path(__file__).resolve().parents[2] / "build/release/src/cuda/libpliant_cuda_emulation.so"


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _DELETER)]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Imitated:
    """NumPy memory behind DLPack's word for a CUDA device."""

    CUDA, FLOAT = 2, 2
    alive: dict[int, tuple] = {}  # capsules that nobody has given back

    def __init__(self, array, device=0):
        self.array, self.device, self.streams = array, device, []
        self.shape = array.shape

    def __dlpack_device__(self):
        return self.CUDA, self.device

    def __dlpack__(self, *, stream):
        self.streams.append(stream)
        a = self.array
        shape = (ctypes.c_int64 * a.ndim)(*a.shape)
        strides = (ctypes.c_int64 * a.ndim)(*(s // a.itemsize for s in a.strides))
        code = {"f": self.FLOAT, "i": 0}[a.dtype.kind]
        tensor = _Tensor(a.ctypes.data, self.CUDA, self.device, a.ndim, code, 8 * a.itemsize, 1, shape, strides, 0)

        @_DELETER
        def give_back(managed):
            del Imitated.alive[ctypes.addressof(managed.contents)]

        managed = _Managed(tensor, None, give_back)
        Imitated.alive[ctypes.addressof(managed)] = (managed, give_back, shape, strides, a)
        return _new_capsule(ctypes.addressof(managed), b"dltensor", None)


def on_card(array):
    if not ON_CARD:
        return Imitated(np.asarray(array))
    import torch

    return torch.tensor(np.asarray(array), device="cuda")
