"""The languages of texts that people read.

`messages` makes a text that knows its form; `catalogue` says it in a language, by a file in
gettext's own form. English is what the source says; `de.po` beside this file says each form in
German. A form has named places, `{name}`, and is always translated whole.
"""
