from pathlib import Path

import kernel_file

Path("gemm.lkp").write_bytes(kernel_file.pipeline())
