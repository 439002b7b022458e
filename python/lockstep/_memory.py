"""Memory of other libraries by address: NumPy, PyTorch, CuPy, anything with the buffer protocol.

Nothing is imported: an object is known by what it offers.
"""

import ctypes


def device_memory(buffer, size=None):
    """(address, bytes) of device memory: an address with its size, a tensor, an array on a GPU."""
    if isinstance(buffer, int):
        if size is None:
            raise TypeError("an address needs buffer_bytes beside it")
        return buffer, size
    if hasattr(buffer, "data_ptr"):
        return buffer.data_ptr(), _contiguous_tensor_bytes(buffer)
    interface = getattr(buffer, "__cuda_array_interface__", None)
    if interface is not None:
        if interface.get("strides") is not None:
            raise ValueError("the array is not contiguous")
        count = 1
        for extent in interface["shape"]:
            count *= extent
        return interface["data"][0], count * int(interface["typestr"][2:])
    raise TypeError(f"{type(buffer).__name__} is no device memory: give a tensor or an address")


class HostMemory:
    """Bytes on the host for the time of a call: `address`, `size`."""

    def __init__(self, data):
        if hasattr(data, "data_ptr"):
            if getattr(data, "is_cuda", False):
                data = data.cpu()
            self.address = data.data_ptr()
            self.size = _contiguous_tensor_bytes(data)
            self._keeps = data
            return
        view = memoryview(data)
        self.size = view.nbytes
        # What cannot be lent as it lies is copied: read-only memory, arrays with strides.
        if view.readonly or not view.c_contiguous:
            self._keeps = ctypes.create_string_buffer(view.tobytes(), view.nbytes or 1)
        else:
            lent = view.cast("B") if view.nbytes else bytearray(1)
            self._keeps = (ctypes.c_char * view.nbytes).from_buffer(lent)
        self.address = ctypes.addressof(self._keeps)


def _contiguous_tensor_bytes(tensor):
    if not tensor.is_contiguous():
        raise ValueError("the tensor is not contiguous")
    return tensor.numel() * tensor.element_size()


def stream_handle(stream):
    """A CUstream as a number: None, a number, a PyTorch stream, a CuPy stream."""
    if stream is None:
        return 0
    for attribute in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, attribute):
            return int(getattr(stream, attribute))
    return int(stream)
