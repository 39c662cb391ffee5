#!/bin/sh
# Checks the canonical print of each file: pre-commit passes all changed files in one call.
command=${NINEFOLD:-npx --no-install ninefold}
code=0
for file in "$@"; do
  $command format "$file" --check || code=1
done
exit $code
