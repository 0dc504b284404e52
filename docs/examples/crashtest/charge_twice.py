#!/usr/bin/env python3
"""Has a bug: each attempt draws a key of its own, so that a repeat is a second charge."""
import http.client, json, os, sys, urllib.request, uuid

URL = os.environ["DEED_MOCK_URL"] + "/effects/order-18"
if not os.path.exists("order-18"):
    with open("order-18.new", "w") as file:
        json.dump({"key": str(uuid.uuid4()), "body": {"cents": 990}}, file)
        os.fsync(file.flush() or file.fileno())
    os.rename("order-18.new", "order-18")
with open("order-18") as file:
    order = json.load(file)
for attempt in range(3):
    request = urllib.request.Request(URL, json.dumps(order["body"]).encode())
    request.add_header("Idempotency-Key", str(uuid.uuid4()))
    try:
        urllib.request.urlopen(request, timeout=2).read()
        sys.exit(0)  # it answered, whole: it is done
    except (OSError, http.client.HTTPException) as problem:
        print("not known:", problem)
sys.exit(3)  # whoever starts it again sends the same, under the same key
