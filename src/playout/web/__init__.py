"""The workbench: sessions of searches behind HTTP and a WebSocket, and the page that shows them. See docs/http.md.

Needs the extra `web` (FastAPI, Uvicorn). Only `playout serve` imports it.
"""
