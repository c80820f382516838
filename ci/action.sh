#!/usr/bin/env bash
# What the composite Action runs; everything it is told is in TENURE_… of the environment.
set -euo pipefail

fail() {
  echo "error: $*" >&2
  exit 2
}

# The lines of an input as an array, without the spaces around each; those of a block in YAML may be indented.
lines_of() {
  local line
  lines=()
  while IFS= read -r line; do
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    if [[ -n "$line" ]]; then lines+=("$line"); fi
  done <<< "$1"
}

# The commit that diff compares with. The head of a pull request is a merge that GitHub made, unless the workflow
# has checked out another commit; its first parent is the base. It is fetched where the checkout is shallow.
base_commit() {
  local base=${TENURE_BASE:-}
  if [[ -z "$base" && "${GITHUB_EVENT_NAME:-}" == pull_request && "$(git rev-parse HEAD)" == "${GITHUB_SHA:-}" ]]; then
    base=$(git cat-file commit HEAD | sed -n '/^parent /{s///p;q;}')
  fi
  base=${base:-${TENURE_EVENTBASE:-}}
  [[ "$base" =~ ^[[:alnum:]][[:alnum:]._/-]*$ ]] ||
    fail "base: found '$base', expected a commit or a branch; a push or a pull request has one"
  if ! git cat-file -e "$base^{commit}" 2> /dev/null; then
    git fetch --quiet --no-tags --depth=1 origin "$base" > "$scratch/fetched" 2>&1 ||
      fail "base: found '$base', which cannot be fetched, expected a commit of origin, or actions/checkout with" \
        "fetch-depth: 0 ($(tail -n 1 "$scratch/fetched"))"
    base=FETCH_HEAD
  fi
  git rev-parse "$base^{commit}"
}

# A release, or the checkout of this Action; nothing where tenure is there already.
# The current folder is a pull request's: no interpreter may import from it, nor from where PYTHON… variables
# point, since that may be below it. Hence -I, also for the processes that tenure starts, and another folder for
# pip, whose own subprocesses are not isolated.
install() {
  case "${TENURE_VERSION:-}" in
    installed)
      command -v tenure > /dev/null || fail "version: found 'installed', expected tenure on PATH"
      # Its interpreter is not known here, so it cannot be given -I.
      unset "${!PYTHON@}"
      export PYTHONSAFEPATH=1
      tenure=(tenure)
      ;;
    "")
      needed build
      hashed
      pip_install --no-deps --no-build-isolation -- "$TENURE_SOURCE"
      ;;
    *)
      hashed
      pip_install --no-deps -- "tenure==$TENURE_VERSION"
      ;;
  esac
}

# What Tenure needs is installed in the releases that it is tested with, and is refused if its bytes are others.
hashed() {
  local extra extras
  IFS=', ' read -ra extras <<< "${TENURE_EXTRAS:-}"
  needed base
  for extra in "${extras[@]}"; do
    [[ "$extra" =~ ^(proofs|fast|charts|strategies|pytest)$ ]] ||
      fail "extras: found '$extra', expected proofs, fast, charts, strategies or pytest"
    needed "$extra"
  done
  pip_install --only-binary :all: --require-hashes "${requirements[@]}"
}

needed() {
  requirements+=(--requirement "$TENURE_SOURCE/ci/requirements/$1.txt")
}

pip_install() {
  (
    cd "$scratch"
    unset "${!PYTHON@}"
    # What is imported is compiled then; the rest would take longer than the check.
    python -I -m pip install --quiet --disable-pip-version-check --no-compile "$@"
  )
}

case "${TENURE_COMMAND:=validate}" in
  validate | test | check | diff | decide | simulate | prove | conform) ;;
  *) fail "command: found '$TENURE_COMMAND', expected validate, test, check, diff, decide, simulate, prove or conform" ;;
esac

arguments=("$TENURE_COMMAND")
if [[ "$TENURE_COMMAND" =~ ^(check|diff)$ ]]; then arguments=(analyze "$TENURE_COMMAND"); fi
# What another run has kept is not believed here: its folder may have been restored, or written by another job.
if [[ "$TENURE_COMMAND" =~ ^(prove|check|diff|test)$ ]]; then arguments+=(--no-cache); fi
lines_of "${TENURE_RENDER:-}"
if ((${#lines[@]})); then
  [[ "$TENURE_COMMAND" =~ ^(check|diff|test)$ ]] ||
    fail "render: found '${lines[0]}', expected it with command test, check or diff"
  for renderer in "${lines[@]}"; do arguments+=(--render "$renderer"); done
fi
lines_of "${TENURE_PATHS:-}"
paths=(${lines[@]+"${lines[@]}"})

# xargs splits words as a shell would, and expands and runs nothing.
words=$(xargs -n 1 printf '%s\n' <<< "${TENURE_ARGS:-}") || fail "args: found an open quote, expected words"
while IFS= read -r word; do
  if [[ -n "$word" ]]; then arguments+=("$word"); fi
done <<< "$words"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [[ "$TENURE_COMMAND" == diff ]]; then
  ((${#paths[@]} < 2)) || fail "paths: found ${#paths[@]} paths, expected one folder with command diff"
  arguments+=(--fail-on "${TENURE_FAILON:-new-preemption,lost-guarantee}")
  if [[ -n "${TENURE_BASELINE:-}" ]]; then arguments+=(--baseline "$TENURE_BASELINE"); fi
  base=$(base_commit)
  if [[ "${paths[0]:=.}" == -* ]]; then paths[0]="./${paths[0]}"; fi
  paths=("$base:${paths[0]}" "${paths[0]}")
fi
annotations="$scratch/annotations"
if [[ "${TENURE_ANNOTATIONS:-true}" == true ]]; then arguments+=(--report "github=$annotations"); fi
summary="$scratch/summary"
# GitHub refuses a summary of more than 1 MiB.
if [[ -n "${GITHUB_STEP_SUMMARY:-}" || "${TENURE_COMMENT:-}" == true ]]; then
  arguments+=(--report "summary=$summary")
fi
if [[ -n "${TENURE_JUNIT:-}" ]]; then arguments+=(--report "junit=$TENURE_JUNIT"); fi
if [[ -n "${TENURE_SARIF:-}" ]]; then arguments+=(--report "sarif=$TENURE_SARIF"); fi
if ((${#paths[@]})); then arguments+=(-- "${paths[@]}"); fi

tenure=(python -I -m tenure)
requirements=()
install

# Names in manifests may read like a command to the workflow; between these two lines none is obeyed.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
code=0
"${tenure[@]}" "${arguments[@]}" 2>&1 || code=$?
echo "::$token::"

if [[ -f "$annotations" ]]; then cat "$annotations"; fi
if [[ -f "$summary" && "${TENURE_COMMENT:-}" == true && -n "${GITHUB_OUTPUT:-}" ]]; then
  kept=$(mktemp)
  cp "$summary" "$kept"
  echo "summary=$kept" >> "$GITHUB_OUTPUT"
fi
if [[ -f "$summary" && -n "${GITHUB_STEP_SUMMARY:-}" ]] && (($(wc -c < "$summary") < 1000000)); then
  cat "$summary" >> "$GITHUB_STEP_SUMMARY"
fi
if [[ -n "${GITHUB_OUTPUT:-}" ]]; then echo "exit-code=$code" >> "$GITHUB_OUTPUT"; fi
exit "$code"
