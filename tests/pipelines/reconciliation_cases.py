"""Named cases of reconciliation: which records speak of one holder, and whose share counts."""

from __future__ import annotations

from datetime import date

from tests.pipelines.reconciling import (
    GLEIF,
    GROUP,
    INSIDER,
    MANAGER,
    NOTICE,
    OTHER,
    PARENT,
    PSC,
    ROLES,
    SCHEDULE,
    TR1,
    YEARLY,
    Case,
    line,
    told,
)

WHO = (
    Case(
        "the same number under two names is one holder",
        [told(GROUP, "Eier Gruppen", 60, number=PARENT), told(YEARLY, "EIER HOLDING AS", 60, number=PARENT)],
        [line("Eier Gruppen", 60, "agreed", GROUP, YEARLY)],
    ),
    Case(
        "one name with two numbers is two holders",
        [told(GROUP, "Eier AS", 60, number=PARENT), told(YEARLY, "Eier AS", 20, number=OTHER)],
        [line("Eier AS", 60), line("Eier AS", 20)],
    ),
    Case(
        "a name with and without its legal form",
        [told(NOTICE, "Ferd", 10), told(YEARLY, "Ferd AS", 10)],
        [line("Ferd", 10), line("Ferd AS", 10)],  # four letters are nobody's own
    ),
    Case(
        "a long name with and without its legal form",
        [told(NOTICE, "Fredriksborg Sjøtransport", 10), told(YEARLY, "Fredriksborg Sjøtransport AS", 10)],
        [line("Fredriksborg Sjøtransport", 10, "agreed", NOTICE, YEARLY)],
    ),
    Case(
        "a legal form in front and behind",
        [
            told(TR1, "AB Industrivärden", 7),
            told(PSC, "Industrivärden AB (publ)", "25-50", ended="2020-01-01"),
        ],
        [line("AB Industrivärden", 7, "agreed", TR1, PSC)],
    ),
    Case(
        "a legal form written out",
        [
            told(NOTICE, "Storstein Eiendomsinvest Aksjeselskap", 12),
            told(YEARLY, "STORSTEIN EIENDOMSINVEST AS", 12),
        ],
        [line("Storstein Eiendomsinvest Aksjeselskap", 12, "agreed")],
    ),
    Case(
        "two legal forms of one core are two companies",
        [told(NOTICE, "Nordlys Kraftverk ASA", 12), told(YEARLY, "Nordlys Kraftverk AS", 3)],
        [line("Nordlys Kraftverk ASA", 12), line("Nordlys Kraftverk AS", 3)],
    ),
    Case(
        "Oyj and Oyj Abp are one form",
        [told(NOTICE, "Sampolainen Oyj Abp", 6), told(YEARLY, "Sampolainen Oyj", 6)],
        [line("Sampolainen Oyj Abp", 6, "agreed")],
    ),
    Case(
        "A/S and AS are one form",
        [told(NOTICE, "Aarhus Tankskibe A/S", 6), told(YEARLY, "Aarhus Tankskibe AS", 6)],
        [line("Aarhus Tankskibe A/S", 6, "agreed")],
    ),
    Case(
        "parent and subsidiary named like it",
        [told(NOTICE, "Eierforvaltning AS", 12), told(YEARLY, "Eierforvaltning Invest AS", 3)],
        [line("Eierforvaltning AS", 12), line("Eierforvaltning Invest AS", 3)],
    ),
    Case(
        "a common word is nobody's name",
        [told(NOTICE, "Nordic Capital", 12), told(YEARLY, "Nordic Capital AB", 12)],
        [line("Nordic Capital", 12), line("Nordic Capital AB", 12)],
    ),
    Case(
        "a common word spelled the same is one name",
        [told(NOTICE, "Nordic Capital AB", 12), told(YEARLY, "NORDIC CAPITAL AB", 12)],
        [line("Nordic Capital AB", 12, "agreed")],
    ),
    Case(
        "Norwegian letters without their own keys",
        [told(NOTICE, "Sørlandets Båtbyggeri AS", 8), told(YEARLY, "SORLANDETS BATBYGGERI AS", 8)],
        [line("Sørlandets Båtbyggeri AS", 8, "agreed")],
    ),
    Case(
        "Norwegian letters doubled",
        [told(NOTICE, "Sørlandets Båtbyggeri AS", 8), told(YEARLY, "Soerlandets Baatbyggeri AS", 8)],
        [line("Sørlandets Båtbyggeri AS", 8, "agreed")],
    ),
    Case(
        "Finnish letters doubled",
        [told(NOTICE, "Työeläke Väinö Oy", 8), told(YEARLY, "Tyoelake Vaino Oy", 8)],
        [line("Työeläke Väinö Oy", 8, "agreed")],
    ),
    Case(
        "a Swedish name written the Norwegian way",
        [told(NOTICE, "Kjærstad Sønn AB", 8), told(YEARLY, "Kjaerstad Sonn AB", 8)],
        [line("Kjærstad Sønn AB", 8, "agreed")],
    ),
    Case(
        "names that only transliteration makes one leave to each what is spelled as it is",
        [
            told(NOTICE, "Bö Fastighetsbyrå AB", 8),
            told(YEARLY, "Bö Fastighetsbyrå AB", 8),
            told(YEARLY, "Bo Fastighetsbyrå AB", 3),
        ],
        [line("Bö Fastighetsbyrå AB", 8, "agreed"), line("Bo Fastighetsbyrå AB", 3)],
    ),
    Case(
        "a slip of the pen in a long name of a company",
        [
            told(NOTICE, "Folketrygdfondet Forvaltning AS", 8),
            told(YEARLY, "Folketrygdfondett Forvaltning AS", 8),
        ],
        [line("Folketrygdfondet Forvaltning AS", 8, "agreed")],
    ),
    Case(
        "a slip of the pen in a person's name joins nobody",
        [
            told(NOTICE, "Kristoffer Andreas Halvorsen", 8, kind="person"),
            told(YEARLY, "Kristofer Andreas Halvorsen", 8, kind="person"),
        ],
        [line("Kristoffer Andreas Halvorsen", 8), line("Kristofer Andreas Halvorsen", 8)],
    ),
    Case(
        "funds of one family are told apart by their numbers",
        [
            told(NOTICE, "Herkules Private Equity Fund III LP", 8),
            told(YEARLY, "Herkules Private Equity Fund II LP", 5),
        ],
        [line("Herkules Private Equity Fund III LP", 8), line("Herkules Private Equity Fund II LP", 5)],
    ),
    Case(
        "funds of one family are told apart by a word",
        [
            told(NOTICE, "Storebrand Norge Aksjefond", 8, kind="fund"),
            told(YEARLY, "Storebrand Vekst Aksjefond", 5, kind="fund"),
        ],
        [line("Storebrand Norge Aksjefond", 8), line("Storebrand Vekst Aksjefond", 5)],
    ),
    Case(
        "a close name that two come near to joins neither",
        [
            told(NOTICE, "Fondsfinanse Utbytteforvaltning", 8, kind="fund"),
            told(YEARLY, "Fondsfinansa Utbytteforvaltning", 5, kind="fund"),
            told(YEARLY, "Fondsfinans Utbytteforvaltning", 4, kind="fund"),
        ],
        [
            line("Fondsfinanse Utbytteforvaltning", 8),
            line("Fondsfinansa Utbytteforvaltning", 5),
            line("Fondsfinans Utbytteforvaltning", 4),
        ],
    ),
    Case(
        "a name that one register has twice joins nobody",
        [
            told(NOTICE, "Olsen & Sønner AS", 8),
            told(YEARLY, "Olsen & Sønner AS", 8, id="a"),
            told(YEARLY, "Olsen & Sønner AS", 2, id="b"),
        ],
        [line("Olsen & Sønner AS", 8), line("Olsen & Sønner AS", 8), line("Olsen & Sønner AS", 2)],
    ),
    Case(
        "a person's names in another order",
        [told(SCHEDULE, "Elon Musk", 12, kind="person"), told(INSIDER, "MUSK ELON", 11.9, kind="person")],
        [line("Elon Musk", 12, "agreed", SCHEDULE, INSIDER)],
    ),
    Case(
        "a company's words in another order",
        [
            told(NOTICE, "Berg Industriselskap Hansen AS", 12),
            told(YEARLY, "Hansen Industriselskap Berg AS", 12),
        ],
        [line("Berg Industriselskap Hansen AS", 12, "agreed")],
    ),
    Case(
        "father and son with a letter between",
        [told(SCHEDULE, "John A. Smith", 12, kind="person"), told(INSIDER, "John Smith", 3, kind="person")],
        [line("John A. Smith", 12), line("John Smith", 3)],
    ),
    Case(
        "one name of two countries",
        [
            told(NOTICE, "Alfa Verdipapirer", 8, country="NO"),
            told(YEARLY, "Alfa Verdipapirer", 8, country="SE"),
        ],
        [line("Alfa Verdipapirer", 8), line("Alfa Verdipapirer", 8)],
    ),
    Case(
        "a person and a company of one name",
        [told(NOTICE, "Anders Wall", 8, kind="person"), told(YEARLY, "Anders Wall", 8)],
        [line("Anders Wall", 8), line("Anders Wall", 8)],
    ),
    Case(
        "of unknown kind the better source tells",
        [
            told(NOTICE, "Anders Wallander", 8, kind="unknown"),
            told(YEARLY, "Anders Wallander", 8, kind="person"),
        ],
        [line("Anders Wallander", 8, "agreed", holder_type="person")],
    ),
    Case(
        "a fund that another register takes for a company, by its whole name",
        [told(SCHEDULE, "Alecta Tjänstepension", 8, kind="fund"), told(MANAGER, "Alecta Tjänstepension", 8)],
        [line("Alecta Tjänstepension", 8, "agreed", holder_type="fund")],
    ),
    Case(
        "who is protected by law is nobody else",
        [told(PSC, None, "25-50", id="a", kind="unknown"), told(TR1, None, 30, id="b", kind="unknown")],
        [line(None, "25-50"), line(None, 30)],
    ),
    Case(
        "records of one register are never joined",
        [
            told(PSC, "Jane Roe", "25-50", id="a", kind="person"),
            told(PSC, "Jane Roe", "50-75", id="b", kind="person"),
        ],
        [line("Jane Roe", "25-50"), line("Jane Roe", "50-75")],
    ),
)

CLASSES = (
    Case(
        "two classes of shares are two lines",
        [
            told(SCHEDULE, "Page", 8, cls="Class A", id="1/a", number=PARENT),
            told(SCHEDULE, "Page", 40, cls="Class B", id="1/b", number=PARENT),
        ],
        [line("Page", 8, share_class="Class A"), line("Page", 40, share_class="Class B")],
    ),
    Case(
        "classes of two registers meet class by class",
        [
            told(SCHEDULE, "Page", 8, cls="Class A Common Stock", id="1/a", number=PARENT),
            told(SCHEDULE, "Page", 40, cls="Class B Common Stock", id="1/b", number=PARENT),
            told(INSIDER, "Page", 41, cls="Class B Common Stock", id="1/0", number=PARENT),
            told(INSIDER, "Page", 8.1, cls="Class A Common Stock", id="1/z", number=PARENT),
        ],
        [line("Page", 8, "agreed", SCHEDULE, INSIDER), line("Page", 40, "conflict", SCHEDULE, INSIDER)],
    ),
    Case(
        "one class spelled two ways is one",
        [
            told(SCHEDULE, "Page", 8, cls="Common Stock, par value $0.01", number=PARENT),
            told(INSIDER, "Page", 8, cls="Common Stock", number=PARENT),
        ],
        [line("Page", 8, "agreed")],
    ),
    Case(
        "votes against capital of one notice",
        [told(NOTICE, "Stemmerett AS", 10.7, votes=27.1)],
        [line("Stemmerett AS", 10.7, votes_pct=27.1)],
    ),
    Case(
        "votes of one register, capital of another",
        [told(NOTICE, "Stemmerett AS", votes=27.1, day="2025-06-01"), told(YEARLY, "Stemmerett AS", 10.7)],
        [line("Stemmerett AS", 10.7, "agreed", YEARLY, NOTICE, votes_pct=27.1)],
    ),
    Case(
        "votes that are newer make capital out of date",
        [told(NOTICE, "Stemmerett AS", votes=4.2, day="2026-06-01"), told(YEARLY, "Stemmerett AS", 10.7)],
        [line("Stemmerett AS", None, "agreed", NOTICE, YEARLY, votes_pct=4.2)],
    ),
)

SHARES = (
    Case(
        "joint filers tell of the same shares once",
        [
            told(SCHEDULE, "Rythm Leder LLC", 49.99),
            told(SCHEDULE, "Rythm Fond LP", "=49.99"),
            told(SCHEDULE, "Per Rythm", "=49.99", kind="person"),
        ],
        [line("Rythm Leder LLC", 49.99), line("Rythm Fond LP", "=49.99"), line("Per Rythm", "=49.99")],
    ),
    Case(
        "a joint filer's own form does not add its shares again",
        [
            told(SCHEDULE, "Rythm Leder LLC", 49.99),
            told(SCHEDULE, "Per Rythm", "=49.99", kind="person"),
            told(INSIDER, "Per Rythm", 49.9, kind="person", basis="derived"),
        ],
        [line("Rythm Leder LLC", 49.99), line("Per Rythm", "=49.99", "agreed", SCHEDULE, INSIDER)],
    ),
    Case(
        "a group in two registers is not summed",
        [
            told(GROUP, "Konsernspissen AS", 60, number=PARENT),
            told(YEARLY, "Konsernspissen AS", 35, number=PARENT, day="2025-12-31"),
        ],
        [line("Konsernspissen AS", 60, "conflict", GROUP, YEARLY)],
    ),
    Case(
        "an exact figure inside a band says more",
        [told(TR1, "Alfa plc", 29.9, day="2019-05-01"), told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
        [line("Alfa plc", 29.9, "agreed", TR1, PSC)],
    ),
    Case(
        "a figure inside the band of a register that stands before it",
        [
            told(SCHEDULE, "Alfa Inc", "0-5", day="2025-12-31"),
            told(MANAGER, "Alfa Inc", 3.1, basis="derived"),
        ],
        [line("Alfa Inc", 3.1, "agreed", MANAGER, SCHEDULE, basis="derived")],
    ),
    Case(
        "a newer figure over an older band",
        [told(TR1, "Alfa plc", 20, day="2024-05-01"), told(PSC, "Alfa plc", "25-50", day="2021-01-01")],
        [line("Alfa plc", 20, "latest_wins", TR1, PSC)],
    ),
    Case(
        "a newer band over an older figure",
        [told(TR1, "Alfa plc", 29.9, day="2019-05-01"), told(PSC, "Alfa plc", "50-75", day="2024-01-01")],
        [line("Alfa plc", "50-75", "latest_wins", PSC, TR1)],
    ),
    Case(
        "a band that contradicts a figure of the same day",
        [told(TR1, "Alfa plc", 20, day="2024-05-01"), told(PSC, "Alfa plc", "25-50", day="2024-05-01")],
        [line("Alfa plc", 20, "conflict", TR1, PSC)],
    ),
    Case(
        "a figure at the edge of a band agrees",
        [told(TR1, "Alfa plc", 25, day="2024-05-01"), told(PSC, "Alfa plc", "25-50", day="2024-05-01")],
        [line("Alfa plc", 25, "agreed", TR1, PSC)],
    ),
    Case(
        "two bands that touch contradict each other",
        [
            told(SCHEDULE, "Alfa plc", "25-50", day="2024-05-01"),
            told(PSC, "Alfa plc", "50-75", day="2024-05-01"),
        ],
        [line("Alfa plc", "25-50", "conflict", SCHEDULE, PSC)],
    ),
    Case(
        "conflicting sources on one day",
        [
            told(NOTICE, "Alfa Verdier AS", 12, number=PARENT),
            told(YEARLY, "Alfa Verdier AS", 9, number=PARENT),
        ],
        [line("Alfa Verdier AS", 12, "conflict", NOTICE, YEARLY)],
    ),
    Case(
        "half a point apart on one day agrees",
        [
            told(NOTICE, "Alfa Verdier AS", 12, number=PARENT),
            told(YEARLY, "Alfa Verdier AS", 11.5, number=PARENT),
        ],
        [line("Alfa Verdier AS", 12, "agreed")],
    ),
    Case(
        "sources of two days that differ",
        [told(NOTICE, "Alfa Verdier AS", 10.7, day="2026-11-18"), told(YEARLY, "Alfa Verdier AS", 8.2)],
        [line("Alfa Verdier AS", 10.7, "latest_wins", NOTICE, YEARLY, as_of=date(2026, 11, 18))],
    ),
    Case(
        "three registers in the order of their word",
        [
            told(YEARLY, "Alfa Verdier AS", 40),
            told(GROUP, "Alfa Verdier AS", 51),
            told(NOTICE, "Alfa Verdier AS", 45),
        ],
        [line("Alfa Verdier AS", 45, "conflict", NOTICE, GROUP, YEARLY)],
    ),
    Case(
        "a role that says nothing of a share leaves it to the list",
        [told(ROLES, "Alfa Verdier AS", number=PARENT), told(YEARLY, "Alfa Verdier AS", 40, number=PARENT)],
        [line("Alfa Verdier AS", 40, "agreed", YEARLY, ROLES)],
    ),
    Case(
        "a manager whose quarter is over holds nothing any more",
        [told(MANAGER, "Gammel Forvalter LLC", 6, day="2024-03-31", ended="2024-08-15", basis="derived")],
        [line("Gammel Forvalter LLC", 6, ended_on=date(2024, 8, 15))],
    ),
    Case(
        "a stale report of a manager takes nothing from its schedule",
        [
            told(SCHEDULE, "Forvalter LLC", 6.1, day="2024-02-14"),
            told(MANAGER, "Forvalter LLC", 5.8, day="2023-12-31", ended="2024-05-15", basis="derived"),
        ],
        [line("Forvalter LLC", 6.1, "agreed", SCHEDULE, MANAGER, ended_on=None)],
    ),
    Case(
        "a nominee is marked",
        [told(YEARLY, "DNB Bank ASA", 14, kind="nominee", number=PARENT)],
        [line("DNB Bank ASA", 14, holder_type="nominee")],
    ),
    Case(
        "a nominee's account that a notice names without its kind",
        [
            told(NOTICE, "State Street Bank and Trust Company", 14, kind="unknown"),
            told(YEARLY, "State Street Bank and Trust Company", 14, kind="nominee"),
        ],
        [line("State Street Bank and Trust Company", 14, "agreed", holder_type="nominee")],
    ),
    Case(
        "a nominee whose own share another register tells is what that says",
        [
            told(GROUP, "DNB Bank ASA", 51, number=PARENT),
            told(YEARLY, "DNB Bank ASA", 14, kind="nominee", number=PARENT),
        ],
        [line("DNB Bank ASA", 51, "conflict", holder_type="company")],
    ),
    Case(
        "consolidation is a relationship and no share",
        [told(GLEIF, "Mor ASA", number=PARENT, controls=["consolidated_parent"])],
        [line("Mor ASA", None, basis=None)],
    ),
    Case(
        "consolidation beside a share leaves the share",
        [told(GLEIF, "Mor ASA", number=PARENT), told(YEARLY, "Mor ASA", 80, number=PARENT)],
        [line("Mor ASA", 80, "agreed", YEARLY, GLEIF)],
    ),
    Case(
        "leaving a group that tells of no share is no sale",
        [
            told(GROUP, "Mor ASA", number=PARENT, day="2020-01-01", ended="2026-03-01"),
            told(YEARLY, "Mor ASA", 80, number=PARENT),
        ],
        [line("Mor ASA", 80, "agreed", YEARLY, GROUP, ended_on=None)],
    ),
    Case(
        "the end of consolidation is no end of a share",
        [
            told(GLEIF, "Mor ASA", number=PARENT, ended="2026-03-01"),
            told(PSC, "Mor ASA", "75-100", number=PARENT),
        ],
        [line("Mor ASA", "75-100", ended_on=None) | {"reconciliation": "agreed"}],
    ),
)
