#!/bin/sh
# Lists tmux sessions.
# usage: find-sessions.sh [-S <socket> | -L <name> | -A <folder of sockets>] [-q <part of a name>]
set -u

socket='' named='' folder='' part=''
while getopts 'S:L:A:q:h' option; do
  case "$option" in
    S) socket=$OPTARG ;;
    L) named=$OPTARG ;;
    A) folder=$OPTARG ;;
    q) part=$OPTARG ;;
    *) sed -n '3s/^# //p' "$0"; exit 2 ;;
  esac
done
places=0
for place in "$socket" "$named" "$folder"; do
  [ -z "$place" ] || places=$((places + 1))
done
[ "$places" -le 1 ] || { echo "Error: -S, -L and -A exclude each other" >&2; exit 2; }

list() {
  tmux "$@" list-sessions -F '#{session_name}	#{session_windows} windows	#{?session_attached,attached,detached}' 2>/dev/null |
    if [ -z "$part" ]; then cat; else grep -iF -- "$part"; fi
}

if [ -n "$folder" ]; then
  found=1
  for each in "$folder"/*; do
    [ -S "$each" ] || continue
    lines=$(list -S "$each") || continue
    printf '%s\n%s\n' "$each:" "$lines"
    found=0
  done
  exit "$found"
fi
if [ -n "$socket" ]; then list -S "$socket"
elif [ -n "$named" ]; then list -L "$named"
else list
fi
