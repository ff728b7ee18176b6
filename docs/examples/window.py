"""A window that asks a survey, at a kiosk or, with a file for its state, on one respondent's own machine.

python window.py http://127.0.0.1:8000
python window.py http://127.0.0.1:8000 lunch.db
"""

import sys
import tkinter as tk
from collections.abc import Callable
from tkinter import ttk
from typing import Any

from asking import Kiosk, OwnMachine, answer

from sotto_client import SottoError, explain
from sotto_protocol import Question, Survey


class Form(ttk.Frame):
    """The questions, with a line each on what becomes of the answer, and a button that hands the answers over."""

    def __init__(self, root: tk.Tk, survey: Survey, send: Callable[["Form"], None]) -> None:
        super().__init__(root, padding=20)
        self._readers: dict[str, Callable[[], Any]] = {}
        if little := explain(survey).protected_little:
            ttk.Label(self, text=little, font="TkHeadingFont", wraplength=600).pack(anchor="w")
        for question in survey.questions:
            ttk.Label(self, text=question.text, font="TkHeadingFont").pack(anchor="w")
            ttk.Label(self, text=question.in_short, wraplength=600).pack(anchor="w")
            self._readers[question.id] = self._ask(question)
        self.fault = ttk.Label(self, foreground="#b00020", wraplength=600)
        self.fault.pack(anchor="w")
        ttk.Button(self, text="Send", command=lambda: send(self)).pack()

    def answers(self) -> dict[str, Any]:
        """Return what was answered, by question id; None where it was left out."""
        return {question_id: read() for question_id, read in self._readers.items()}

    def _ask(self, question: Question) -> Callable[[], Any]:
        if question.type == "text":
            entry = ttk.Entry(self)
            entry.pack(anchor="w")
            return lambda: entry.get().strip() or None
        if question.type == "any-of":
            boxes = {option: tk.BooleanVar(self) for option in question.options}
            for option, box in boxes.items():
                ttk.Checkbutton(self, text=option, variable=box).pack(anchor="w")
            return lambda: [option for option, box in boxes.items() if box.get()]
        chosen = tk.StringVar(self)
        for option in question.options or ("yes", "no"):
            ttk.Radiobutton(self, text=option, value=option, variable=chosen).pack(anchor="w")
        if question.type == "yes-no":
            return lambda: {"yes": True, "no": False}.get(chosen.get())
        return lambda: chosen.get() or None


class Notice(ttk.Frame):
    """A text, and a button to go on."""

    def __init__(self, root: tk.Tk, text: str, go_on: Callable[[], None]) -> None:
        super().__init__(root, padding=20)
        ttk.Label(self, text=text, wraplength=600).pack()
        ttk.Button(self, text="Go on", command=go_on).pack()


class Window:
    """Asks one respondent after the other. A new one begins with an empty form."""

    def __init__(self, root: tk.Tk, people: Kiosk | OwnMachine) -> None:
        self._root, self._people = root, people
        self._shown: ttk.Frame | None = None
        self._timer = root.after_idle(self.welcome)
        for event in ("<Key>", "<Button>"):
            root.bind_all(event, lambda _: self._wait())

    def welcome(self) -> None:
        try:
            device = self._people.next_device()
            self._show(Form(self._root, device.survey, lambda form: self._send(device, form)))
        except SottoError as fault:
            self._show(Notice(self._root, str(fault), self.welcome))

    def _send(self, device: Any, form: Form) -> None:
        try:
            self._show(Notice(self._root, answer(device, form.answers()), self.welcome))
        except SottoError as fault:
            form.fault["text"] = str(fault)

    def _show(self, frame: ttk.Frame) -> None:
        if self._shown is not None:
            self._shown.destroy()  # and with it what was answered
        self._shown = frame
        frame.pack()
        self._wait()

    def _wait(self) -> None:
        """Begin anew where nobody touches the machine for a while."""
        self._root.after_cancel(self._timer)
        if self._people.idle_s is not None:
            self._timer = self._root.after(1000 * self._people.idle_s, self.welcome)


def main() -> None:
    url, *state = sys.argv[1:]
    people = OwnMachine(url, state[0]) if state else Kiosk(url)
    root = tk.Tk()
    root.title("Lunch at work")
    Window(root, people)
    root.mainloop()
    if n_lost := people.close():
        sys.exit(f"{n_lost} reports were not delivered, and are lost.")


if __name__ == "__main__":
    main()
