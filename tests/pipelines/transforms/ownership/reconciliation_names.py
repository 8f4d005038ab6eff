"""Named cases of reconciliation: which records speak of one holder."""

from __future__ import annotations

from tests.pipelines.transforms.ownership.reconciling import (
    GROUP,
    INSIDER,
    MANAGER,
    NOTICE,
    OTHER,
    PARENT,
    PSC,
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
        [told(TR1, "AB Industrivärden", 7), told(PSC, "Industrivärden AB (publ)", "25-50", ended="2020-01-01")],
        [line("AB Industrivärden", 7, "agreed", TR1, PSC)],
    ),
    Case(
        "a legal form written out",
        [told(NOTICE, "Storstein Eiendomsinvest Aksjeselskap", 12), told(YEARLY, "STORSTEIN EIENDOMSINVEST AS", 12)],
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
        [told(NOTICE, "Folketrygdfondet Forvaltning AS", 8), told(YEARLY, "Folketrygdfondett Forvaltning AS", 8)],
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
        [told(NOTICE, "Herkules Private Equity Fund III LP", 8), told(YEARLY, "Herkules Private Equity Fund II LP", 5)],
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
        [told(NOTICE, "Berg Industriselskap Hansen AS", 12), told(YEARLY, "Hansen Industriselskap Berg AS", 12)],
        [line("Berg Industriselskap Hansen AS", 12, "agreed")],
    ),
    Case(
        "father and son with a letter between",
        [told(SCHEDULE, "John A. Smith", 12, kind="person"), told(INSIDER, "John Smith", 3, kind="person")],
        [line("John A. Smith", 12), line("John Smith", 3)],
    ),
    Case(
        "one name of two countries",
        [told(NOTICE, "Alfa Verdipapirer", 8, country="NO"), told(YEARLY, "Alfa Verdipapirer", 8, country="SE")],
        [line("Alfa Verdipapirer", 8), line("Alfa Verdipapirer", 8)],
    ),
    Case(
        "a person and a company of one name",
        [told(NOTICE, "Anders Wall", 8, kind="person"), told(YEARLY, "Anders Wall", 8)],
        [line("Anders Wall", 8), line("Anders Wall", 8)],
    ),
    Case(
        "of unknown kind the better source tells",
        [told(NOTICE, "Anders Wallander", 8, kind="unknown"), told(YEARLY, "Anders Wallander", 8, kind="person")],
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
        [told(PSC, "Jane Roe", "25-50", id="a", kind="person"), told(PSC, "Jane Roe", "50-75", id="b", kind="person")],
        [line("Jane Roe", "25-50"), line("Jane Roe", "50-75")],
    ),
    Case(
        "two legal forms in front",
        [told(NOTICE, "Oy Ab Sampolainen", 6), told(YEARLY, "Sampolainen Oy Ab", 6)],
        [line("Oy Ab Sampolainen", 6, "agreed")],
    ),
    Case(
        "east and west are no slip of the pen",
        [
            told(NOTICE, "Fjordkraft Investeringsselskap Vest AS", 8),
            told(YEARLY, "Fjordkraft Investeringsselskap Øst AS", 3),
        ],
        [line("Fjordkraft Investeringsselskap Vest AS", 8), line("Fjordkraft Investeringsselskap Øst AS", 3)],
    ),
    Case(
        "a person of unknown kind and the company of that name",
        [told(TR1, "Petter Anker Storvik", 7, kind="unknown"), told(PSC, "Petter Anker Storvik Limited", "25-50")],
        [line("Petter Anker Storvik", 7), line("Petter Anker Storvik Limited", "25-50")],
    ),
    Case(
        "a person of unknown kind and a company of those words in another order",
        [told(TR1, "Carl Berner", 7, kind="unknown"), told(PSC, "Berner Carl", 7)],
        [line("Carl Berner", 7), line("Berner Carl", 7)],
    ),
    Case(
        "a single word of unknown kind is no full name",
        [told(NOTICE, "Storsteinkraft", 7, kind="unknown"), told(YEARLY, "Storsteinkraft AS", 7)],
        [line("Storsteinkraft", 7, "agreed", NOTICE, YEARLY, holder_type="company")],
    ),
    Case(
        "a nominee is no person, whatever it is called",
        [told(NOTICE, "Clearwater Depot", 7, kind="nominee"), told(YEARLY, "Clearwater Depot AS", 7)],
        [line("Clearwater Depot", 7, "agreed", NOTICE, YEARLY, holder_type="nominee")],
    ),
)
