# bash completion of pliant
_pliant() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb= word
  local verbs="demo run view bake check mesh pose detail info convert sense track fit capture bench help"
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || { verb=$word; break; }
  done
  COMPREPLY=()
  case $previous in
    -o | --output | --embedding | --schema | --contacts) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "pc2 mdd glb vtu obj ply csv actors none" -- "$current"); return ;;
    --material) mapfile -t COMPREPLY < <(compgen -W "corotated neo-hookean" -- "$current"); return ;;
    --fitter) mapfile -t COMPREPLY < <(compgen -W "gauss-newton nelder-mead" -- "$current"); return ;;
    --blend) mapfile -t COMPREPLY < <(compgen -W "linear harmonic" -- "$current"); return ;;
    --place) mapfile -t COMPREPLY < <(compgen -f -W "axis farthest" -- "$current"); return ;;
    --rate | --release | --rounds | --density | --gravity | --controls | --young | --poisson | --steps | --noise | --limit) return ;;
    --set | --animation | --body | --contact | --label | --fps | --seconds | --pre-roll | --eye) return ;;
    --port | --host | --threads | --seed | --frames | --strip | --strip-times | --checker | --title | --size | --cell-size | --points | --scale | --frame-rate | --checkpoint-every | --weight | --count | --window) return ;;
  esac
  local options=
  case $verb in
    demo) options="--list --all --output --frames --format --threads --hash --video --size --observer --set --help" ;;
    run) options="--output --frames --format --threads --seed --hash --picture --strip --strip-times --fixed-camera --overlay --checker --title --video --size --observer --ghost --set --resume --checkpoint-every --help" ;;
    view) options="--port --host --no-browser --threads --help" ;;
    bake) options="--output --format --animation --body --fps --seconds --loop --pre-roll --eye --threads --set --help" ;;
    check) options="--quiet --schema --set --help" ;;
    mesh) options="--output --points --cell-size --embedding --scale --help" ;;
    pose) options="--output --points --cell-size --volume --weight --exact --scale --help" ;;
    detail) options="--output --check --count --window --seed --body --points --cell-size --contact --label --contacts --scale --json --help" ;;
    info) options="--json --help" ;;
    convert) options="--scale --frame-rate --help" ;;
    sense) options="--output --body --tets --cameras --size --elevation --heading --rate --start --frames --noise --quantum --outliers --edge-dropout --dropout --clouds --seed --threads --set --help" ;;
    track) options="--output --surface --points --rest --hold --young --poisson --density --inertia --noise --detail --reach --first-reach --limit --no-gating --frames --format --truth --threads --resume --help" ;;
    fit) options="--output --hold --rate --predict --resume --density --gravity --material --controls --place --blend --young --poisson --fit-poisson --fitter --steps --noise --limit --no-warm-start --no-reference --threads --help" ;;
    capture) options="--output --surface --points --hold --release --rounds --truth --resume --density --gravity --material --controls --place --blend --young --poisson --fit-poisson --fitter --steps --noise --limit --no-warm-start --no-reference --threads --help" ;;
    bench) options="--json --quick --list --help" ;;
    help) mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$current"); return ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$verbs --help --version" -- "$current"); return ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ $verb == demo || $verb == view ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" demo --list 2>/dev/null | awk '{ print $1 }')" -- "$current")
  elif [[ $verb == detail && $previous == detail ]]; then
    mapfile -t COMPREPLY < <(compgen -W "record add info segment cover enrich" -- "$current")
  elif [[ $verb == bench ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" bench --list 2>/dev/null | awk '{ print $1 }')" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _pliant pliant
