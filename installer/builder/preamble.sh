#!/bin/sh
# pharos-hpc: finds the host's Python in fixed places, never through PATH; a zip archive follows these lines.
for python in /usr/bin/python3.13 /usr/bin/python3.12 /usr/bin/python3.11 \
    /usr/local/bin/python3.13 /usr/local/bin/python3.12 /usr/local/bin/python3.11; do
    [ -x "$python" ] && exec "$python" -I -S "$0" "$@"
done
for python in /usr/bin/python3 /usr/local/bin/python3 /usr/libexec/platform-python; do
    "$python" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && exec "$python" -I -S "$0" "$@"
done
echo "pharos-hpc: needs Python 3.11 or newer, and none was found in /usr/bin or /usr/local/bin; install python3.11 or run 'PYTHON pharos-hpc'" >&2
exit 69
