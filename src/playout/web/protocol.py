"""HTTP at the wire: what is no request, or is too long for one, gets an answer that arrives.

Uvicorn answers such a thing and closes the connection at once. What the client is still sending then meets a closed
socket, and the answer is lost in a reset. Here the rest is heard out for a moment, and thrown away.
"""

import json

from uvicorn.protocols.http.h11_impl import H11Protocol

LONGEST = 1 << 16  # bytes of an address with its headers, as h11 counts them
LINGER = 2.0  # seconds


class Protocol(H11Protocol):
    """Uvicorn's own, but for its refusals."""

    _refused = False

    def data_received(self, data: bytes) -> None:
        if not self._refused:
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """The status, the headers and the body by hand: h11 may be in no state to write them."""
        self._refused = True
        self._unset_keepalive_if_required()
        too_long = len(self.conn.trailing_data[0]) >= LONGEST
        if too_long:
            status, code = "431 Request Header Fields Too Large", "too_large"
            message = f"the address and the headers have more than {LONGEST:,} bytes, the most that is read"
        else:
            status, code, message = "400 Bad Request", "bad_request", "this is no HTTP request"
        body = json.dumps({"error": {"code": code, "message": message}}).encode()
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close"
        )
        self.transport.write(f"{head}\r\n\r\n".encode() + body)
        self.loop.call_later(LINGER, self.transport.close)

    def shutdown(self) -> None:
        if self._refused:
            self.transport.close()
        else:
            super().shutdown()
