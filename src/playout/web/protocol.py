"""Answers to malformed and oversized HTTP requests that reach the client.

Uvicorn answers and closes the connection at once. If the client is still sending, it gets a reset and never sees the
answer. So the connection stays open for a moment, and what still comes in is discarded.
"""

import json

from uvicorn.protocols.http.h11_impl import H11Protocol

from .refusals import MEDIA_TYPE, problem

LONGEST = 1 << 16  # bytes of an address with its headers, as h11 counts them
LINGER = 2.0  # seconds


class Protocol(H11Protocol):
    """Uvicorn's, with other answers to requests that it refuses."""

    _refused = False

    def data_received(self, data: bytes) -> None:
        """Ignore what comes after a refusal."""
        if not self._refused:
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Write the answer by hand: h11 may be in a state in which it can't."""
        self._refused = True
        self._unset_keepalive_if_required()
        too_long = len(self.conn.trailing_data[0]) >= LONGEST
        if too_long:
            status, phrase, code = 431, "Request Header Fields Too Large", "too_large"
            message = f"the address and the headers have more than {LONGEST:,} bytes, the limit"
        else:
            status, phrase, code, message = 400, "Bad Request", "bad_request", "this is not an HTTP request"
        body = json.dumps(problem(status, code, message)).encode()
        headers = f"Content-Type: {MEDIA_TYPE}\r\nContent-Length: {len(body)}\r\nConnection: close"
        self.transport.write(f"HTTP/1.1 {status} {phrase}\r\n{headers}\r\n\r\n".encode() + body)
        self.loop.call_later(LINGER, self.transport.close)

    def shutdown(self) -> None:
        """Close the connection."""
        if self._refused:
            self.transport.close()
        else:
            super().shutdown()
