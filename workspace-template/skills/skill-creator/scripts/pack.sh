#!/bin/sh
# Packs a skill into <name>.tar.gz, after checking it.
# usage: pack.sh <folder> <target folder>
set -u

[ $# -eq 2 ] || { echo "usage: pack.sh <folder> <target folder>" >&2; exit 2; }
folder=${1%/}
name=$(basename "$folder")
parent=$(dirname "$folder")
archive="${2%/}/$name.tar.gz"

sh "$(dirname "$0")/check.sh" "$folder" || exit 1
if [ -n "$(find "$folder" -type l)" ]; then
  echo "Error: there are links in $folder, which do not belong into a skill" >&2
  exit 1
fi
list=$(find "$folder" -type f | grep -Ev '/(\.git|\.svn|\.hg|__pycache__|node_modules)/' |
  sed "s|^$parent/||")
# shellcheck disable=SC2086
(cd "$parent" && tar -czf - $list) > "$archive" || { rm -f "$archive"; exit 1; }
echo "Made $archive"
