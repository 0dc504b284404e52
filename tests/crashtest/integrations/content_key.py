# SPDX-License-Identifier: MIT
"""Wrong: the key is derived from what is sent, and what is sent is drawn anew by a repeat."""
import hashlib, os, sys, time, urllib.request

if os.path.exists("done"):
    sys.exit(0)
body = b'{"cents":990,"note":"at %d"}' % time.time_ns()
request = urllib.request.Request(os.environ["DEED_MOCK_URL"] + "/effects/order-18", body)
request.add_header("Idempotency-Key", hashlib.sha256(body).hexdigest())
urllib.request.urlopen(request, timeout=1).read()
open("done", "w").close()
