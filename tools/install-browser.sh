#!/usr/bin/env bash
# Installs Chromium and Firefox by apt-get, where they are not there already.
set -euo pipefail

missing=()
# first_of PACKAGE NAME...: the package is missing where none of the names is a command.
first_of() {
  local package=$1 name
  for name in "${@:2}"; do
    if command -v "$name" > /dev/null; then
      echo "$name is here"
      return
    fi
  done
  missing+=("$package")
}
first_of chromium chromium chromium-browser google-chrome
first_of firefox-esr firefox-esr firefox
[ "${#missing[@]}" -gt 0 ] || exit 0

command -v apt-get > /dev/null || { echo "no apt-get here: install ${missing[*]} by hand" >&2; exit 1; }
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null || { echo "apt-get needs root, and there is no sudo" >&2; exit 1; }
  as_root=(sudo -n)
fi
"${as_root[@]}" apt-get update -qq
# One by one: a machine may have one of them only.
for package in "${missing[@]}"; do
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends --yes "$package"
done
