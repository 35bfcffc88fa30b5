#!/bin/sh
# Checks a skill's folder, and says all that is wrong with it.
# usage: check.sh <folder>
set -u

[ $# -eq 1 ] || { echo "usage: check.sh <folder>" >&2; exit 2; }
folder=${1%/}
file="$folder/SKILL.md"
name=$(basename "$folder")
wrong=0
say() { echo "$folder: $1"; wrong=1; }

[ -d "$folder" ] || { echo "Error: there is no folder $folder" >&2; exit 1; }
[ -f "$file" ] || { echo "Error: there is no $file" >&2; exit 1; }

printf '%s\n' "$name" | grep -Eq '^[a-z0-9]+(-[a-z0-9]+)*$' ||
  say "the name has other letters than a-z, 0-9 and single hyphens"
[ "${#name}" -le 64 ] || say "the name is longer than 64 characters"

if [ "$(head -n 1 "$file")" != "---" ]; then
  say "SKILL.md does not begin with front matter (---)"
else
  head=$(sed -e '1d' -e '/^---[ ]*$/,$d' "$file")
  sed '1d' "$file" | grep -Eq '^---[ ]*$' || say "the front matter has no end (---)"
  given=$(printf '%s\n' "$head" | sed -n 's/^name:[ ]*//p' | tr -d "\"'")
  [ "$given" = "$name" ] || say "name is \"$given\", the folder is \"$name\""
  description=$(printf '%s\n' "$head" | sed -n '/^description:/,/^[a-z-]*:/p' |
    sed -e 's/^description:[ ]*[|>]*[-+]*//' -e '/^[a-z-]*:/d' | tr '\n' ' ' | sed 's/^ *//;s/ *$//')
  [ -n "$description" ] || say "there is no description"
  [ "${#description}" -le 1024 ] || say "the description is longer than 1024 characters"
  case "$description" in *'<'* | *'>'*) say "the description has angle brackets" ;; esac
  case "$description" in *TODO*) say "the description still has a TODO" ;; esac
  always=$(printf '%s\n' "$head" | sed -n 's/^always:[ ]*//p')
  case "$always" in '' | true | false) ;; *) say "always is neither true nor false" ;; esac
  for key in $(printf '%s\n' "$head" | sed -n 's/^\([A-Za-z_-]*\):.*/\1/p'); do
    case "$key" in
      name | description | metadata | always | license | allowed-tools | homepage) ;;
      *) say "unknown key $key" ;;
    esac
  done
fi

for entry in $(ls -A "$folder"); do
  case "$entry" in
    SKILL.md | scripts | references | assets | .origin.json) ;;
    *) say "$entry does not belong beside SKILL.md" ;;
  esac
done

[ "$wrong" -eq 0 ] && echo "$folder is fine"
exit "$wrong"
