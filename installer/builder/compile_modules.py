"""Run by each interpreter whose bytecode is shipped: JSON of module sources in, marshalled code out."""

import base64
import json
import marshal
import sys

sources = json.load(sys.stdin)
answer = {}
for name in sorted(sources):
    code = compile(base64.b64decode(sources[name]), "pharos-hpc/" + name, "exec", dont_inherit=True)
    # twice: the first dump marks what happens to be referenced elsewhere in this process, the second does not
    answer[name] = base64.b64encode(marshal.dumps(marshal.loads(marshal.dumps(code)))).decode()
json.dump(answer, sys.stdout)
