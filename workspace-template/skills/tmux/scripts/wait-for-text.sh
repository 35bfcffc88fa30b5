#!/bin/sh
# Waits until a pane shows a text.
# usage: wait-for-text.sh -t <pane> -p <pattern> [-F] [-S <socket>] [-T <seconds>] [-i <seconds>] [-l <lines>]
set -u

pane='' pattern='' fixed=no socket='' limit=15 pause=0.5 lines=1000
while getopts 't:p:FS:T:i:l:h' option; do
  case "$option" in
    t) pane=$OPTARG ;;
    p) pattern=$OPTARG ;;
    F) fixed=yes ;;
    S) socket=$OPTARG ;;
    T) limit=$OPTARG ;;
    i) pause=$OPTARG ;;
    l) lines=$OPTARG ;;
    *) sed -n '3s/^# //p' "$0"; exit 2 ;;
  esac
done
[ -n "$pane" ] && [ -n "$pattern" ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
case "$limit$lines" in *[!0-9]*) echo "Error: -T and -l take whole numbers" >&2; exit 2 ;; esac

screen() {
  if [ -n "$socket" ]; then tmux -S "$socket" capture-pane -p -J -t "$pane" -S "-$lines"
  else tmux capture-pane -p -J -t "$pane" -S "-$lines"
  fi
}
shown() {
  if [ "$fixed" = yes ]; then grep -qF -- "$pattern"; else grep -qE -- "$pattern"; fi
}

end=$(($(date +%s) + limit))
while :; do
  text=$(screen) || exit 1
  if printf '%s\n' "$text" | shown; then exit 0; fi
  [ "$(date +%s)" -lt "$end" ] || break
  sleep "$pause"
done
echo "Not shown within $limit s: $pattern" >&2
printf '%s\n' "$text"
exit 1
