from pathlib import Path

from cli_test_case import kineto
from loop_trace import loop_events

events = loop_events(passes=4) + loop_events(passes=4, kernels=["send", "wait", "recv"], stream=20)
Path("trace.json").write_text(kineto(events))
