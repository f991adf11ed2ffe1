#!/bin/sh
# Makes samples/two-voices.ogg with its text, and samples/rare-name.ogg ("the meeting with mcglinchey was very
# long": a name that only a prompt can bring up), from nothing but our own words and two synthetic voices.
# Needs flite (with the voices rms and slt), sox and an ffmpeg with libopus: FFMPEG=... overrides.
# The committed files came from this script; run it again only to change what is said.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ffmpeg=${FFMPEG:-ffmpeg}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

turn=0
say() {
  turn=$((turn + 1))
  part=$(printf '%s/%03d.wav' "$work" "$turn")
  flite -voice "$1" --setf duration_stretch=1.05 -t "$2" -o "$work/raw.wav"
  # Half a second of pause after every turn, as between polite people.
  sox "$work/raw.wav" -r 16000 -c 1 "$part" norm -6 pad 0 0.5
  printf '%s\n' "$2" >>"$work/text"
}

say slt 'Good morning. Did you hear the birds in the garden at the break of day?'
say rms 'I did. There were two of them in the old gum tree behind the house, and they were singing to each other.'
say slt 'They come back every winter. My mother used to leave the window open so that she could listen.'
say rms 'It is a beautiful sound. It makes me think of long summers on the south coast when we were young.'
say slt 'We would walk along the beach for hours and never see another person.'
say rms 'And in the evening we would make a fire and drink tea under the stars.'
say slt 'Let us do that again in Sydney next week. I will bring the bread and you can bring the tea.'
say rms 'That is a very good plan. I will be ready on Saturday morning.'

# A trace of noise, because nothing that is recorded is ever perfectly silent.
sox "$work"/[0-9]*.wav "$work/dialogue.wav"
sox -n -r 16000 -c 1 "$work/noise.wav" synth "$(soxi -D "$work/dialogue.wav")" pinknoise vol 0.002
sox -m -v 1 "$work/dialogue.wav" -v 1 "$work/noise.wav" "$work/mixed.wav"
"$ffmpeg" -nostdin -v error -y -i "$work/mixed.wav" -map_metadata -1 -fflags +bitexact -flags:a +bitexact \
  -c:a libopus -b:a 48k "$here/two-voices.ogg"
cp "$work/text" "$here/two-voices.txt"

flite -voice rms -t 'the meeting with mcglinchey was very long' -o "$work/rare.wav"
"$ffmpeg" -nostdin -v error -y -i "$work/rare.wav" -map_metadata -1 -fflags +bitexact -flags:a +bitexact \
  -c:a libopus -b:a 32k -ar 16000 "$here/rare-name.ogg"
