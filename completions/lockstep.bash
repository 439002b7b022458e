# Completion of lockstep for bash.
# Made by 'make reference' from the records of the options. Do not edit.

_lockstep() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  # '=' parts words: --mode=decode are three.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  local command=
  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
  [[ $command == 'kernel' ]] && ((COMP_CWORD > 2)) && command+=" ${COMP_WORDS[2]}"
  local offered=options options='-h --help' words=
  case $command in
    '') offered=words words='info convert cycles compare anomalies kernel help --help --version' ;;
    help) offered=words words='info convert cycles compare anomalies kernel' ;;
    'info')
      options='-h --help --json --csv --markdown --top --full-names --strict -q --quiet'
      case $prev in
        --markdown) offered=files ;;
        --top) offered=nothing ;;
      esac
      ;;
    'convert')
      options='-h --help -o --output --to --slice --ranks --devices --kinds --strict -q --quiet'
      case $prev in
        -o | --output) offered=files ;;
        --to) offered=words words='chrome xspace perfetto' ;;
        --slice | --ranks | --devices | --kinds) offered=nothing ;;
      esac
      ;;
    'cycles')
      options='-h --help --json --csv --xlsx --markdown --annotate --top --all --method --mode --symbol --pass-tolerance --layer-tolerance --anchor-min-count --anchor-max-share --anchor-min-length --anchor-gap-tolerance --anchor-match --anchor-min-repetitions --anchor-min-outer --anchor-min-sub-length --anchor-min-sub-count --anchor-sub-gap-tolerance --anchor-sub-match --anchor-min-sub-pairs --slice --ranks --devices --full-names --strict -q --quiet'
      case $prev in
        --csv) offered=folders ;;
        --xlsx) offered=files ;;
        --markdown) offered=files ;;
        --annotate) offered=files ;;
        --method) offered=words words='repetitions anchor' ;;
        --mode) offered=words words='auto prefill decode' ;;
        --symbol) offered=words words='name signature role' ;;
        --top | --pass-tolerance | --layer-tolerance | --anchor-min-count | --anchor-max-share | --anchor-min-length | --anchor-gap-tolerance | --anchor-match | --anchor-min-repetitions | --anchor-min-outer | --anchor-min-sub-length | --anchor-min-sub-count | --anchor-sub-gap-tolerance | --anchor-sub-match | --anchor-min-sub-pairs | --slice | --ranks | --devices) offered=nothing ;;
      esac
      ;;
    'compare')
      options='-h --help --json --csv --xlsx --markdown --fail-on-regression --top --pair-phases --min-similarity --false-discovery-rate --min-change --min-difference --method --mode --symbol --pass-tolerance --layer-tolerance --anchor-min-count --anchor-max-share --anchor-min-length --anchor-gap-tolerance --anchor-match --anchor-min-repetitions --anchor-min-outer --anchor-min-sub-length --anchor-min-sub-count --anchor-sub-gap-tolerance --anchor-sub-match --anchor-min-sub-pairs --full-names --strict -q --quiet'
      case $prev in
        --csv) offered=files ;;
        --xlsx) offered=files ;;
        --markdown) offered=files ;;
        --method) offered=words words='repetitions anchor' ;;
        --mode) offered=words words='auto prefill decode' ;;
        --symbol) offered=words words='name signature role' ;;
        --fail-on-regression | --top | --min-similarity | --false-discovery-rate | --min-change | --min-difference | --pass-tolerance | --layer-tolerance | --anchor-min-count | --anchor-max-share | --anchor-min-length | --anchor-gap-tolerance | --anchor-match | --anchor-min-repetitions | --anchor-min-outer | --anchor-min-sub-length | --anchor-min-sub-count | --anchor-sub-gap-tolerance | --anchor-sub-match | --anchor-min-sub-pairs) offered=nothing ;;
      esac
      ;;
    'anomalies')
      options='-h --help --json --brief --markdown --annotate --bubbles --compat --threshold --fail-on --slice --ranks --devices --full-names --strict -q --quiet'
      case $prev in
        --markdown) offered=files ;;
        --annotate) offered=files ;;
        --bubbles) offered=words words='all' ;;
        --compat) offered=words words='rulebook script' ;;
        --fail-on) offered=words words='P0 P1 P2 P3' ;;
        --threshold | --slice | --ranks | --devices) offered=nothing ;;
      esac
      ;;
    'kernel') offered=words words='decode overhead --help' ;;
    'kernel decode')
      options='-h --help --format --names --groups --blocks --meta --launch --json --no-regions --perfetto --svg --markdown --compare --top --overhead -o --output --full-names --strict -q --quiet'
      case $prev in
        --format) offered=words words='lkp tvm flashinfer flashinfer-old proton mosaic ikp iket' ;;
        --meta) offered=files ;;
        --perfetto) offered=files ;;
        --svg) offered=files ;;
        --markdown) offered=files ;;
        --compare) offered=files ;;
        --overhead) offered=files ;;
        -o | --output) offered=files ;;
        --names | --groups | --blocks | --launch | --top) offered=nothing ;;
      esac
      ;;
    'kernel overhead')
      options='-h --help --json --markdown -o --output'
      case $prev in
        --markdown) offered=files ;;
        -o | --output) offered=files ;;
      esac
      ;;
  esac
  COMPREPLY=()
  if [[ $offered == words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  elif [[ $offered == options && $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $offered == folders ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
  elif [[ $offered != nothing ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
} && complete -F _lockstep lockstep
