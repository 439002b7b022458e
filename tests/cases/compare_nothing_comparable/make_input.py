from pathlib import Path

from loop_trace import tight_loop_trace

Path("before.json").write_text(tight_loop_trace(12, {"norm": 4.25, "qkv_gemm": 20, "silu": 5, "mul": 5}))
Path("after.json").write_text(tight_loop_trace(12, {"sort": 8, "scan": 9, "reduce": 7}))
