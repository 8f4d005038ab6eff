"""What genuine ownership filings say, written from the documents by hand: nothing here was read by the project."""

COMMON_AADI = "Common stock, par value $0.0001 per share"
COMMON_RYTHM = "Common Stock, $0.001 par value per share"
COMMON_AVIS = "Common stock, par value $0.01 per share"
BICYCLE = "Ordinary Shares, nominal value £0.01 per share"
INVITAE = "Common Stock, par value $0.0001 per share"
AVID = "Common Stock, par value $0.001 per share"
LIVENT = "COMMON STOCK, PAR VALUE $0.001 PER SHARE"
BAKERS = ("Baker Bros. Advisors LP", "Baker Bros. Advisors (GP) LLC", "Julian C. Baker", "Felix J. Baker")

# file: (class, day, issuer's CIK or None, [(holder, percent, shares)])
SCHEDULES = {
    "SCHEDULE_13D.aadi_bioscience.xml": (
        COMMON_AADI,
        "2024-12-31",
        "0001422142",
        [("BML Investment Partners, L.P.", "8.5", "2100000"), ("Leonard Braden Michael", "9.9", "2435000")],
    ),
    "SCHEDULE_13DA.rythm.0001213900-26-023065.xml": (
        COMMON_RYTHM,
        "2026-03-01",
        "0001800637",
        [
            (name, "49.99", "13211928")
            for name in (
                "RSLGH, LLC",
                "WELLNESS MGMT, LLC",
                "FOR SUCCESS HOLDING COMPANY",
                "VCP23, LLC",
                "GTI23, INC.",
                "GREEN THUMB INDUSTRIES INC.",
            )
        ],
    ),
    "SCHEDULE_13G.apple_vanguard.0002100119-26-000139.xml": (
        "Common Stock",
        "2026-03-31",
        "0000320193",
        [("Vanguard Capital Management", "7.48", "1099168953")],
    ),
    "SCHEDULE_13G.nested_cusip.xml": (
        COMMON_AVIS,
        "2026-03-31",
        "0000723612",
        [("Pentwater Capital Management LP", "22.2", "7824100"), ("Matthew Halbower", "22.2", "7824100")],
    ),
    "SC_13D.2024_1.htm": (BICYCLE, "2024-12-13", None, [(name, "22.9", "10885357") for name in BAKERS]),
    "SC_13G.document_1.html": (
        LIVENT,
        "2023-12-29",
        None,
        [
            (name, "0", "0")
            for name in (
                "ICS Opportunities, Ltd.",
                "Millennium Management LLC",
                "Millennium Group Management LLC",
                "Israel A. Englander",
            )
        ],
    ),
    "SC_13G.invitae_2021.htm": (
        INVITAE,
        "2020-12-31",
        None,
        [(BAKERS[place], "8.9", "15774095") for place in (0, 1, 3, 2)],
    ),
    "SC_13G.submission.0001076809-24-000144.nc": (
        AVID,
        "2024-12-09",
        "0000704562",
        [("Glazer Capital, LLC", "5.31", "3394114"), ("Paul J. Glazer", "5.31", "3394114")],
    ),
}

STOCK = "Common Stock"
CLASS_A = "Class A Common Stock"
COKE = "Common Stock, $.25 Par Value"
CENT = "Common Stock, par value $.01 per share"
GOLDMAN = "Common Stock, par value $0.01 per share"
UNITS, CAPITAL = "Class C Google Stock Units", "Class C Capital Stock"
TSMC, TSM = "Common Shares (2330.TW)", "American Depositary Shares (TSM)"
BOFA = "BANK OF AMERICA CORP /DE/, MERRILL LYNCH, PIERCE, FENNER & SMITH INC."

# file: owners, period of report, classes with the shares of each way of owning after the last line of it
FORMS = {
    "form3.apple_newstead.0001780525-26-000003.xml": ("Newstead Jennifer", "2026-03-01", {}),
    "form3.nosecurities.xml": ("Hegde Vinayak", "2021-12-31", {}),
    "form3.snow.xml": ("GARRETT MARK", "2020-09-15", {}),
    "form4.0000021344-26-000122.xml": ("Millhiser Amity", "2026-04-01", {COKE: "400"}),
    "form4.0000021344-26-000137.xml": ("Quincey James", "2026-05-07", {COKE: "78155 44678 9043"}),
    "form4.0000021344-26-000142.xml": ("QUAN NANCY", "2026-05-15", {COKE: "223330 5888"}),
    "form4.0000034088-26-000049.xml": (
        "Talley Darrin L",
        "2026-03-02",
        {STOCK: "18204 250300.3012 100 8239 6627.1206"},
    ),
    "form4.0000034088-26-000075.xml": ("UBBEN JEFFREY W", "2026-05-27", {}),
    "form4.0000070858-26-000319.xml": (BOFA, "2026-05-18", {STOCK: "0"}),
    "form4.0000070858-26-000321.xml": (BOFA, "2026-05-20", {STOCK: "0"}),
    "form4.0000070858-26-000322.xml": (BOFA, "2026-05-20", {STOCK: "0"}),
    "form4.0000080424-26-000032.xml": ("McEvoy Ashley", "2026-03-10", {STOCK: "5751.065"}),
    "form4.0000080424-26-000033.xml": ("Portman Robert Jones", "2026-03-10", {STOCK: "5209.7148"}),
    "form4.0000093410-26-000105.xml": ("Pate R. Hewitt", "2026-03-30", {STOCK: "8638 9574 20 13264"}),
    "form4.0000093410-26-000117.xml": ("HESS JOHN B", "2026-05-06", {STOCK: "658045 355525 7244497 29471 307500 7286"}),
    "form4.0000093410-26-000121.xml": ("HESS JOHN B", "2026-05-20", {STOCK: "278045 355627 7244497 29471 307500 7286"}),
    "form4.0000200406-26-000108.xml": ("WEINBERGER MARK A", "2026-04-23", {}),
    "form4.0000200406-26-000113.xml": ("Woods Eugene A.", "2026-04-23", {}),
    "form4.0000200406-26-000115.xml": ("REED JOHN C", "2026-05-01", {STOCK: "24911"}),
    "form4.0000789019-26-000066.xml": ("Coleman Amy", "2026-03-16", {STOCK: "48576.5643"}),
    "form4.0000789019-26-000070.xml": ("Coleman Amy", "2026-04-15", {STOCK: "47265.6921"}),
    "form4.0000796343-26-000097.xml": ("Oberg Kathleen K.", "2026-04-15", {STOCK: "5250"}),
    "form4.0000796343-26-000103.xml": ("Durn Daniel", "2026-04-20", {STOCK: "42832.787"}),
    "form4.0000796343-26-000107.xml": ("Forusz Jillian", "2026-04-30", {STOCK: "3521.156"}),
    "form4.0000950103-26-007491.xml": ("Cox Christopher K", "2026-05-15", {CLASS_A: "256255 55046"}),
    "form4.0000950103-26-007493.xml": ("Olivan Javier", "2026-05-15", {CLASS_A: "14660 7474 2201 7474 84781"}),
    "form4.0000950103-26-007496.xml": ("Powell Dina H.", "2026-05-15", {CLASS_A: "6612"}),
    "form4.0001046179-26-000285.xml": ("Tien Bor-Zen", "2026-05-19", {TSMC: "11051 145 60", TSM: "90"}),
    "form4.0001046179-26-000286.xml": ("Chuang Tzu-Sou", "2026-05-19", {TSMC: "2495165 5668 7036"}),
    "form4.0001046179-26-000290.xml": ("Mii Yuh-Jier", "2026-05-22", {TSMC: "1254057 7887 63345", TSM: "25"}),
    "form4.0001104659-26-047678.xml": ("Musk Elon", "2026-04-21", {STOCK: "423743904 413152109"}),
    "form4.0001104659-26-062860.xml": ("Taneja Vaibhav", "2026-05-13", {STOCK: "18106.5 111000"}),
    "form4.0001140361-26-015421.xml": ("Borders Ben", "2026-04-15", {STOCK: "39987"}),
    "form4.0001140361-26-020298.xml": ("LEVINSON ARTHUR D", "2026-05-06", {STOCK: "3814576 56000"}),
    "form4.0001140361-26-020871.xml": ("Borders Ben", "2026-05-08", {STOCK: "38713"}),
    "form4.0001193125-26-242630.xml": (
        "Porat Ruth",
        "2026-05-25",
        {UNITS: "67586 28578 59820", CAPITAL: "902564 120000 135950 921695"},
    ),
    "form4.0001193125-26-242634.xml": (
        "WALKER JOHN KENT",
        "2026-05-25",
        {UNITS: "67586 28578 59820", CAPITAL: "8140 84288"},
    ),
    "form4.0001193125-26-242640.xml": (
        "Schindler Philipp",
        "2026-05-25",
        {UNITS: "86230 36516 75562", CAPITAL: "907893 23"},
    ),
    "form4.0001199039-26-000003.xml": ("STEVENS MARK A", "2026-03-20", {STOCK: "7399771 15017750 11543401"}),
    "form4.0001225208-26-004663.xml": ("Gottlieb Scott", "2026-04-23", {}),
    "form4.0001225208-26-004835.xml": ("BOURLA ALBERT", "2026-04-30", {}),
    "form4.0001225208-26-005410.xml": ("Lake Marianne", "2026-05-15", {STOCK: "76402 111029 75011"}),
    "form4.0001225208-26-005411.xml": ("Erdoes Mary E.", "2026-05-15", {STOCK: "632399"}),
    "form4.0001225208-26-005514.xml": ("Friedman Stacey", "2026-05-20", {STOCK: "46428 79468 16196"}),
    "form4.0001374545-26-000008.xml": ("Jassy Andrew R", "2026-05-21", {CENT: "2205766 65500 9923.893"}),
    "form4.0001403161-26-000065.xml": ("CARNEY LLOYD", "2026-03-11", {CLASS_A: "2679"}),
    "form4.0001403161-26-000081.xml": ("MCINERNEY RYAN", "2026-04-29", {CLASS_A: "15174 265168"}),
    "form4.0001526111-26-000005.xml": ("Robertson Donald F Jr", "2026-03-18", {STOCK: "337120"}),
    "form4.0001557979-26-000006.xml": ("Zapolsky David", "2026-05-21", {CENT: "41190"}),
    "form4.0001628280-26-025791.xml": ("SAPERSTEIN ANDREW M", "2026-04-16", {STOCK: "282142.385"}),
    "form4.0001628280-26-025796.xml": ("SIMKOWITZ DANIEL A", "2026-04-17", {STOCK: "365802.079 1805.331"}),
    "form4.0001693709-26-000009.xml": ("SOLOMON DAVID M", "2026-05-01", {GOLDMAN: "137262 16171"}),
    "form4.0001696841-26-000006.xml": ("Teter Timothy S.", "2026-03-18", {STOCK: "400641 2687197"}),
    "form4.0001792653-26-000012.xml": ("FREDMAN SHEARA J", "2026-05-01", {GOLDMAN: "6338"}),
    "form4.0001850865-26-000012.xml": ("Ruemmler Kathryn H.", "2026-05-06", {GOLDMAN: "15657"}),
    "form4.0001972928-26-000002.xml": ("Zhu Xiaotong", "2026-03-31", {STOCK: "20000 47599.75"}),
    "form4.0002024813-26-000008.xml": ("Garman Matthew S", "2026-05-21", {CENT: "14159 887.52"}),
    "form4.374Water.xml": (
        "Melkote Rajesh Ramaswamy",
        "2025-04-30",
        {"Common Stock (restricted stock units)": "757756"},
    ),
    "form4.arrowhead_footnotes.xml": ("OLUKOTUN ADEOYE Y", "2025-12-19", {STOCK: "33600"}),
    "form4.beckton_dickerson_remarks_10b51.xml": ("Feld Michael", "2025-12-26", {STOCK: "16506"}),
    "form4.joint.davita_berkshire.0001193125-26-207021.xml": (
        "BERKSHIRE HATHAWAY INC, BUFFETT WARREN E",
        "2026-05-01",
        {STOCK: "28880209"},
    ),
    "form4.promis_neuro_x_codes.xml": (
        "Jeremy M. Sclar 2012 Irrevocable Family Trust",
        "2025-07-25",
        {"Common Shares, no par value": "3710459"},
    ),
    "form4.submission.0001127602-25-001055.txt": ("Garascia Jessica A.", "2025-01-10", {STOCK: "37565"}),
    "form5.snow.xml": ("McMahon John Dennis", "2022-01-31", {CLASS_A: "54666 151188 125737"}),
}

# file: manager, quarter, rows, and one of them: issuer, class, CUSIP, value as reported, dollars, shares
REPORTS = {
    "13F-HR.actiam.0001619124-21-000002.txt": (
        ("ACTIAM N.V.", "2020-12-31", 5),
        ("APPLE INC", "Common stock", "037833100", "230054", "230054000", "1733777"),
    ),
    "13F-HR.metlife.0001140361-23-013281.txt": (
        ("METLIFE INC", "2021-12-31", 6),
        ("ISHARES MSCI CHILE ETF", "COM", "464286640", "2049983", "2049983", "98000"),
    ),
    "13F-HR.submission.0001894188-23-000007.txt": (
        ("LTS One Management LP", "2023-09-30", 14),
        ("MICROSOFT CORP", "COM", "594918104", "20524000", "20524000", "65000"),
    ),
    "13F-HR.brk.2016q3.infotable.trimmed.xml": (
        (None, None, 5),
        ("AMERICAN AIRLS GROUP INC", "COM", "02376R102", "488930", None, "13355099"),
    ),
    "13F-HR.brk.2026q1.infotable.trimmed.xml": (
        (None, None, None),
        ("ALLY FINL INC", "COM", "02005N100", "498992850", None, "12719675"),
    ),
    "13F-HR.infotable.thousands.xml": ((None, None, None), ("3M CO", "COM", "88579Y101", "409469", None, "2334")),
    "information_table.sample.xml": ((None, None, None), ("AT&T INC", "COM", "02079K107", "7454547777", None, "79296")),
}
COVERS = {
    "13F-HR.brk.2016q3.primary_doc.xml": ("BERKSHIRE HATHAWAY INC", "2016-09-30", 144),
    "13F-HR.primary_doc.metlife.xml": ("METLIFE INC", "2021-12-31", 6),
    "13F-NT.sample.xml": ("BIG FUND TRUST inc", "2021-12-31", None),
}
