"""How each kind of result is shown: tables, members of JSON, rows of CSV, HTML, pictures. The words are here."""
