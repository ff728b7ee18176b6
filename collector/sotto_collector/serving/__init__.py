"""The server and its processes: sockets, threads, workers. Nothing else knows waitress."""
