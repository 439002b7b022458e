from pathlib import Path

import kernel_file

lane = kernel_file.Lane(block=0, group=0, sm=10, start_ns=0)
lane.region(kernel_file.LOAD, 150, payload=7)
lane.region(kernel_file.MMA, 200)
launch = kernel_file.launch_entry(0, blocks=1, groups=1, threads=32, lanes=1)
Path("gemm.lkp").write_bytes(kernel_file.lkp([lane], [launch]))
