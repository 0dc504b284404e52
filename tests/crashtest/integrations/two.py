# SPDX-License-Identifier: MIT
"""Right: two effects, the second for the second half of the first; one key for each, for ever."""
import http.client, os, sys, urllib.request

for name in ("half-1", "half-2"):
    request = urllib.request.Request(os.environ["DEED_MOCK_URL"] + "/effects/" + name, b"{}")
    request.add_header("Idempotency-Key", "key-of-" + name)
    try:
        urllib.request.urlopen(request, timeout=1).read()
    except (OSError, http.client.HTTPException):
        sys.exit(3)
