#!/bin/sh
# Lays out a new skill.
# usage: init.sh <name> --path <folder> [--resources scripts,references,assets] [--examples]
set -u

fail() { echo "Error: $1" >&2; exit 1; }

name='' path='' resources='' examples=no
while [ $# -gt 0 ]; do
  case "$1" in
    --path) [ $# -ge 2 ] || fail "--path needs a folder"; path=$2; shift 2 ;;
    --resources) [ $# -ge 2 ] || fail "--resources needs names"; resources=$2; shift 2 ;;
    --examples) examples=yes; shift ;;
    -*) fail "unknown option $1" ;;
    *) [ -z "$name" ] || fail "one name only"; name=$1; shift ;;
  esac
done

name=$(printf '%s' "$name" | tr 'A-Z' 'a-z' | sed -e 's/[^a-z0-9][^a-z0-9]*/-/g' -e 's/^-//' -e 's/-$//')
[ -n "$name" ] || fail "the name needs a letter or a digit"
[ "${#name}" -le 64 ] || fail "the name is longer than 64 characters"
[ -n "$path" ] || fail "say where: --path <folder>"
[ "$examples" = no ] || [ -n "$resources" ] || fail "--examples needs --resources"
kinds=$(printf '%s' "$resources" | tr ',' ' ')
for kind in $kinds; do
  case "$kind" in
    scripts | references | assets) ;;
    *) fail "unknown resource $kind (scripts, references, assets)" ;;
  esac
done

skill="$path/$name"
[ ! -e "$skill" ] || fail "$skill is there already"
mkdir -p "$skill" || exit 1
cat > "$skill/SKILL.md" <<TEXT
---
name: $name
description: TODO what it does, and for which words of a person it is meant
---

# $name

TODO what to do, step by step
TEXT
for kind in $kinds; do
  mkdir -p "$skill/$kind"
  [ "$examples" = yes ] || continue
  case "$kind" in
    scripts) printf '#!/bin/sh\necho "TODO"\n' > "$skill/scripts/example.sh" ;;
    references) printf '# TODO\n' > "$skill/references/api_reference.md" ;;
    assets) printf 'TODO\n' > "$skill/assets/example_asset.txt" ;;
  esac
done
echo "Made $skill"
