# Completion of lockstep for fish.
# Made by 'make reference' from the records of the options. Do not edit.

# Whether the line is one of the command given; of a family, its member.
function __lockstep_runs
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l count (count (string split ' ' -- $argv[1]))
    test (count $typed) -ge $count; or return 1
    test "$typed[1..$count]" = "$argv[1]"
end

# Whether the next word chooses a command; of a family, its member.
function __lockstep_chooses
    set -l typed (commandline -opc)
    set -e typed[1]
    test "$typed" = "$argv[1]"
end

complete -c lockstep -f

complete -c lockstep -n '__lockstep_chooses ""' -a info -d 'say what is in a trace, and whether it is whole'
complete -c lockstep -n '__lockstep_chooses "help"' -a info -d 'say what is in a trace, and whether it is whole'
complete -c lockstep -n '__lockstep_runs "info"' -s h -l help -d 'show this help'
complete -c lockstep -n '__lockstep_runs "info"' -F
complete -c lockstep -n '__lockstep_runs "info"' -l json -d 'print one JSON document, schema lockstep.info/2'
complete -c lockstep -n '__lockstep_runs "info"' -l csv -d 'print the table of kernels as CSV'
complete -c lockstep -n '__lockstep_runs "info"' -l markdown -r -F -d 'also write the report as Markdown'
complete -c lockstep -n '__lockstep_runs "info"' -l top -x -d 'kernels to list; 0 for all'
complete -c lockstep -n '__lockstep_runs "info"' -l full-names -d 'show names of kernels whole, however wide tables get'
complete -c lockstep -n '__lockstep_runs "info"' -l strict -d 'exit with 3 when data was lost or the input contradicts itself'
complete -c lockstep -n '__lockstep_runs "info"' -s q -l quiet -d 'show no progress'

complete -c lockstep -n '__lockstep_chooses ""' -a convert -d 'write a trace as Chrome JSON, Perfetto protobuf or XSpace'
complete -c lockstep -n '__lockstep_chooses "help"' -a convert -d 'write a trace as Chrome JSON, Perfetto protobuf or XSpace'
complete -c lockstep -n '__lockstep_runs "convert"' -s h -l help -d 'show this help'
complete -c lockstep -n '__lockstep_runs "convert"' -F
complete -c lockstep -n '__lockstep_runs "convert"' -s o -l output -r -F -d 'where to write'
complete -c lockstep -n '__lockstep_runs "convert"' -l to -x -a 'chrome xspace perfetto' -d 'chrome, perfetto or xspace, whatever OUTPUT is called'
complete -c lockstep -n '__lockstep_runs "convert"' -l slice -x -d 'only a slice: times like 1.5s..2s, or steps'
complete -c lockstep -n '__lockstep_runs "convert"' -l ranks -x -d 'only these ranks, like 0,2-4'
complete -c lockstep -n '__lockstep_runs "convert"' -l devices -x -d 'only these devices, by id'
complete -c lockstep -n '__lockstep_runs "convert"' -l kinds -x -d 'only these kinds, like kernel,communication'
complete -c lockstep -n '__lockstep_runs "convert"' -l strict -d 'exit with 3 when data was lost or the input contradicts itself'
complete -c lockstep -n '__lockstep_runs "convert"' -s q -l quiet -d 'show no progress'

complete -c lockstep -n '__lockstep_chooses ""' -a cycles -d 'find the loops that a device runs: steps, forward passes, layers'
complete -c lockstep -n '__lockstep_chooses "help"' -a cycles -d 'find the loops that a device runs: steps, forward passes, layers'
complete -c lockstep -n '__lockstep_runs "cycles"' -s h -l help -d 'show this help'
complete -c lockstep -n '__lockstep_runs "cycles"' -F
complete -c lockstep -n '__lockstep_runs "cycles"' -l json -d 'print one JSON document, schema lockstep.cycles/2'
complete -c lockstep -n '__lockstep_runs "cycles"' -l csv -x -a '(__fish_complete_directories)' -d 'also write one CSV file a loop into this folder'
complete -c lockstep -n '__lockstep_runs "cycles"' -l xlsx -r -F -d 'also write a workbook'
complete -c lockstep -n '__lockstep_runs "cycles"' -l markdown -r -F -d 'also write the report as Markdown'
complete -c lockstep -n '__lockstep_runs "cycles"' -l annotate -r -F -d 'also write the trace as Perfetto, with tracks for what was found'
complete -c lockstep -n '__lockstep_runs "cycles"' -l top -x -d 'positions to list; 0 for all'
complete -c lockstep -n '__lockstep_runs "cycles"' -l all -d 'show also short loops and quiet streams'
complete -c lockstep -n '__lockstep_runs "cycles"' -l method -x -a 'repetitions anchor' -d 'repetitions (default) or anchor'
complete -c lockstep -n '__lockstep_runs "cycles"' -l mode -x -a 'auto prefill decode' -d 'auto (default), prefill or decode: the loop to select'
complete -c lockstep -n '__lockstep_runs "cycles"' -l symbol -x -a 'name signature role' -d 'what makes two kernels the same: name, signature or role'
complete -c lockstep -n '__lockstep_runs "cycles"' -l pass-tolerance -x -d 'kernels of a pass that may differ by name'
complete -c lockstep -n '__lockstep_runs "cycles"' -l layer-tolerance -x -d 'kernels of a layer that may differ by role'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-min-count -x -d 'anchor: how often it appears at least'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-max-share -x -d 'anchor: share of all kernels that it is at most'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-min-length -x -d 'anchor: kernels of a cycle, at least'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-gap-tolerance -x -d 'anchor: how far distances between two may differ'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-match -x -d 'anchor: names of a cycle that equal the first one\'s'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-min-repetitions -x -d 'anchor: cycles that match, the first one among them'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-min-outer -x -d 'anchor: cycles longer than this may have sub-cycles'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-min-sub-length -x -d 'anchor: kernels of a sub-cycle, at least'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-min-sub-count -x -d 'anchor: how often a sub-cycle\'s first kernel appears'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-sub-gap-tolerance -x -d 'anchor: how far distances of sub-cycles may differ'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-sub-match -x -d 'anchor: signatures of a sub-cycle that are equal'
complete -c lockstep -n '__lockstep_runs "cycles"' -l anchor-min-sub-pairs -x -d 'anchor: neighbouring sub-cycles that match'
complete -c lockstep -n '__lockstep_runs "cycles"' -l slice -x -d 'only a slice: times like 1.5s..2s, or steps'
complete -c lockstep -n '__lockstep_runs "cycles"' -l ranks -x -d 'only these ranks, like 0,2-4'
complete -c lockstep -n '__lockstep_runs "cycles"' -l devices -x -d 'only these devices, by id'
complete -c lockstep -n '__lockstep_runs "cycles"' -l full-names -d 'show names of kernels whole, however wide tables get'
complete -c lockstep -n '__lockstep_runs "cycles"' -l strict -d 'exit with 3 when data was lost or the input contradicts itself'
complete -c lockstep -n '__lockstep_runs "cycles"' -s q -l quiet -d 'show no progress'

complete -c lockstep -n '__lockstep_chooses ""' -a compare -d 'say what changed between two traces, kernel by kernel'
complete -c lockstep -n '__lockstep_chooses "help"' -a compare -d 'say what changed between two traces, kernel by kernel'
complete -c lockstep -n '__lockstep_runs "compare"' -s h -l help -d 'show this help'
complete -c lockstep -n '__lockstep_runs "compare"' -F
complete -c lockstep -n '__lockstep_runs "compare"' -l json -d 'print one JSON document, schema lockstep.compare/2'
complete -c lockstep -n '__lockstep_runs "compare"' -l csv -r -F -d 'also write all rows as one CSV table; - prints it instead'
complete -c lockstep -n '__lockstep_runs "compare"' -l xlsx -r -F -d 'also write a workbook, one sheet a pair'
complete -c lockstep -n '__lockstep_runs "compare"' -l markdown -r -F -d 'also write the report as Markdown'
complete -c lockstep -n '__lockstep_runs "compare"' -l fail-on-regression -x -d 'exit 1 when iterations got slower by more than this, beyond noise'
complete -c lockstep -n '__lockstep_runs "compare"' -l top -x -d 'rows of each pair to list; 0 for all'
complete -c lockstep -n '__lockstep_runs "compare"' -l pair-phases -d 'compare prefill with decode, too'
complete -c lockstep -n '__lockstep_runs "compare"' -l min-similarity -x -d 'pairs that are less alike stay apart'
complete -c lockstep -n '__lockstep_runs "compare"' -l false-discovery-rate -x -d 'rows called beyond noise that may be wrong'
complete -c lockstep -n '__lockstep_runs "compare"' -l min-change -x -d 'smaller changes are never beyond noise'
complete -c lockstep -n '__lockstep_runs "compare"' -l min-difference -x -d 'nor are smaller differences'
complete -c lockstep -n '__lockstep_runs "compare"' -l method -x -a 'repetitions anchor' -d 'repetitions (default) or anchor'
complete -c lockstep -n '__lockstep_runs "compare"' -l mode -x -a 'auto prefill decode' -d 'auto (default), prefill or decode: the loop to select'
complete -c lockstep -n '__lockstep_runs "compare"' -l symbol -x -a 'name signature role' -d 'what makes two kernels the same: name, signature or role'
complete -c lockstep -n '__lockstep_runs "compare"' -l pass-tolerance -x -d 'kernels of a pass that may differ by name'
complete -c lockstep -n '__lockstep_runs "compare"' -l layer-tolerance -x -d 'kernels of a layer that may differ by role'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-min-count -x -d 'anchor: how often it appears at least'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-max-share -x -d 'anchor: share of all kernels that it is at most'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-min-length -x -d 'anchor: kernels of a cycle, at least'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-gap-tolerance -x -d 'anchor: how far distances between two may differ'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-match -x -d 'anchor: names of a cycle that equal the first one\'s'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-min-repetitions -x -d 'anchor: cycles that match, the first one among them'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-min-outer -x -d 'anchor: cycles longer than this may have sub-cycles'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-min-sub-length -x -d 'anchor: kernels of a sub-cycle, at least'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-min-sub-count -x -d 'anchor: how often a sub-cycle\'s first kernel appears'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-sub-gap-tolerance -x -d 'anchor: how far distances of sub-cycles may differ'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-sub-match -x -d 'anchor: signatures of a sub-cycle that are equal'
complete -c lockstep -n '__lockstep_runs "compare"' -l anchor-min-sub-pairs -x -d 'anchor: neighbouring sub-cycles that match'
complete -c lockstep -n '__lockstep_runs "compare"' -l full-names -d 'show names of kernels whole, however wide tables get'
complete -c lockstep -n '__lockstep_runs "compare"' -l strict -d 'exit with 3 when data was lost or the input contradicts itself'
complete -c lockstep -n '__lockstep_runs "compare"' -s q -l quiet -d 'show no progress'

complete -c lockstep -n '__lockstep_chooses ""' -a anomalies -d 'find where a device idles or starves, and what may be behind it'
complete -c lockstep -n '__lockstep_chooses "help"' -a anomalies -d 'find where a device idles or starves, and what may be behind it'
complete -c lockstep -n '__lockstep_runs "anomalies"' -s h -l help -d 'show this help'
complete -c lockstep -n '__lockstep_runs "anomalies"' -F
complete -c lockstep -n '__lockstep_runs "anomalies"' -l json -d 'print one JSON document, schema lockstep.anomalies/2'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l brief -d 'print the five answers and the findings only'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l markdown -r -F -d 'also write a report with all details'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l annotate -r -F -d 'also write the trace as Perfetto, with tracks for steps, bubbles and tags'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l bubbles -x -a 'all' -d 'bubbles of each group of steps to show, or all (JSON: 5)'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l compat -x -a 'rulebook script' -d 'rules for idle devices: rulebook (default), or script, the reference\'s variant'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l threshold -x -d 'set a number that a verdict depends on; can be given again'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l fail-on -x -a 'P0 P1 P2 P3' -d 'exit 1 when something of this priority (P0 to P3) or a higher one is found'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l slice -x -d 'only a slice: times like 1.5s..2s, or steps'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l ranks -x -d 'only these ranks, like 0,2-4'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l devices -x -d 'only these devices, by id'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l full-names -d 'show names of kernels whole, however wide tables get'
complete -c lockstep -n '__lockstep_runs "anomalies"' -l strict -d 'exit with 3 when data was lost or the input contradicts itself'
complete -c lockstep -n '__lockstep_runs "anomalies"' -s q -l quiet -d 'show no progress'

complete -c lockstep -n '__lockstep_chooses ""' -a kernel -d 'look inside one launch: where its cycles go, lane by lane'
complete -c lockstep -n '__lockstep_chooses "help"' -a kernel -d 'look inside one launch: where its cycles go, lane by lane'

complete -c lockstep -n '__lockstep_chooses "kernel"' -a decode -d 'tell where the time goes inside launches, from what markers recorded'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -s h -l help -d 'show this help'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -F
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l format -x -a 'lkp tvm flashinfer flashinfer-old proton mosaic ikp iket' -d 'what wrote it: lkp, tvm, flashinfer, flashinfer-old, proton, mosaic, ikp, iket (.npy and raw buffers do not say)'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l names -x -d 'names of the events, from event 0 on'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l groups -x -d 'groups of a block, where the header is missing'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l blocks -x -d 'blocks of the grid, where the header is missing'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l meta -r -F -d 'JSON beside the buffer (Proton, Mosaic)'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l launch -x -d 'only the launch of this id'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l json -d 'print one JSON document, schema lockstep.kernel-decode/2'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l no-regions -d 'leave regions and instants of lanes out of the JSON'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l perfetto -r -F -d 'also write the timeline of all lanes as Perfetto'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l svg -r -F -d 'also write a picture of the timeline'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l markdown -r -F -d 'also write the report as Markdown'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l compare -r -F -d 'tell what changed since OTHER was recorded'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l top -x -d 'events to list, of other things fewer; 0 for all'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l overhead -r -F -d 'cost of a marker to take off: cycles, or what \'kernel overhead -o\' wrote'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -s o -l output -r -F -d 'write the report here, not to standard output'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l full-names -d 'show names of kernels whole, however wide tables get'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -l strict -d 'exit with 3 when data was lost or the input contradicts itself'
complete -c lockstep -n '__lockstep_runs "kernel decode"' -s q -l quiet -d 'show no progress'

complete -c lockstep -n '__lockstep_chooses "kernel"' -a overhead -d 'measure what a marker costs on the device of this machine'
complete -c lockstep -n '__lockstep_runs "kernel overhead"' -s h -l help -d 'show this help'
complete -c lockstep -n '__lockstep_runs "kernel overhead"' -l json -d 'print one JSON document, schema lockstep.kernel-overhead/1'
complete -c lockstep -n '__lockstep_runs "kernel overhead"' -l markdown -r -F -d 'also write the report as Markdown'
complete -c lockstep -n '__lockstep_runs "kernel overhead"' -s o -l output -r -F -d 'write it here, not to standard output'

complete -c lockstep -n '__lockstep_chooses ""' -a help -d 'show help'
complete -c lockstep -n '__lockstep_chooses ""' -s h -l help -d 'show help'
complete -c lockstep -n '__lockstep_chooses ""' -s V -l version -d 'show the version'
