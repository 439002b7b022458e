"""Small traces with a loop: a kernel before it, then passes of kernels that all differ."""

from cli_test_case import complete, kineto, launch

KERNELS = ["embed_gemm", "rms_norm_kernel", "qkv_gemm", "rope_kernel", "flash_fwd_kernel",
           "out_gemm", "silu_kernel", "down_gemm"]
PASS_US = 200  # from one pass to the next
KERNEL_US = 10


def loop_events(passes=6, kernels=KERNELS, duration_us=KERNEL_US, slow=None, stream=7,
                first_us=1000, gap_us=1):
    """`slow` maps names of kernels to durations; with a gap below 0 kernels overlap."""
    slow = slow or {}
    events = [{"ph": "M", "name": "process_name", "pid": 100, "tid": 0,
               "args": {"name": "python3"}}]
    correlation = 1000 * stream
    events += launch(correlation, "warm_up", first_us - 90, first_us - 80, 5, stream)
    for p in range(passes):
        at = first_us + p * PASS_US
        for name in kernels:
            correlation += 1
            # A little jitter, the same every time.
            length = slow.get(name, duration_us) + (correlation * 7919 % 5) * 0.1
            events += launch(correlation, name, at - 60, at, length, stream)
            at += length + gap_us
    return events


def loop_trace(**options):
    return kineto(loop_events(**options))


def host_only_trace():
    return kineto([complete("cpu_op", "aten::mm", 100, 100, 10, 5)])
