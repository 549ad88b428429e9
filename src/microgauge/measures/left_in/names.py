"""Columns whose names say that they name people, in several languages."""

from __future__ import annotations

import re
from itertools import combinations
from unicodedata import combining, normalize

_NAME = """
firstname lastname surname forename givenname familyname fullname maidenname middlename birthname
nickname personname patientname respondentname customername clientname employeename studentname
membername username mothername fathername legalname
vorname nachname familienname geburtsname zuname rufname
prenom nomdefamille nomfamille nomcomplet nomdenaissance nomnaissance nomusage nompatient
apellido apellidos nombrecompleto primerapellido segundoapellido nombrepaciente
cognome nomecompleto nomecognome
achternaam voornaam familienaam meisjesnaam roepnaam
sobrenome apelido nomeproprio nomepaciente
nazwisko imie efternamn fornamn etternavn fornavn efternavn sukunimi etunimi
"""
_ADDRESS = """
address addr streetaddress street streetname homeaddress postaladdress mailingaddress
adresse anschrift strasse strassenname wohnadresse
adressepostale rue nomrue
direccion domicilio calle
indirizzo
adres straat straatnaam woonadres
endereco morada rua
ulica adress gatuadress gateadresse osoite
"""
_CONTACT = """
email emailaddress mailaddress phone phonenumber telephone telephonenumber mobile mobilephone
mobilenumber cellphone fax faxnumber
telefon telefonnummer handynummer mobilnummer rufnummer mailadresse
courriel numerotelephone numtel
telefono correoelectronico celular movil cellulare
telefoon telefoonnummer mobielnummer telefone telemovel
iban bankaccount accountnumber kontonummer creditcard cardnumber numerocuenta rekeningnummer
licenseplate numberplate plaque kennzeichen ipaddress macaddress
"""
_NATIONAL = """
ssn socialsecuritynumber socialsecurity nino nationalid nationalidentity nationalinsurance
passport passportnumber taxid taxnumber driverlicense driverslicense drivinglicence nhsnumber
sozialversicherungsnummer svnr rentenversicherungsnummer steuerid steuernummer ausweisnummer
personalausweisnummer reisepassnummer krankenversichertennummer ahvnummer ahvnr
nir numerosecuritesociale securitesociale numsecu
dni nif curp numeroseguridadsocial pasaporte
codicefiscale tesserasanitaria
bsn burgerservicenummer rijksregisternummer sofinummer paspoortnummer
cpf niss numeroidentificacaofiscal
pesel personnummer cprnummer fodselsnummer hetu henkilotunnus aadhaar
"""
_PERSON_ID = """
patientid patientnumber patientno personid personnumber personno personalid personalnumber pid hid
hhid hhldid householdid familyid memberid respondentid respid caseid caseno subjectid participantid
customerid customernumber clientid employeeid employeenumber studentid userid accountid recordid
serialno serialnumber serialnr uuid guid mrn medicalrecordnumber insuranceid insurancenumber
policynumber chartnumber
personenid personennummer patientennummer patientenid fallnummer kundennummer versichertennummer
mitgliedsnummer matrikelnummer personalnummer haushaltsnummer haushaltsid laufendenummer lfdnr
identifiant numeropatient numeroclient matricule numerodossier numeromenage
identificador identificacion numeropaciente numeroexpediente
numeropaziente matricola numeropratica
patientnummer clientnummer klantnummer respondentnummer huishoudnummer
numeroutente numeroprocesso matricula
"""
_BIRTH = """
birthdate dateofbirth dob birthday birthdt deathdate dateofdeath admissiondate
geburtsdatum geburtstag gebdat gebdatum todesdatum sterbedatum
datenaissance datedenaissance ddn datedeces datededeces
fechanacimiento fechadenacimiento fechanac fechadefuncion
datanascita datadinascita datadinas datamorte
geboortedatum gebdatum overlijdensdatum
datanascimento datadenascimento dtnasc
dataurodzenia fodelsedatum fodselsdato syntymaaika
"""
_DEGREES = """
lat latitude latitud latitudine breitengrad breedtegraad
lon lng longitude longitud longitudine laengengrad langengrad lengtegraad
"""
_METRES = "easting northing utmx utmy rechtswert hochwert xcoord ycoord coordx coordy xcoordinate ycoordinate"  # noqa: E501
_GROUPS = """
region area district county city town village municipality community country nation state province
school class hospital clinic ward department firm company establishment employer industry
occupation job product item category type group cluster stratum psu tract block zone store
gemeinde kreis land bundesland bezirk schule krankenhaus betrieb beruf gruppe
commune departement pays ecole hopital metier groupe
municipio provincia pais escuela grupo comune regione scuola gruppo
gemeente provincie groep concelho distrito escola
"""
_WHOLE = {
    "name": "name names nom noms nome nombre naam namen imie navn namn nimi",
    "contact": "mail tel gsm handy portable correo",
    "national-id": "sin tin nie cpr nss",
    "person-id": "id ids serial uid",
    "degrees": "long",
}
"""Words that mean this only where they are all of a column's name."""

GROUPS = frozenset(_GROUPS.split())
"""Words of groups of people: a number of one of these names no person."""

KINDS: dict[str, frozenset[str]] = {
    "birth": frozenset(_BIRTH.split()),
    "national-id": frozenset(_NATIONAL.split()),
    "contact": frozenset(_CONTACT.split()),
    "name": frozenset(_NAME.split()),
    "address": frozenset(_ADDRESS.split()),
    "person-id": frozenset(_PERSON_ID.split()),
    "degrees": frozenset(_DEGREES.split()),
    "metres": frozenset(_METRES.split()),
}
WHOLE = {kind: frozenset(words.split()) for kind, words in _WHOLE.items()}


def words_of(name: str) -> list[str]:
    """The words of a column's name: small letters without accents, without numbers.

    >>> words_of("patientID_2"), words_of("Straße (privat)"), words_of("HH.ID"), words_of("ID")
    (['patient', 'id'], ['strasse', 'privat'], ['hh', 'id'], ['id'])
    """
    plain = "".join(sign for sign in normalize("NFKD", name) if not combining(sign))
    plain = plain.replace("ß", "ss").replace("ø", "o").replace("Ø", "O").replace("ł", "l")
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
    split = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", split)
    return [word.lower() for word in re.findall(r"[A-Za-z]+", split)]


def named(name: str) -> str | None:
    """What kind of identifier a column's name says that it is; None for any other name.

    Words that follow each other count as one, so that first_name, FirstName and firstname are the
    same. A plain "name" counts alone only: region_name is the name of a region.

    >>> named("First.Name"), named("date de naissance"), named("name"), named("region_name")
    ('name', 'birth', 'name', None)
    >>> named("sample_id"), named("id_mother"), named("school_id"), named("idle")
    ('any-id', 'any-id', None, None)
    """
    words = words_of(name)
    places = range(len(words) + 1)
    joined = {"".join(words[a:b]) for a, b in combinations(places, 2) if b - a <= 4}
    # German spells ä also as ae: both are known by the plain letter.
    joined |= {word.replace("ae", "a").replace("oe", "o").replace("ue", "u") for word in joined}
    for kind, known in KINDS.items():
        if joined & known:
            return kind
    whole = "".join(words)
    for kind, known in WHOLE.items():
        if whole in known:
            return kind
    is_id = len(words) > 1 and "id" in (words[0], words[-1]) and not GROUPS & set(words)
    return "any-id" if is_id else None
