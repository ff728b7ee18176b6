"""The forms in which documents are written, a file a form: text, Markdown, LaTeX, HTML."""
