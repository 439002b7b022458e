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


def tight_loop_trace(passes, kernels):
    """Passes without a pause between them: a slower kernel makes them longer. `kernels` maps names to
    durations."""
    events, at = [], 1000
    for name, length in [*kernels.items()] * passes:
        events.append(complete("kernel", name, 0, 7, at, length, device=0, stream=7))
        at += length + 1
    return kineto(events)


def request_trace(decodes=20, slow=None, prefill_us=30):
    """One prefill (None: without) and then decodes of three layers, all annotated."""
    kernels = ["embed_gather", *3 * KERNELS[1:], "head_gemm"]
    events = loop_events(passes=decodes, kernels=kernels, duration_us=5, slow=slow,
                         first_us=3000)
    events = [event for event in events if event.get("name") != "warm_up"]
    events += [complete("user_annotation", "decode", 100, 100, 2935 + p * PASS_US, PASS_US - 1)
               for p in range(decodes)]
    if prefill_us:
        events.append(complete("user_annotation", "prefill", 100, 100, 900, 100))
        for i, name in enumerate(kernels):
            events += launch(1 + i, f"long_{name}", 910 + i, 1000 + i * (prefill_us + 1),
                             prefill_us)
    return kineto(events)


def host_only_trace():
    return kineto([complete("cpu_op", "aten::mm", 100, 100, 10, 5)])
