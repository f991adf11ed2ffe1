#!/bin/sh
# Runs Postgres over the data folder, which is made first where there is none. With the word `ready`: whether it answers.
set -eu

for folder in /usr/lib/postgresql/*/bin /usr/local/pgsql/bin; do
  if [ -d "$folder" ]; then PATH="$folder:$PATH"; fi
done
if [ "${1-}" = ready ]; then exec pg_isready --quiet --host=127.0.0.1; fi

data=/data/postgres
secrets=/etc/currawong/secrets

if [ ! -w /data ]; then
  echo 'The volume cannot be written to by user 65532: its storage class does not honour fsGroup. Use another class' \
    '(evaluation.*.storage.className), or set evaluation.volumePermissions=true.' >&2
  exit 1
fi

if [ ! -d "$data" ]; then
  # Made under another name and renamed when whole: a start that is cut off never leaves half a database.
  rm -rf "$data.new"
  initdb --pgdata="$data.new" --username=postgres --pwfile="$secrets/postgres-password" --auth=scram-sha-256 \
    --encoding=UTF8 --locale=C
  echo 'host all all all scram-sha-256' > "$data.new/pg_hba.conf"
  echo 'CREATE DATABASE currawong' | postgres --single -D "$data.new" postgres > /dev/null
  mv "$data.new" "$data"
fi

read -r written < "$data/PG_VERSION"
running=$(postgres --version)
running=${running#*) }
if [ "${running%%.*}" != "$written" ]; then
  echo "The data was written by Postgres $written and this is $running: set evaluation.postgres.image.tag to a Postgres $written." >&2
  exit 1
fi

# The roles of the services, with the passwords of the Secret.
postgres --single -j -D "$data" currawong < "$secrets/roles.sql" > /dev/null

# Without a socket file there is one way in. SIGTERM would wait for every client to leave; SIGINT sends them away.
postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories= -c timezone=UTC -c log_timezone=UTC &
server=$!
trap 'kill -INT "$server"' TERM INT
wait "$server" || true
# The first wait ends with the signal, the second with the server.
wait "$server"
