"""Guesses who could be recognised by what: keys and sensitive variables by name or label.

A guess is offered to a person, never acted upon. It looks at words in several languages, at types
and at how many values a variable has; no value is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Literal

import numpy as np

from microgauge.measures.left_in.names import GROUPS, named, words_of
from microgauge.records import dataclass
from microgauge.schema import ANALYSED
from microgauge.study.variable import Described
from microgauge.tables import Table

GuessedRole = Literal["quasi_identifier", "sensitive", "weight"]

_AGE = """
age ages aged agegroup agegrp agegr agecat agecategory ageband ageclass agep yearsold birthyear
yearofbirth yob dob birthdate dateofbirth birthmonth birth born alter altersgruppe altersklasse
alterskategorie geburtsjahr geburtsmonat geburtsdatum naissance anneenaissance anneedenaissance
datenaissance edad nacimiento anonacimiento fechanacimiento leeftijd leeftijdsgroep geboortejaar
geboortedatum eta annonascita annodinascita nascita classeeta idade nascimento anonascimento wiek
alder aldersgruppe ika syntymavuosi
"""
_SEX = """
sex gender male female geschlecht sexe genre sexo genero geslacht sesso genere plec kjonn kon
sukupuoli
"""
_PLACE = """
region state county district province municipality city town village zip zipcode postcode
postalcode puma tract metro urban rural urbanrural placesize residence neighbourhood neighborhood
locality bundesland gemeinde landkreis kreis bezirk regierungsbezirk wohnort plz postleitzahl
stadt gemeindegrosse departement commune codepostal ville provincia municipio comunidad
codigopostal ciudad localidad gemeente provincie woonplaats regione comune citta distrito concelho
freguesia cidade wojewodztwo powiat gmina kommun kommune kunta fylke
"""
_ORIGIN = """
race raceth racp rac ethnicity ethnic ethnicgroup hispanic hispan hisp latino ancestry tribe caste
nationality citizenship citizen nativity immigrant migrant country nativecountry birthplace
placeofbirth countryofbirth pobp pob language mothertongue staatsangehorigkeit staatsburgerschaft
nationalitat migrationshintergrund geburtsland geburtsort herkunft herkunftsland sprache
muttersprache nationalite pays paysnaissance lieunaissance langue origine nacionalidad pais raza
etnia idioma lengua lugarnacimiento nationaliteit herkomst geboorteland moedertaal nazionalita
cittadinanza raca naturalidade
"""
_FAMILY = """
marital maritalstatus maritalst marst married marriage civilstatus relationship relate relp
relshipp householdsize hhsize familysize famsize household children nchildren numberofchildren
kids familienstand haushaltsgrosse haushaltstyp kinderzahl etatcivil situationmatrimoniale
statutmatrimonial taillemenage nbenfants estadocivil tamanohogar burgerlijkestaat huishoudgrootte
gezinsgrootte statocivile stancywilny civilstand sivilstand siviilisaaty
"""
_WORK = """
occupation occp profession job jobtitle industry indp indus workclass classofworker employment
employmentstatus employed socprof isco nace veteran military beruf berufsgruppe branche
wirtschaftszweig erwerbsstatus metier csp pcs ocupacion profesion beroep professione profissao
zawod yrke ammatti
"""
_LEARNING = """
education educ edu educationlevel schooling schl degree qualification isced eduspec bildung
bildungsabschluss bildungsstand schulabschluss schulbildung ausbildung diplome niveauetudes
educacion estudios nivelestudios opleiding opleidingsniveau istruzione titolostudio titolodistudio
escolaridade instrucao wyksztalcenie utbildning utdanning uddannelse koulutus
"""
_WHOLE_KEYS = "st mar cit mil cow rel anc land cap"
"""Codes and words that mean this only where they are all of a name."""
_SENSITIVE = """
income incomes hhincome pincp wagp hincp semp retp earnings wage wages salary pension benefits
welfare wealth assets debt debts savings capitalgain capitalloss poverty health healthstatus
disease diseases illness diagnosis diagnoses icd disability disabled chronic mental depression hiv
cancer drugs alcohol smoking smoke smoker medication treatment bmi pregnant pregnancy hicov
insurance religion religious faith sexualorientation political politics party voted voting crime
criminal convicted conviction offence offense arrest victim violence abuse einkommen
nettoeinkommen bruttoeinkommen haushaltseinkommen lohn bruttolohn nettolohn monatslohn stundenlohn
gehalt verdienst vermogen schulden rente sozialhilfe gesundheit gesundheitszustand krankheit
diagnose behinderung schwerbehinderung konfession partei parteipraferenz straftat revenu revenus
salaire salaires patrimoine dette sante maladie diagnostic handicap ingreso ingresos salario
sueldo renta patrimonio deuda salud enfermedad diagnostico discapacidad voto inkomen loon salaris
uitkering vermogen gezondheid ziekte godsdienst religie reddito redditi stipendio pensione salute
malattia diagnosi disabilita religione rendimento saude doenca deficiencia religiao dochod zarobki
zdrowie choroba religia inkomst inntekt halsa helse sykdom tulot terveys
"""
_WEIGHT = """
weight weights weighting wgt wgts pwgtp wgtp wt wts gewicht gewichtung hochrechnung
hochrechnungsfaktor gewichtungsfaktor poids ponderation coefficientponderation ponderacion
ponderador factorexpansion factordeexpansion peso pesos ponderazione gewichten weegfactor
wegingsfactor
"""
_WEIGHT_ENDS = ("weight", "weights", "wgt", "wgtp", "wgts", "wt", "wts", "gewicht", "gewichtung")
"""Of names such as hhweight and perwt."""
_BODIES = """
body birth birthweight bodyweight kg kilo kilograms pounds lbs height bmi baby infant newborn
korpergewicht geburtsgewicht korper geburt naissance corporel nacer nacimiento corporal kilos
kilogramm grams
"""
_IDENTIFIER = """
identifier identification kennung kennnummer identifikator identifiant identificateur
identificador identificacion identificativo identificatie identificador
"""
_UNITS = """
person household family respondent participant patient subject member individual child mother
father haushalt familie patient befragte menage famille individu personne hogar familia persona
huishouden gezin persoon
"""
KEYS = tuple(
    frozenset(words.split()) for words in (_AGE, _SEX, _PLACE, _ORIGIN, _FAMILY, _WORK, _LEARNING)
)
"""Words of keys, the most telling first."""
WHOLE_KEYS = frozenset(_WHOLE_KEYS.split())
SENSITIVE = frozenset(_SENSITIVE.split())
WEIGHT = frozenset(_WEIGHT.split())
BODIES = frozenset(_BODIES.split())
IDENTIFIER = frozenset(_IDENTIFIER.split())
UNITS = frozenset(_UNITS.split())
DIRECT = ("person-id", "national-id", "contact", "name", "address")
"""Kinds of names that say that a column names people, whatever else they say."""
LONG = 7
"""Letters from which a word counts at the end of a compound: Haushaltsnettoeinkommen."""
MOST_WORDS = 6
"""A label with more words is a question, and may be about anything."""
MOST_KEYS = 8
FREE_TEXT = 0.5
"""Different categories for each row from which they are texts that nobody knows of others."""
FEW = 20
"""Records below which different values for each say nothing."""


@dataclass(frozen=True)
class Guess:
    """What a variable may be, and how telling it is."""

    role: GuessedRole
    by: Literal["name", "label"]
    place: int = 0
    """Of keys: which kind of word, the most telling first."""


def guessed_by_words(name: str, label: str | None = None) -> Guess | None:
    """What a name says, or else a short label; None where it says nothing, or both.

    >>> guessed_by_words("AGEP").role, guessed_by_words("Haushaltsnettoeinkommen").role
    ('quasi_identifier', 'sensitive')
    >>> guessed_by_words("Q7", "Marital status").by, guessed_by_words("age_at_diagnosis")
    ('label', None)
    >>> guessed_by_words("hh_income_wt"), guessed_by_words("V1", "Household identifier")
    (None, None)
    """
    if says_weight(name, label) or says_identifier(name, label):
        return None
    kinds = _kinds(name)
    if kinds or not label or len(words_of(label)) > MOST_WORDS:
        return _guess(kinds, "name")
    return _guess(_kinds(label), "label")


def says_weight(*texts: str | None) -> bool:
    """Whether a name or a label speaks of weights: of rows, or of bodies; neither is a key.

    >>> says_weight("PWGTP"), says_weight("perwt"), says_weight("x", "Weight of the household")
    (True, True, True)
    >>> says_weight("wealth"), says_weight("w")
    (False, False)
    """
    words = {word for text in _short(texts) for word in _joined(text)}
    return bool(words & WEIGHT) or any(word.endswith(_WEIGHT_ENDS) for word in words)


def says_identifier(*texts: str | None) -> bool:
    """Whether a name or a label says that it tells people apart; codes of groups do not.

    >>> says_identifier("household_id"), says_identifier("V1", "Household identifier")
    (True, True)
    >>> says_identifier("sex_id"), says_identifier("region_id"), says_identifier("age")
    (False, False, False)
    """
    return any(_identifies(text) for text in _short(texts))


def _short(texts: Iterable[str | None]) -> Iterable[str]:
    return (text for text in texts if text and len(words_of(text)) <= MOST_WORDS)


def _identifies(text: str) -> bool:
    kind, words = named(text), set(words_of(text))
    if kind in DIRECT:
        return True
    called = kind == "any-id" or bool(words & IDENTIFIER)
    return called and not words & GROUPS and (bool(words & UNITS) or not _kinds(text))


def _guess(kinds: set[int | None], by: Literal["name", "label"]) -> Guess | None:
    places = [place for place in kinds if place is not None]
    if None in kinds:
        return None if places else Guess("sensitive", by)
    return Guess("quasi_identifier", by, min(places)) if places else None


def _kinds(name: str) -> set[int | None]:
    """The kinds of words in a name: places of keys, None for what is sensitive."""
    joined = _joined(name)
    found: set[int | None] = {place for place, known in enumerate(KEYS) if _named(joined, known)}
    if _named(joined, SENSITIVE):
        found.add(None)
    if not found and "".join(words_of(name)) in WHOLE_KEYS:
        found.add(len(KEYS))
    return found


def _joined(name: str) -> set[str]:
    """The words of a name, and up to four that follow each other as one."""
    words = words_of(name)
    joined = {"".join(words[a:b]) for a, b in combinations(range(len(words) + 1), 2) if b - a <= 4}
    # German spells ä also as ae: both are known by the plain letter.
    return joined | {w.replace("ae", "a").replace("oe", "o").replace("ue", "u") for w in joined}


def _named(words: set[str], known: frozenset[str]) -> bool:
    if words & known:
        return True
    ends = tuple(word for word in known if len(word) >= LONG)
    return any(word.endswith(ends) for word in words)


def guess_of(variable: Described) -> Guess | None:
    """What a variable of the original may be, by its words, its type and its different values."""
    levels = variable.original.levels
    if variable.role not in ANALYSED or len(levels) < 2:
        return None
    found = guessed_by_words(variable.name, variable.label)
    if found is None or found.role == "sensitive":
        return found
    if levels.numeric:
        whole = bool((np.floor(levels.numbers) == levels.numbers).all())
        if whole and len(levels) == levels.present >= FEW:
            return None  # a number for each record was given to it, whatever it is called
        return found if whole or found.place == 0 else None  # a size or a share is no place
    return found if len(levels) <= FREE_TEXT * levels.present or levels.present < FEW else None


def guessed_weight(variables: Iterable[Described]) -> str | None:
    """The variable that may say how many people a row stands for; None where several may.

    Nothing is guessed where a weight is said: a second one would be a replicate, or of bodies.
    """
    variables = list(variables)
    if any(variable.role == "weight" for variable in variables):
        return None
    found = [variable.name for variable in variables if _may_weigh(variable)]
    return found[0] if len(found) == 1 else None


def _may_weigh(variable: Described) -> bool:
    levels = variable.original.levels
    words = {word for text in _short((variable.name, variable.label)) for word in _joined(text)}
    return (
        variable.role in ANALYSED
        and says_weight(variable.name)
        and not words & BODIES
        and levels.numeric
        and len(levels) > 1
        and not levels.missing
        and bool((levels.numbers >= 0).all())
    )


def guessed_columns(table: Table) -> tuple[str, ...]:
    """Columns of a table that may be keys, where its variables are not described yet."""
    found = [
        (guessed_by_words(name, column.label), name)
        for name, column in table.columns.items()
        if len(column.values) > 1
    ]
    return most_telling(found)


def guessed_keys(variables: Iterable[Described]) -> tuple[str, ...]:
    """Variables still in the protected table that may be keys, the most telling first."""
    here = [variable for variable in variables if not variable.removed]
    return most_telling([(guess_of(variable), variable.name) for variable in here])


def most_telling(found: Iterable[tuple[Guess | None, str]]) -> tuple[str, ...]:
    """Those of some names that may be keys, in their order, as many as a person will read."""
    keys = [(g.place, name) for g, name in found if g is not None and g.role != "sensitive"]
    return tuple(name for _, name in sorted(keys, key=lambda key: key[0])[:MOST_KEYS])
