"""Small traces of marked steps that a device runs without much idling, but for stalls put in on purpose."""

from cli_test_case import complete, kineto, launch

KERNELS = ["embed_gemm", "qkv_gemm", "flash_fwd_kernel", "out_gemm", "up_gemm", "silu_kernel",
           "down_gemm", "norm_kernel"]
KERNEL_US = 200
GAP_US = 5
STEP_US = 1700
STALLED_AT = 3  # the kernel that a stalled step waits for


def step_events(number, start_us, stall_us, call):
    """A step and its kernels; with a stall the host sits in `call` (None: in nothing) before one."""
    events = [complete("user_annotation", f"ProfilerStep#{number}", 100, 100, start_us,
                       STEP_US + stall_us - 10)]
    at = start_us + 20
    for i, name in enumerate(KERNELS):
        correlation = 100 * number + i
        if i == STALLED_AT and stall_us:
            if call:
                events.append(complete("cpu_op", "aten::item", 100, 100, at - 4, stall_us - 16))
                events.append(complete("cuda_runtime", call, 100, 100, at - 3, stall_us - 18,
                                       correlation=90_000 + number))
            at += stall_us
        events.append(complete("cpu_op", f"aten::op{i}", 100, 100, at - 12, 9))
        events += launch(correlation, name, at - 10, at, KERNEL_US)
        at += KERNEL_US + GAP_US
    return events


def stall_events(stalls=None, steps=6, call="cudaStreamSynchronize"):
    """`stalls` maps numbers of steps to microseconds."""
    stalls = {4: 5000} if stalls is None else stalls
    events = [{"ph": "M", "name": "process_name", "pid": 100, "tid": 0,
               "args": {"name": "python3"}}]
    start = 1000
    for number in range(1, steps + 1):
        stall = stalls.get(number, 0)
        events += step_events(number, start, stall, call)
        start += STEP_US + stall
    return events


def stall_trace(**options):
    return kineto(stall_events(**options))
