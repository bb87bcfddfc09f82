#!/bin/sh
# pharos-hpc: these lines, then a zip archive (unzip -l lists it). They start the first Python of a fixed list, never
# one of PATH: root runs this. Any other Python 3.11 or newer: /path/to/python3 -I -S pharos-hpc ...
for python in /usr/bin/python3.13 /usr/bin/python3.12 /usr/bin/python3.11 \
    /usr/local/bin/python3.13 /usr/local/bin/python3.12 /usr/local/bin/python3.11; do
    [ -x "$python" ] && exec "$python" -I -S -B "$0" "$@"
done
for python in /usr/bin/python3 /usr/local/bin/python3; do
    [ -x "$python" ] && "$python" -I -S -B -c 'import sys; sys.exit(sys.version_info < (3, 11))' &&
        exec "$python" -I -S -B "$0" "$@"
done
echo "pharos-hpc: needs Python 3.11 or newer, and neither /usr/bin nor /usr/local/bin has one; run it as: /path/to/python3 -I -S $0" >&2
exit 69
