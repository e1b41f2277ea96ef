# bash completion of pliant, printed by `pliant manual bash`
_pliant_offer() { # compgen options
  mapfile -t COMPREPLY < <(compgen "$@" -- "${COMP_WORDS[COMP_CWORD]}")
}
_pliant() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb='' word options names='' files=-f
  local verbs="demo new run view bake check mesh pose detail info convert sense track fit capture solve modes tune bench manual help"
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || { verb=$word; break; }
  done
  COMPREPLY=()
  case $verb in
    demo)
      options="--output --list --all --frames --format --threads --hash --checkpoint-every --video --size --set --observer --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -d; return ;;
        --format) _pliant_offer -W "pc2 mdd glb usda vtu obj ply csv npz actors none"; return ;;
        --frames | --threads | --checkpoint-every | --size | --set) return ;;
      esac
      names=$("${COMP_WORDS[0]}" demo --list 2>/dev/null | awk '{ print $1 }')
      files=
      ;;
    new)
      options="--output --force --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -f; return ;;
      esac
      ;;
    run)
      options="--output --frames --format --threads --seed --hash --picture --video --plot --strip --strip-times --no-tables --fixed-camera --overlay --checker --title --size --observer --json --ghost --set --resume --checkpoint-every --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -d; return ;;
        --format) _pliant_offer -W "pc2 mdd glb usda vtu obj ply csv npz actors none"; return ;;
        --frames | --threads | --seed | --strip | --strip-times | --checker | --title | --size | --set | --checkpoint-every) return ;;
      esac
      ;;
    view)
      options="--port --host --folder --no-browser --threads --quiet --strict --help"
      case $previous in
        --folder) _pliant_offer -d; return ;;
        --port | --host | --threads) return ;;
      esac
      names=$("${COMP_WORDS[0]}" demo --list 2>/dev/null | awk '{ print $1 }')
      ;;
    bake)
      options="--output --format --animation --motion --body --fps --seconds --exact --loop --pre-roll --set --eye --threads --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -f; return ;;
        --format) _pliant_offer -W "glb pc2"; return ;;
        --motion) _pliant_offer -f; return ;;
        --animation | --body | --fps | --seconds | --pre-roll | --set | --eye | --threads) return ;;
      esac
      ;;
    check)
      options="--json --schema --set --quiet --strict --help"
      case $previous in
        --schema) _pliant_offer -f; return ;;
        --set) return ;;
      esac
      ;;
    mesh)
      options="--output --points --cell-size --embedding --quadratic --scale --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -f; return ;;
        --embedding) _pliant_offer -f; return ;;
        --points | --cell-size | --scale) return ;;
      esac
      ;;
    pose)
      options="--output --points --cell-size --volume --weight --exact --match --scale --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -f; return ;;
        --points | --cell-size | --weight | --scale) return ;;
      esac
      ;;
    detail)
      options="--output --check --surfaces --count --window --seed --body --points --cell-size --contact --label --contacts --scale --json --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -f; return ;;
        --contacts) _pliant_offer -f; return ;;
        --surfaces | -k | --count | --window | --seed | --body | --points | --cell-size | --contact | --label | --scale) return ;;
      esac
      [[ $previous != detail ]] || { names="record add info segment cover enrich" files=; }
      ;;
    info)
      options="--json --nodes --quiet --strict --help"
      ;;
    convert)
      options="--scale --frame-rate --quiet --strict --help"
      case $previous in
        --scale | --frame-rate) return ;;
      esac
      ;;
    sense)
      options="--output --body --tets --cameras --size --elevation --heading --rate --start --frames --noise --quantum --outliers --edge-dropout --dropout --clouds --seed --threads --set --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -d; return ;;
        --tets) _pliant_offer -f; return ;;
        --body | --cameras | --size | --elevation | --heading | --rate | --start | --frames | --noise | --quantum | --outliers | --edge-dropout | --dropout | --seed | --threads | --set) return ;;
      esac
      ;;
    track)
      options="--output --surface --points --rest --hold --young --poisson --density --inertia --noise --detail --reach --first-reach --align --max-points --no-gating --frames --format --truth --threads --json --resume --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -d; return ;;
        --surface) _pliant_offer -f; return ;;
        --rest) _pliant_offer -f; return ;;
        --hold) _pliant_offer -f; return ;;
        --format) _pliant_offer -W "pc2 mdd glb usda vtu obj ply csv npz none"; return ;;
        --truth) _pliant_offer -f; return ;;
        --points | --young | --poisson | --density | --inertia | --noise | --detail | --reach | --first-reach | --max-points | --frames | --threads) return ;;
      esac
      ;;
    fit)
      options="--output --hold --rate --predict --resume --gravity --markers --start --sags --curve --grip --pull --frequencies --refine --density --material --element --controls --placement --blend --young --poisson --fit-poisson --prony --loss-factor --fitter --steps --noise --max-iterations --fix --bound --no-warm-start --shape --no-reference --json --threads --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -d; return ;;
        --hold) _pliant_offer -f; return ;;
        --predict) _pliant_offer -f; return ;;
        --markers) _pliant_offer -f; return ;;
        --start) _pliant_offer -W "given pulled moving"; return ;;
        --sags) _pliant_offer -f; return ;;
        --curve) _pliant_offer -f; return ;;
        --frequencies) _pliant_offer -f; return ;;
        --material) _pliant_offer -W "corotated neo-hookean"; return ;;
        --element) _pliant_offer -W "linear quadratic"; return ;;
        --placement) _pliant_offer -f -W "axis farthest"; return ;;
        --blend) _pliant_offer -W "linear harmonic"; return ;;
        --fitter) _pliant_offer -W "gauss-newton nelder-mead"; return ;;
        --shape) _pliant_offer -W "static unstressed unknown"; return ;;
        --rate | --gravity | --grip | --pull | --density | --controls | --young | --poisson | --prony | --loss-factor | --steps | --noise | --max-iterations | --fix | --bound | --threads) return ;;
      esac
      ;;
    capture)
      options="--output --surface --points --hold --release --rounds --truth --resume --gravity --density --material --element --controls --placement --blend --young --poisson --fit-poisson --prony --loss-factor --fitter --steps --noise --max-iterations --fix --bound --no-warm-start --shape --no-reference --json --threads --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -d; return ;;
        --surface) _pliant_offer -f; return ;;
        --hold) _pliant_offer -f; return ;;
        --truth) _pliant_offer -f; return ;;
        --material) _pliant_offer -W "corotated neo-hookean"; return ;;
        --element) _pliant_offer -W "linear quadratic"; return ;;
        --placement) _pliant_offer -f -W "axis farthest"; return ;;
        --blend) _pliant_offer -W "linear harmonic"; return ;;
        --fitter) _pliant_offer -W "gauss-newton nelder-mead"; return ;;
        --shape) _pliant_offer -W "static unstressed unknown"; return ;;
        --points | --release | --rounds | --gravity | --density | --controls | --young | --poisson | --prony | --loss-factor | --steps | --noise | --max-iterations | --fix | --bound | --threads) return ;;
      esac
      ;;
    solve)
      options="--output --table --stress --material --element --young --poisson --density --hold --scale --gravity --force --on --load-steps --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -f; return ;;
        --table) _pliant_offer -f; return ;;
        --stress) _pliant_offer -f; return ;;
        --material) _pliant_offer -W "corotated neo-hookean yeoh"; return ;;
        --element) _pliant_offer -W "linear quadratic"; return ;;
        --hold) _pliant_offer -f; return ;;
        --young | --poisson | --density | --scale | --gravity | --force | --on | --load-steps) return ;;
      esac
      ;;
    modes)
      options="--output --table --count --size --material --element --young --poisson --density --hold --scale --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -d; return ;;
        --table) _pliant_offer -f; return ;;
        --material) _pliant_offer -W "corotated neo-hookean yeoh"; return ;;
        --element) _pliant_offer -W "linear quadratic"; return ;;
        --hold) _pliant_offer -f; return ;;
        -n | --count | --size | --young | --poisson | --density | --scale) return ;;
      esac
      ;;
    tune)
      options="--output --vary --trials --population --seed --threads --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -f; return ;;
        --vary | --trials | --population | --seed | --threads) return ;;
      esac
      ;;
    bench)
      options="--json --quick --list --quiet --strict --help"
      names=$("${COMP_WORDS[0]}" bench --list 2>/dev/null | awk '{ print $1 }')
      files=
      ;;
    manual)
      options="--output --quiet --strict --help"
      case $previous in
        -o | --output) _pliant_offer -f; return ;;
      esac
      [[ $previous != manual ]] || { names="man bash zsh fish verbs options exit-status" files=; }
      files=
      ;;
    help) _pliant_offer -W "$verbs"; return ;;
    *) _pliant_offer -W "$verbs --help --version"; return ;;
  esac
  if [[ $current == -* ]]; then
    _pliant_offer -W "$options"
  else
    _pliant_offer ${files:+-f} -W "$names"
  fi
}
complete -o filenames -F _pliant pliant
