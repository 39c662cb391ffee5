#!/bin/sh
# Runs a command of Ninefold for each file, because pre-commit passes all changed files in one call:
# `each.sh format --check -- a.md b.md`. `--from REVISION` compares each file with that revision's own.
command=${NINEFOLD:-npx --no-install ninefold}
words=
base=
while [ "$1" != "--" ]; do
  if [ "$1" = "--from" ]; then
    base=$2
    shift
  else
    words="$words $1"
  fi
  shift
done
shift
code=0
for file in "$@"; do
  if [ -z "$base" ]; then
    $command $words "$file" || code=1
  elif git cat-file -e "$base:$file" 2> /dev/null; then
    $command $words "$file" --from "$base:$file" || code=1
  fi
done
exit $code
