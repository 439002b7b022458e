from pathlib import Path

from loop_trace import tight_loop_trace

# A GEMM in common, and kernels of one side alone around it.
Path("before.json").write_text(tight_loop_trace(12, {"qkv_gemm": 6, "rms_norm": 9, "silu": 8, "mul": 7}))
Path("after.json").write_text(tight_loop_trace(12, {"nccl_all_reduce": 9, "sort": 8, "topk": 9, "qkv_gemm": 6,
                                                    "nccl_all_to_all": 7}))
