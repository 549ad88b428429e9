"""The languages of texts that people read: catalogues in gettext's own form, one file for each.

English is what the source says; a catalogue `de.po` beside this file says each text in German. A
text has named places, `{name}`, and is always translated whole.
"""

from microgauge.languages.catalogue import Words, languages, words_of

__all__ = ["Words", "languages", "words_of"]
