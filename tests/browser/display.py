"""A display that nobody sees, for a browser that needs one, and the button that closes its windows."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, Structure, byref, c_int, c_long, c_uint, c_ulong, c_void_p

from chromium import miss

_CLIENT_MESSAGE = 33  # X.h


class _Message(Structure):
    """XClientMessageEvent of Xlib.h, padded to an XEvent."""

    _fields_ = (
        ("type", c_int),
        ("serial", c_ulong),
        ("is_sent", c_int),
        ("display", c_void_p),
        ("window", c_ulong),
        ("message_type", c_ulong),
        ("format", c_int),
        ("data", c_long * 5),
        ("padding", c_long * 12),
    )


@contextmanager
def open_display() -> Iterator[str]:
    """Start an X server without a screen until the block ends; yield the display's name."""
    program = shutil.which("Xvfb") or miss("Xvfb (Debian: apt-get install xvfb)")
    read_end, write_end = os.pipe()
    words = [program, "-displayfd", str(write_end), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    with (
        os.fdopen(read_end) as said,
        subprocess.Popen(words, pass_fds=[write_end], stderr=subprocess.DEVNULL) as server,
    ):
        try:
            os.close(write_end)
            yield f":{said.readline().strip()}"
        finally:
            server.terminate()


def close_windows(name: str) -> None:
    """Ask every window of a display to close, as the button in its corner does (ICCCM 4.2.8.1)."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = c_void_p
    for function in (x11.XDefaultRootWindow, x11.XInternAtom):
        function.restype = c_ulong
    display = c_void_p(x11.XOpenDisplay(name.encode()))
    protocols, delete = (x11.XInternAtom(display, atom, 0) for atom in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
    unused, windows, n_windows = c_ulong(), POINTER(c_ulong)(), c_uint()
    root = c_ulong(x11.XDefaultRootWindow(display))
    x11.XQueryTree(display, root, byref(unused), byref(unused), byref(windows), byref(n_windows))
    for window in windows[: n_windows.value]:
        message = _Message(_CLIENT_MESSAGE, 0, 1, display, window, protocols, 32, (c_long * 5)(delete))
        if x11.XGetWMProtocols(display, c_ulong(window), byref(POINTER(c_ulong)()), byref(c_int())):
            x11.XSendEvent(display, c_ulong(window), 0, c_long(0), byref(message))
    x11.XFree(windows)
    x11.XCloseDisplay(display)
