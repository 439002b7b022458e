from pathlib import Path

import kernel_file

Path("gemm.lkp").write_bytes(kernel_file.pipeline())
Path("new.lkp").write_bytes(kernel_file.pipeline(slow=1.2))
