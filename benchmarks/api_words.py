"""What invented companies are called, in five languages: trades, people, places, legal forms.

Belongs here: plain tables, commonest first where chance prefers the first. Does not belong here: chance and
rows (`api_world`). Every company made of them is invented.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Language:
    """One market's words. `forms` and `trades` begin with the commonest; stems and ends make compounds."""

    forms: tuple[str, ...]
    trades: tuple[str, ...]
    stems: tuple[str, ...]
    ends: tuple[str, ...]
    forenames: tuple[str, ...]
    surnames: tuple[str, ...]
    places: tuple[str, ...]
    counties: tuple[str, ...]
    scheme: str
    currency: str
    is_upper: bool


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SYLLABLES: Final = _words(
    "al an ar as av ba be bi bo bri ca ce ci co da de di do dra e el en er eu fa fe fi flo ga ge gri ha he hu "
    "i in ix ja jo ka ke ki kro la le li lo lu ma me mi mo mu na ne ni no nu o on or pa pe pi pri qua ra re "
    "ri ro ru sa se si so sta su ta te ti to tra tri u un va ve vi vo wa we xa ya ze zi zo"
)

_NORWEGIAN: Final = Language(
    forms=("AS", "AS", "AS", "AS", "AS", "AS", "AS", "ENK", "ASA", "ANS", "DA", "SA", "NUF", "BA"),
    trades=_words(
        "EIENDOM HOLDING INVEST BYGG SERVICE CONSULTING REGNSKAP DRIFT TRANSPORT HANDEL UTVIKLING GRUPPEN "
        "ELEKTRO EIENDOMSUTVIKLING BORETTSLAG SAMEIE ENTREPRENØR RÅDGIVNING SJØMAT RENHOLD HAVBRUK MASKIN "
        "UTLEIE RØR MALERSERVICE TØMRER KONSULENT NORGE SOLUTIONS DATA DESIGN MEDIA FRISØR TANNLEGE "
        "FYSIOTERAPI BIL BÅTSERVICE FISK FISKERI KRAFT ENERGI SKOG GÅRD LANDBRUK MAT CATERING RESTAURANT KAFÉ "
        "BAKERI HOTELL REISER TAXI FRAKT LOGISTIKK SHIPPING REDERI OFFSHORE MARINE BARNEHAGE KLINIKK HELSE "
        "TRENING IDRETTSLAG FORENING STIFTELSEN MUSIKK FORLAG FOTO FILM REKLAME KOMMUNIKASJON ARKITEKTER "
        "INGENIØR STÅL GLASS MØBLER INTERIØR KLÆR SPORT SYKKEL HUND BLOMSTER HAGE ANLEGG GRAVING BETONG MUR "
        "TAK ISOLASJON VENTILASJON KJØLETEKNIKK"
    ),
    stems=_words(
        "nord sør øst vest fjell fjord hav skog bre elv dal vik strand lund stein sol måne stjerne vinter "
        "sommer høst vår bjørn ulv rev ørn falk måke lax torsk sild tråd jern kobber sølv gull grå blå rød "
        "grønn hvit sort gammel ny stor liten lang kort høy lav vei bro port gård hus kirke torg havn øy "
        "holme skjær ness tind topp"
    ),
    ends=_words(
        "bygg kraft fisk mat data glass papir stål reise bo huset gruppen partner team verk teknikk maskin "
        "bil båt transport frakt handel senter butikk lager salg vekst invest kapital eiendom gård skole "
        "helse miljø energi"
    ),
    forenames=_words(
        "Jan Per Bjørn Ole Lars Kjell Knut Arne Svein Thomas Hans Geir Tor Morten Terje Odd Anne Inger Kari "
        "Marit Ingrid Liv Eva Berit Astrid Bjørg Hilde Anna Solveig Marianne Randi Ida Nina Maria Silje Åse "
        "Øyvind Håkon"
    ),
    surnames=_words(
        "Hansen Johansen Olsen Larsen Andersen Pedersen Nilsen Kristiansen Jensen Karlsen Johnsen Pettersen "
        "Eriksen Berg Haugen Hagen Johannessen Andreassen Jacobsen Dahl Jørgensen Halvorsen Henriksen Lund "
        "Sørensen Jakobsen Moen Gundersen Iversen Strand Solberg Svendsen Eide Knutsen Martinsen Paulsen "
        "Bakken Kristoffersen Mathisen Lie Amundsen Nguyen Rasmussen Solheim Bakke Moe Nygård Bøe Fredriksen "
        "Lunde Holm Ødegård Sæther"
    ),
    places=_words(
        "OSLO BERGEN TRONDHEIM STAVANGER BÆRUM KRISTIANSAND DRAMMEN ASKER LILLESTRØM FREDRIKSTAD SANDNES "
        "TROMSØ SKIEN ÅLESUND BODØ SANDEFJORD ARENDAL SARPSBORG TØNSBERG LARVIK MOSS HAUGESUND PORSGRUNN "
        "RINGSAKER HAMAR HALDEN GJØVIK MOLDE HARSTAD KONGSBERG HORTEN NARVIK STEINKJER LILLEHAMMER ALTA "
        "ØYGARDEN VOSS ØRSTA BØ RØROS"
    ),
    counties=_words(
        "Oslo Akershus Vestland Rogaland Trøndelag Buskerud Innlandet Agder Nordland Østfold Vestfold "
        "Telemark Troms Finnmark Møre"
    ),
    scheme="SN2007",
    currency="NOK",
    is_upper=True,
)
_SWEDISH: Final = Language(
    forms=("AB", "AB", "AB", "AB", "Aktiebolag", "HB", "Handelsbolag", "Ekonomisk förening", "KB", "AB (publ)"),
    trades=_words(
        "Fastigheter Holding Konsult Bygg Invest Förvaltning Service Sverige Transport Handel Entreprenad "
        "Fastighets Bostadsrättsföreningen Redovisning Måleri El Rör Städ Åkeri Consulting Design Media Data "
        "Teknik Montage Snickeri Skog Lantbruk Gård Bil Bilservice Däck Mekaniska Verkstad Svets Smide "
        "Trädgård Anläggning Mark Schakt Betong Kakel Golv Tak Plåt Glas Inredning Möbler Mode Skor Frisör "
        "Hälsa Vård Tandvård Träning Utbildning Förlag Tryckeri Reklam Kommunikation Film Foto Musik "
        "Restaurang Café Bageri Livs Mat Vin Hotell Resor Taxi Logistik Spedition Import Export Solutions "
        "Systems Software Capital Ventures Partners Energi Kraft"
    ),
    stems=_words(
        "norr söder öster väster fjäll sjö skog berg dal vik strand lund sten sol måne stjärn vinter sommar "
        "höst vår björn varg räv örn falk mås lax torsk tråd järn koppar silver guld grå blå röd grön vit "
        "svart gammel ny stor lill lång hög låg väg bro port gård hus kyrk torg hamn ö holm skär näs topp ek "
        "ask björk gran tall äng"
    ),
    ends=_words(
        "bygg kraft fisk mat data glas papper stål resor bo huset gruppen partner team verken teknik maskin "
        "bil båt transport frakt handel center butiken lager sälj växt invest kapital fastigheter gård skola "
        "hälsa miljö"
    ),
    forenames=_words(
        "Lars Anders Johan Per Mikael Karl Jan Erik Peter Thomas Fredrik Daniel Hans Maria Anna Margareta "
        "Elisabeth Eva Kristina Birgitta Karin Linnéa Marie Ingrid Sofia Kerstin Lena Sara Emma Malin Åsa "
        "Örjan Göran Björn"
    ),
    surnames=_words(
        "Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Pettersson "
        "Jonsson Jansson Hansson Bengtsson Jönsson Lindberg Jakobsson Magnusson Olofsson Lindström Lindqvist "
        "Lindgren Berg Axelsson Bergström Lundberg Lind Lundgren Lundqvist Mattsson Berglund Fredriksson "
        "Sandberg Henriksson Forsberg Sjöberg Wallin Ali Engström Mohamed Eklund Danielsson Lundin Håkansson "
        "Björk Bergman Öberg Åberg"
    ),
    places=_words(
        "Stockholm Göteborg Malmö Uppsala Linköping Örebro Västerås Helsingborg Norrköping Jönköping Umeå "
        "Lund Borås Huddinge Nacka Eskilstuna Halmstad Gävle Sundsvall Södertälje Växjö Karlstad Haninge "
        "Kristianstad Täby Luleå Kungsbacka Botkyrka Solna Järfälla Kalmar Skellefteå Sollentuna Mölndal "
        "Falun Varberg Östersund Åre"
    ),
    counties=(
        "Stockholms län", "Västra Götalands län", "Skåne län", "Uppsala län", "Östergötlands län",
        "Jönköpings län", "Hallands län", "Örebro län", "Gävleborgs län", "Dalarnas län", "Västmanlands län",
        "Västerbottens län", "Norrbottens län", "Gotlands län",
    ),
    scheme="SNI2007",
    currency="SEK",
    is_upper=False,
)  # fmt: skip
_FINNISH: Final = Language(
    forms=("Oy", "Oy", "Oy", "Oy", "Oyj", "Ky", "Tmi", "Ab", "Oy Ab", "ry", "Osuuskunta"),
    trades=_words(
        "Kiinteistö Asunto Rakennus Palvelut Kuljetus Holding Invest Consulting Kauppa Huolto Tili Sähkö "
        "Putki Maalaus Kone Konepaja Auto Autohuolto Rengas Metsä Puu Saha Hirsi Talot Isännöinti Siivous "
        "Hoiva Terveys Lääkäri Hammas Fysio Kampaamo Kauneus Ravintola Kahvila Leipomo Ruoka Kala Marja Luomu "
        "Matkailu Hotelli Mökki Taksi Logistiikka Varasto Tukku Tuonti Design Media Mainos Kirjapaino "
        "Kustannus Musiikki Elokuva Koulutus Valmennus Urheilu Liikunta Ratsastus Maatila Kaivuu Maanrakennus "
        "Betoni Teräs Lasi Muovi Tekstiili Vaate Kenkä Koru Lelu Kirja Peli Ohjelmistot Tekniikka Suunnittelu "
        "Arkkitehdit Group Finland Partners Energia"
    ),
    stems=_words(
        "pohjois etelä itä länsi tunturi järvi meri metsä joki laakso lahti ranta lehto kivi aurinko kuu "
        "tähti talvi kesä syksy kevät karhu susi kettu kotka haukka lokki lohi turska lanka rauta kupari "
        "hopea kulta harmaa sini puna vihreä valko musta vanha uusi iso pikku pitkä korkea matala tie silta "
        "portti talo kirkko tori satama"
    ),
    ends=_words(
        "rakennus voima kala ruoka data lasi paperi teräs matkat koti talo ryhmä partner tiimi tekniikka kone "
        "auto vene kuljetus rahti kauppa keskus puoti varasto myynti kasvu invest pääoma kiinteistöt tila "
        "koulu terveys"
    ),
    forenames=_words(
        "Juhani Johannes Mikael Antti Olavi Tapani Kalevi Tapio Matti Ilmari Maria Helena Anneli Johanna "
        "Kaarina Marjatta Hannele Kristiina Liisa Emilia Sofia Elina Päivi Jyrki Väinö Äidin Pekka Timo Kari "
        "Heikki"
    ),
    surnames=_words(
        "Korhonen Virtanen Mäkinen Nieminen Mäkelä Hämäläinen Laine Heikkinen Koskinen Järvinen Lehtonen "
        "Lehtinen Saarinen Niemi Salminen Heinonen Heikkilä Kinnunen Salonen Turunen Laitinen Salo Tuominen "
        "Rantanen Karjalainen Jokinen Mattila Savolainen Ahonen Lahtinen Ojala Leppänen Hiltunen Väisänen "
        "Leinonen Pitkänen Aaltonen Miettinen Manninen Hakala Koivisto Anttila Laaksonen Hirvonen Räsänen "
        "Lehto Laakso Toivonen Mustonen Åkerlund"
    ),
    places=_words(
        "HELSINKI ESPOO TAMPERE VANTAA OULU TURKU JYVÄSKYLÄ KUOPIO LAHTI PORI KOUVOLA JOENSUU LAPPEENRANTA "
        "VAASA HÄMEENLINNA SEINÄJOKI ROVANIEMI MIKKELI KOTKA SALO PORVOO KOKKOLA LOHJA HYVINKÄÄ NURMIJÄRVI "
        "JÄRVENPÄÄ RAUMA KIRKKONUMMI TUUSULA KERAVA KAJAANI SAVONLINNA NOKIA YLÖJÄRVI KANGASALA RIIHIMÄKI "
        "RAASEPORI ÄHTÄRI INARI"
    ),
    counties=_words(
        "Uusimaa Varsinais-Suomi Pirkanmaa Satakunta Kanta-Häme Päijät-Häme Kymenlaakso Etelä-Karjala Etelä- "
        "Savo Pohjois-Savo Pohjois-Karjala Keski-Suomi Pohjanmaa Kainuu Lappi Ahvenanmaa"
    ),
    scheme="TOL2008",
    currency="EUR",
    is_upper=False,
)
_BRITISH: Final = Language(
    forms=("LIMITED", "LTD", "LIMITED", "LTD", "LIMITED", "LTD", "LTD.", "PLC", "LLP", "C.I.C.", "CYF"),
    trades=_words(
        "PROPERTIES SERVICES HOLDINGS CONSULTING MANAGEMENT SOLUTIONS PROPERTY GROUP TRADING CONSTRUCTION "
        "INVESTMENTS DEVELOPMENTS CAPITAL DESIGN LOGISTICS TRANSPORT ENGINEERING CARE HEALTHCARE FOODS MEDIA "
        "DIGITAL TECHNOLOGIES PARTNERS VENTURES ENTERPRISES ESTATES HOMES BUILDERS BUILDING CONTRACTORS "
        "ELECTRICAL PLUMBING HEATING ROOFING FLOORING KITCHENS INTERIORS LETTINGS RESIDENTIAL COMMERCIAL "
        "FREEHOLD COMPANY INTERNATIONAL GLOBAL UK LONDON CLEANING SECURITY RECRUITMENT TRAINING EDUCATION "
        "ACADEMY NURSERY CLINIC DENTAL MEDICAL PHARMACY BEAUTY HAIR FITNESS SPORTS EVENTS CATERING RESTAURANT "
        "CAFE KITCHEN BAKERY PIZZA TAKEAWAY PUB INNS HOTELS TRAVEL TAXIS MOTORS AUTOS GARAGE TYRES VEHICLES "
        "HAULAGE COURIERS FASHION CLOTHING JEWELLERY FURNITURE"
    ),
    stems=_words(
        "north south east west ash oak elm birch thorn hawthorn bramble fern heath moor marsh mill brook "
        "bridge ford field hill dale glen loch castle church abbey king queen prince duke crown rose lily fox "
        "hare stag hawk kestrel swan raven stone silver golden copper iron steel bright clear blue green red "
        "white black grey new old"
    ),
    ends=_words(
        "field wood ford bridge gate stone water bank mere dale ley ton ham well side view land house court "
        "lodge works path point light line link tech soft net media build care trade wise way craft star"
    ),
    forenames=_words(
        "David John Michael Paul Andrew Peter James Robert Mark Richard Stephen William Susan Margaret Sarah "
        "Karen Elizabeth Patricia Jane Helen Mohammed Ahmed Priya Wei Siân Seán Zoë Chloë Amelia Oliver "
        "George Harry"
    ),
    surnames=_words(
        "SMITH JONES TAYLOR WILLIAMS BROWN DAVIES EVANS WILSON THOMAS ROBERTS JOHNSON LEWIS WALKER ROBINSON "
        "WOOD THOMPSON WHITE WATSON JACKSON WRIGHT GREEN HARRIS COOPER KING LEE MARTIN CLARKE JAMES MORGAN "
        "HUGHES EDWARDS HILL MOORE CLARK HARRISON SCOTT YOUNG MORRIS HALL WARD TURNER CARTER PHILLIPS "
        "MITCHELL PATEL ADAMS CAMPBELL ANDERSON ALLEN COOK KHAN SINGH AHMED O'BRIEN MCDONALD MACLEOD "
        "FITZGERALD O'NEILL HUSSAIN ALI BEGUM SHAH"
    ),
    places=_words(
        "LONDON MANCHESTER BIRMINGHAM LEEDS GLASGOW BRISTOL LIVERPOOL SHEFFIELD EDINBURGH LEICESTER "
        "NOTTINGHAM CARDIFF COVENTRY BRADFORD READING BELFAST MILTON-KEYNES SOUTHAMPTON NORWICH LUTON "
        "BRIGHTON PLYMOUTH DERBY STOKE HULL SWANSEA ABERDEEN YORK OXFORD CAMBRIDGE EXETER BATH CHESTER DUNDEE "
        "PRESTON BOLTON WATFORD SLOUGH INVERNESS"
    ),
    counties=(
        "Greater London", "Greater Manchester", "West Midlands", "West Yorkshire", "Kent", "Essex", "Surrey",
        "Hampshire", "Lancashire", "Merseyside", "Devon", "Cornwall", "Norfolk", "Cheshire", "Dorset",
    ),
    scheme="UKSIC2007",
    currency="GBP",
    is_upper=True,
)  # fmt: skip
_AMERICAN: Final = Language(
    forms=("Inc", "Inc.", "Corp", "Inc", "LLC", "Corp.", "Corporation", "Co", "LP", "Holdings, Inc.", "Trust"),
    trades=_words(
        "Holdings Capital Partners Financial Bancorp Energy Pharmaceuticals Therapeutics Technologies Systems "
        "Acquisition Group International Fund Trust Resources Realty Properties Industries Ventures "
        "Biosciences Medical Health Sciences Software Networks Semiconductor Devices Materials Mining Gold "
        "Oil Gas Petroleum Solar Power Electric Utilities Water Insurance Mortgage Investment Management "
        "Equity Growth Income Global American National United First Pacific Atlantic Western Southern "
        "Northern Eastern Central General Standard Communications Wireless Broadcasting Entertainment Media "
        "Gaming Restaurants Foods Brands Beverage Tobacco Motors Automotive Aerospace Defense Airlines "
        "Logistics Freight Railroad Shipping Steel Aluminum Chemical"
    ),
    stems=_words(
        "north south east west blue red green silver golden iron steel copper bright clear new old first "
        "prime apex summit peak ridge river lake ocean harbor bay island canyon mesa prairie desert forest "
        "cedar maple pine oak eagle falcon hawk bear wolf bison horizon liberty patriot pioneer frontier "
        "heritage legacy quantum vertex"
    ),
    ends=_words(
        "gen soft tech net bio med pharm chem point path bridge gate stone rock field wood water wave light "
        "star line link works logic metrics sight scale share trade bank fund cap star way craft smith"
    ),
    forenames=_words(
        "James John Robert Michael William David Richard Joseph Thomas Charles Mary Patricia Jennifer Linda "
        "Elizabeth Barbara Susan Jessica Sarah Karen José Luis Carlos María Zoë André Renée"
    ),
    surnames=_words(
        "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez "
        "Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark "
        "Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams "
        "Nelson Baker Núñez Muñoz"
    ),
    places=_words(
        "NEW-YORK HOUSTON CHICAGO DALLAS BOSTON ATLANTA DENVER SAN-DIEGO SAN-FRANCISCO AUSTIN SEATTLE MIAMI "
        "PHOENIX PHILADELPHIA MINNEAPOLIS CHARLOTTE IRVINE WILMINGTON LAS-VEGAS CLEVELAND PITTSBURGH TAMPA "
        "RALEIGH OMAHA RENO"
    ),
    counties=_words(
        "California Texas Delaware Florida Nevada Massachusetts Illinois Colorado Georgia Ohio Virginia Washington"
    ),
    scheme="SIC",
    currency="USD",
    is_upper=False,
)
LANGUAGES: Final = {"UK": _BRITISH, "SE": _SWEDISH, "NO": _NORWEGIAN, "FI": _FINNISH, "US": _AMERICAN}
SHARES: Final = {"UK": 0.45, "SE": 0.18, "NO": 0.17, "FI": 0.10, "US": 0.10}
"""How the companies are spread over the markets."""
