from pathlib import Path

import kernel_file

Path("gemm.lkp").write_bytes(kernel_file.pipeline())
whole = Path("gemm.lkp").read_bytes()
Path("cut.lkp").write_bytes(whole[:-200])
