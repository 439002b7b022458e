from pathlib import Path

import kernel_file

Path("prof.npy").write_bytes(kernel_file.npy(kernel_file.tvm_buffer()))
