from pathlib import Path

from cli_test_case import kineto
from stall_trace import stall_events

for rank, stalls in enumerate(({}, {3: 4000})):
    text = kineto(stall_events(stalls=stalls), distributedInfo={"rank": rank, "world_size": 2})
    Path(f"rank{rank}.json").write_text(text)
