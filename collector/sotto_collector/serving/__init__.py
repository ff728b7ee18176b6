"""The server and its processes: sockets, threads, workers. It knows waitress; nothing else does."""
