# SPDX-License-Identifier: MIT
"""Wrong: the action itself is drawn anew by a repeat, under another name."""
import os, sys, time, urllib.request

if os.path.exists("done"):
    sys.exit(0)
name = "order-%d" % time.time_ns()
request = urllib.request.Request(os.environ["DEED_MOCK_URL"] + "/effects/" + name, b"{}")
request.add_header("Idempotency-Key", name)
urllib.request.urlopen(request, timeout=1).read()
open("done", "w").close()
