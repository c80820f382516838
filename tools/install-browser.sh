#!/usr/bin/env bash
# Installs Chromium by apt-get, unless there is one already.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" > /dev/null; then
    echo "$name is here"
    exit 0
  fi
done
command -v apt-get > /dev/null || { echo "no apt-get here: install Chromium by hand" >&2; exit 1; }
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null || { echo "apt-get needs root, and there is no sudo" >&2; exit 1; }
  as_root=(sudo -n)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends --yes chromium
