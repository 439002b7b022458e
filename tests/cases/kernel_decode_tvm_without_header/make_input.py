from pathlib import Path

import kernel_file

Path("prof.bin").write_bytes(kernel_file.tvm_buffer(has_header=False))
