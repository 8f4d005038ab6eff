// Made by scripts/types.mjs from the OpenAPI document; not edited by hand.

export interface paths {
    "/api/v1/companies/{org_number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description As the world was on this date; default: today. */
                    as_of?: string;
                    /** @description As we knew it at this time: what was served then; default: now. */
                    known_at?: string;
                    /** @description Additional top-level keys. */
                    include?: ("detail" | "identifiers" | "address" | "sources")[];
                    /** @description Return only these keys, and those added by `include`; `id` is always returned. */
                    fields?: ("id" | "org_number" | "name" | "country" | "sni_code" | "sni_label" | "municipality" | "county" | "registered_date" | "status" | "is_listed" | "latest_revenue" | "latest_currency" | "latest_year")[];
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example 5599999991
                     */
                    org_number: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The profile. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Company"] | components["schemas"]["CompanySelection"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/{market}/companies/{org_number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description As the world was on this date; default: today. */
                    as_of?: string;
                    /** @description As we knew it at this time: what was served then; default: now. */
                    known_at?: string;
                    /** @description Additional top-level keys. */
                    include?: ("detail" | "identifiers" | "address" | "sources")[];
                    /** @description Return only these keys, and those added by `include`; `id` is always returned. */
                    fields?: ("id" | "org_number" | "name" | "country" | "sni_code" | "sni_label" | "municipality" | "county" | "registered_date" | "status" | "is_listed" | "latest_revenue" | "latest_currency" | "latest_year")[];
                };
                header?: never;
                path: {
                    /**
                     * @description Market code in lower case; `gb` is an alias of `uk`.
                     * @example se
                     */
                    market: "us" | "se" | "no" | "fi" | "uk" | "gb";
                    /**
                     * @description Registry number in the market's format. Also accepted: a CIK alone, UK digits without leading zeros, a Finnish id without its hyphen.
                     * @example 5599999991
                     */
                    org_number: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The profile. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Company"] | components["schemas"]["CompanySelection"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Name, or the beginning of any word of it: case- and accent-insensitive, typo-tolerant. An exact match of a number, id, LEI, ISIN, symbol (`AAPL` or `XNAS:AAPL`), VAT number, EUID or CIK comes first. */
                    q?: string;
                    /** @description Market codes; GB is an alias of UK. */
                    country?: ("US" | "SE" | "NO" | "FI" | "UK" | "GB")[];
                    /** @description Prefixes of industry codes: 62 matches 62.010. Countries with different classifications (the US and the others) require `industry_scheme` too; without `country`, all countries are searched. */
                    industry?: string[];
                    /** @description Match only codes of this version of a classification. */
                    industry_scheme?: "SN2007" | "SN2025" | "SNI2007" | "SNI2025" | "TOL2008" | "TOL2025" | "UKSIC2007" | "UKSIC2003" | "SIC";
                    /** @description Municipality or county: its name, national code or ISO 3166-2 code; case- and accent-insensitive. */
                    region?: string;
                    /** @description Size by number of employees: micro below 10, small below 50, medium below 250, large from 250. */
                    size?: ("micro" | "small" | "medium" | "large")[];
                    /** @description Minimum number of employees. */
                    employees_min?: number;
                    /** @description Maximum number of employees. */
                    employees_max?: number;
                    /** @description Minimum of `latest_revenue`; requires `currency`. */
                    revenue_min?: number | bigint;
                    /** @description Maximum of `latest_revenue`; requires `currency`. */
                    revenue_max?: number | bigint;
                    /** @description Only companies with this `latest_currency`; amounts are never converted. */
                    currency?: string;
                    /** @description Only companies with one of these statuses. */
                    status?: ("active" | "dormant" | "dissolved")[];
                    /** @description true: only listed companies; false: only companies without evidence of a listing. */
                    is_listed?: boolean;
                    /** @description Registered on or after this date. */
                    registered_from?: string;
                    /** @description Registered on or before this date. */
                    registered_to?: string;
                    /** @description Sort order; default: relevance with `q`, otherwise id. A leading minus sorts in descending order. Companies without the value come last; ties are ordered by id. */
                    sort?: "relevance" | "id" | "name" | "-latest_revenue" | "-registered_date";
                    /** @description Return only these keys, and those added by `include`; `id` is always returned. */
                    fields?: ("id" | "org_number" | "name" | "country" | "sni_code" | "sni_label" | "municipality" | "county" | "registered_date" | "status" | "is_listed" | "latest_revenue" | "latest_currency" | "latest_year")[];
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Matching companies. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CompanyList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description Companies to look up. */
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LookupRequest"];
                };
            };
            responses: {
                /** @description One answer per item, in their order. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LookupAnswer"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    /** @description What has been typed: the beginning of a name, number or symbol. */
                    q: string;
                    /** @description Market codes; GB is an alias of UK. */
                    country?: ("US" | "SE" | "NO" | "FI" | "UK" | "GB")[];
                    /** @description Maximum number of suggestions. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Suggestions, best first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SuggestionList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description A batch of at most 50 queries by key, as JSON. */
                    queries?: string;
                    /** @description Ids of at most 500 companies, and the properties to return of each, as JSON. */
                    extend?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The manifest, the candidates of each query, or the values of each company. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReconciliationManifest"] | components["schemas"]["ExtendedRows"] | {
                            [key: string]: components["schemas"]["ReconciliationResult"];
                        };
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description A form with exactly one of its two fields, whose content is JSON. */
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": components["schemas"]["ReconcileForm"];
                };
            };
            responses: {
                /** @description The candidates of each query, or the values of each company. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            [key: string]: components["schemas"]["ReconciliationResult"];
                        } | components["schemas"]["ExtendedRows"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reconcile/suggest/entity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    /** @description What has been typed: the beginning of a name, number or symbol. */
                    prefix: string;
                    /** @description Only of this type. */
                    type?: "company" | "company:US" | "company:SE" | "company:NO" | "company:FI" | "company:UK";
                    /** @description Suggestions to leave out at the start. */
                    cursor?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Companies, best first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SuggestedEntities"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reconcile/suggest/type": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description What has been typed; everything without it. */
                    prefix?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Types. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SuggestedTypes"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reconcile/suggest/property": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description What has been typed; everything without it. */
                    prefix?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Properties. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SuggestedProperties"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reconcile/extend/propose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Only of this type. */
                    type?: "company" | "company:US" | "company:SE" | "company:NO" | "company:FI" | "company:UK";
                    /** @description Maximum number of properties. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Properties that may be asked for of companies of a type. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProposedProperties"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reconcile/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query: {
                    /** @description Id of a company. */
                    id: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies/{org_number}/financials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description As the world was on this date; default: today. */
                    as_of?: string;
                    /** @description As we knew it at this time: what was served then; default: now. */
                    known_at?: string;
                    /** @description Type of period. */
                    period_type?: "annual" | "quarterly" | "all";
                    /** @description Only the newest fiscal years; the number of years. */
                    years?: number;
                    /** @description First fiscal year. */
                    from_year?: number;
                    /** @description Last fiscal year. */
                    to_year?: number;
                    /** @description true: consolidated figures; false: the company's own. Default: consolidated if available. */
                    consolidated?: boolean;
                    /** @description `history` adds superseded versions; `sources` adds the origin of the figures. */
                    include?: ("sources" | "history")[];
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example 5599999991
                     */
                    org_number: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Financials of a company, newest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FinancialsList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies/{org_number}/ownership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description As the world was on this date; default: today. */
                    as_of?: string;
                    /** @description As we knew it at this time: what was served then; default: now. */
                    known_at?: string;
                    /**
                     * @description Only owners with at least this share, in percent.
                     * @example 5
                     */
                    min_pct?: number;
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example 5599999991
                     */
                    org_number: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Owners of a company, largest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OwnershipList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies/{company_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Only events of these types. */
                    event_type?: ("filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory" | "company.changed")[];
                    /** @description Recorded at or after this time. */
                    since?: string;
                    /** @description Recorded before this time. */
                    until?: string;
                    /** @description With `asc`, `next_cursor` is never null: store it and call again later to poll for new events. */
                    order?: "desc" | "asc";
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example firm:SE:5599999991
                     */
                    company_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Events of a company. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies/{org_number}/filings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Only filings of these types. */
                    filing_type?: ("annual_report" | "interim_report")[];
                    /** @description Filed on or after this date. */
                    from?: string;
                    /** @description Filed on or before this date. */
                    to?: string;
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example 5599999991
                     */
                    org_number: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Filings of a company. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FilingList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies/{org_number}/holdings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Holdings as of this date; default: today. */
                    as_of?: string;
                    /**
                     * @description Only holdings of at least this share, in percent.
                     * @example 5
                     */
                    min_pct?: number;
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example 5599999991
                     */
                    org_number: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description What a company owns in others, largest first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HoldingList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/companies/{org_number}/group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description As the world was on this date; default: today. */
                    as_of?: string;
                    /** @description As we knew it at this time: what was served then; default: now. */
                    known_at?: string;
                    /** @description Levels of `children`. Above 1, at most 2,000 of them, and what at most 400 companies hold. */
                    depth?: number;
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example 5599999991
                     */
                    org_number: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The group of a company. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CompanyGroup"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Only events of these types. */
                    event_type?: ("filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory" | "company.changed")[];
                    /** @description Market codes; GB is an alias of UK. */
                    country?: ("US" | "SE" | "NO" | "FI" | "UK" | "GB")[];
                    /** @description Prefixes of industry codes: 62 matches 62.010. Countries with different classifications (the US and the others) require `industry_scheme` too; without `country`, all countries are searched. */
                    industry?: string[];
                    /** @description Match only codes of this version of a classification. */
                    industry_scheme?: "SN2007" | "SN2025" | "SNI2007" | "SNI2025" | "TOL2008" | "TOL2025" | "UKSIC2007" | "UKSIC2003" | "SIC";
                    /** @description true: only listed companies; false: only companies without evidence of a listing. */
                    is_listed?: boolean;
                    /** @description Only companies that are on one of these watchlists of the account. */
                    watchlist?: string[];
                    /**
                     * @description Begin after this sequence number, or with the first event recorded at or after this time. Not with `cursor`.
                     * @example 184467
                     */
                    since?: (number | bigint) | string;
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Events of all companies, ascending. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventFeed"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Only events of these types. */
                    event_type?: ("filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory" | "company.changed")[];
                    /** @description Market codes; GB is an alias of UK. */
                    country?: ("US" | "SE" | "NO" | "FI" | "UK" | "GB")[];
                    /** @description Prefixes of industry codes: 62 matches 62.010. Countries with different classifications (the US and the others) require `industry_scheme` too; without `country`, all countries are searched. */
                    industry?: string[];
                    /** @description Match only codes of this version of a classification. */
                    industry_scheme?: "SN2007" | "SN2025" | "SNI2007" | "SNI2025" | "TOL2008" | "TOL2025" | "UKSIC2007" | "UKSIC2003" | "SIC";
                    /** @description true: only listed companies; false: only companies without evidence of a listing. */
                    is_listed?: boolean;
                    /** @description Only companies that are on one of these watchlists of the account. */
                    watchlist?: string[];
                    /**
                     * @description Begin after this sequence number, or with the first event recorded at or after this time; default: with the next event. `Last-Event-ID` comes first.
                     * @example 184467
                     */
                    since?: (number | bigint) | string;
                };
                header?: {
                    /**
                     * @description The `id` of the last event received: the stream begins after it.
                     * @example 184467
                     */
                    "Last-Event-ID"?: components["parameters"]["Last-Event-ID"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Events, as they are published. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Additional keys of markets and datasets. */
                    include?: "reconciliation"[];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description All markets, served and announced. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["MarketList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Market codes; GB is an alias of UK. */
                    market?: ("US" | "SE" | "NO" | "FI" | "UK" | "GB")[];
                    /** @description Only these tables. */
                    table?: ("companies" | "details" | "financials" | "filings" | "ownership" | "events")[];
                    /** @description Only these formats. */
                    format?: ("parquet" | "ndjson" | "csv" | "bods")[];
                    /** @description Only these parts: rows of exports, or parts of deltas. */
                    part?: ("rows" | "deletes" | "upserts")[];
                    /** @description Only files that end at this release. */
                    release?: number | bigint;
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Bulk files, newest release first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BulkFileList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/files/{link}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description The bytes to send, as `bytes=1000-` or `bytes=0-999`; one range.
                     * @example bytes=0-
                     */
                    Range?: components["parameters"]["Range"];
                    /**
                     * @description The ETag of the file whose beginning the caller has: another file is sent whole.
                     * @example "0f343b0931126a20f133d67c2b018a3b5f9f6a0d8f5c1d2e3f4a5b6c7d8e9f00"
                     */
                    "If-Range"?: components["parameters"]["If-Range"];
                };
                path: {
                    /**
                     * @description From `url` of the list.
                     * @example firm_link_80000000006ae9d2
                     */
                    link: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The file. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description A range of the file. */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watchlists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The account's watchlists. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WatchlistList"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description A unique key generated by the client for each operation. A request repeated with the same key within 24 hours is executed once and returns the first response. Either a bare value or a quoted structured-field string.
                     * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                     */
                    "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                };
                path?: never;
                cookie?: never;
            };
            /** @description A watchlist to create. */
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewWatchlist"];
                };
            };
            responses: {
                /** @description A watchlist. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Watchlist"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watchlists/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description The watchlist.
                     * @example wl_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A watchlist. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Watchlist"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description The ETag last read. The response is 412 if the subscription has changed since.
                     * @example "3"
                     */
                    "If-Match"?: components["parameters"]["If-Match"];
                };
                path: {
                    /**
                     * @description The watchlist.
                     * @example wl_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description The ETag last read. The response is 412 if the subscription has changed since.
                     * @example "3"
                     */
                    "If-Match"?: components["parameters"]["If-Match"];
                };
                path: {
                    /**
                     * @description The watchlist.
                     * @example wl_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            /** @description The members to change; omitted members keep their value (RFC 7396). */
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WatchlistChanges"];
                    "application/merge-patch+json": components["schemas"]["WatchlistChanges"];
                };
            };
            responses: {
                /** @description A watchlist. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Watchlist"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/watchlists/{id}/companies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description The watchlist.
                     * @example wl_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Companies of a watchlist, by id. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WatchlistCompanyList"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description A unique key generated by the client for each operation. A request repeated with the same key within 24 hours is executed once and returns the first response. Either a bare value or a quoted structured-field string.
                     * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                     */
                    "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                };
                path: {
                    /**
                     * @description The watchlist.
                     * @example wl_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            /** @description Companies to add to a watchlist, and to remove from it. */
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MembershipChanges"];
                };
            };
            responses: {
                /** @description What a change of companies did. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ChangedMembership"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watchlists/{id}/companies/{company_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description The ETag last read. The response is 412 if the subscription has changed since.
                     * @example "3"
                     */
                    "If-Match"?: components["parameters"]["If-Match"];
                };
                path: {
                    /**
                     * @description The watchlist.
                     * @example wl_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example firm:SE:5599999991
                     */
                    company_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is on the list. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description The ETag last read. The response is 412 if the subscription has changed since.
                     * @example "3"
                     */
                    "If-Match"?: components["parameters"]["If-Match"];
                };
                path: {
                    /**
                     * @description The watchlist.
                     * @example wl_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                    /**
                     * @description Registry number or full id. Accepted formats: /problems/invalid-org-number.
                     * @example firm:SE:5599999991
                     */
                    company_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is not on the list. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Only subscriptions with this status. */
                    status?: "active" | "paused";
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The account's subscriptions. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SubscriptionList"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description A unique key generated by the client for each operation. A request repeated with the same key within 24 hours is executed once and returns the first response. Either a bare value or a quoted structured-field string.
                     * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                     */
                    "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                };
                path?: never;
                cookie?: never;
            };
            /** @description A subscription to create. */
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewSubscription"];
                };
            };
            responses: {
                /** @description A subscription with its secret, returned only once. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CreatedSubscription"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A webhook subscription. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Subscription"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description The ETag last read. The response is 412 if the subscription has changed since.
                     * @example "3"
                     */
                    "If-Match"?: components["parameters"]["If-Match"];
                };
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deleted. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description The ETag last read. The response is 412 if the subscription has changed since.
                     * @example "3"
                     */
                    "If-Match"?: components["parameters"]["If-Match"];
                };
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            /** @description The members to change; omitted members keep their value (RFC 7396). */
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SubscriptionChanges"];
                    "application/merge-patch+json": components["schemas"]["SubscriptionChanges"];
                };
            };
            responses: {
                /** @description An updated subscription. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UpdatedSubscription"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/v1/webhooks/{id}/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description A unique key generated by the client for each operation. A request repeated with the same key within 24 hours is executed once and returns the first response. Either a bare value or a quoted structured-field string.
                     * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                     */
                    "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                };
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            /** @description Options of a secret rotation. */
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["SecretRotation"];
                };
            };
            responses: {
                /** @description The new secret, returned only once. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RotatedSecret"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description A unique key generated by the client for each operation. A request repeated with the same key within 24 hours is executed once and returns the first response. Either a bare value or a quoted structured-field string.
                     * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                     */
                    "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                };
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            /** @description The event type to send as a test. */
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["TestSend"];
                };
            };
            responses: {
                /** @description One request to an endpoint, queue or bucket; events of one object have one in common. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Attempt"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Only deliveries with these statuses. */
                    status?: ("pending" | "retrying" | "succeeded" | "failed" | "held" | "canceled")[];
                    /** @description Only events of these types. */
                    event_type?: ("filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory" | "company.changed")[];
                    /** @description Only deliveries of this event. */
                    event_id?: string;
                    /** @description Created at or after this time. */
                    since?: string;
                    /** @description Created before this time. */
                    until?: string;
                    /** @description Maximum number of rows per page. */
                    limit?: number;
                    /** @description `next_cursor` of the previous page. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Deliveries of a subscription. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeliveryList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                    /**
                     * @description The delivery.
                     * @example dlv_01kaf49n6m7p8q9r0s1t2v3w4x
                     */
                    delivery_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A delivery with its attempts. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeliveryDetail"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description A unique key generated by the client for each operation. A request repeated with the same key within 24 hours is executed once and returns the first response. Either a bare value or a quoted structured-field string.
                     * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                     */
                    "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                };
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                    /**
                     * @description The delivery.
                     * @example dlv_01kaf49n6m7p8q9r0s1t2v3w4x
                     */
                    delivery_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Accepted; the attempt follows. Returns the delivery's current state. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Delivery"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: {
                    /**
                     * @description A unique key generated by the client for each operation. A request repeated with the same key within 24 hours is executed once and returns the first response. Either a bare value or a quoted structured-field string.
                     * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
                     */
                    "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                };
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                };
                cookie?: never;
            };
            /** @description The deliveries to repeat. */
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewReplay"];
                };
            };
            responses: {
                /** @description Accepted; the deliveries follow. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Replay"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/replays/{replay_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /**
                     * @description The subscription.
                     * @example whs_01kaf3w9c8m2v7q4x1z6t5y0r2
                     */
                    id: string;
                    /**
                     * @description The replay.
                     * @example rpl_01kaf5m0n1p2q3r4s5t6v7w8x9
                     */
                    replay_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A replay and its progress. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Replay"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description All event types. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventTypeList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Usage of the account in the current month. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Usage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The document. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The business address. */
        PostalAddress: {
            /** @description Street lines. */
            lines: string[];
            /** @description Postal code. */
            postal_code: string | null;
            /** @description Postal place. */
            post_town: string | null;
            /** @description As written in the register. */
            municipality: string | null;
            /** @description National code. */
            municipality_code: string | null;
            /** @description As written in the register. */
            county: string | null;
            /** @description National code. */
            county_code: string | null;
            /** @description ISO 3166-1 alpha-2 country code (GB, not UK). */
            country: string | null;
        };
        /** @description One source of the profile. */
        ProfileSource: {
            /** @description Key of the dataset. */
            register: string;
            /** @description Id in the register. */
            native_id: string | null;
            /**
             * Format: uri
             * @description Public URL of the record.
             */
            url: string | null;
            /**
             * Format: date-time
             * @description When it was fetched.
             */
            retrieved_at: string | null;
            /** @description Licence of the data. */
            licence: string | null;
            /** @description Fields taken from it. */
            fields: string[];
        };
        /** @description A company profile. */
        Company: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /** @description Industry code. */
            sni_code: string | null;
            /** @description Label of the industry code. */
            sni_label: string | null;
            /** @description As written in the register. */
            municipality: string | null;
            /** @description As written in the register. */
            county: string | null;
            /**
             * Format: date
             * @description Date of entry into the register.
             */
            registered_date: string | null;
            /**
             * @description Status of the company.
             * @enum {string}
             */
            status: "active" | "dormant" | "dissolved";
            /** @description True only with evidence of a listing; false means no evidence. */
            is_listed: boolean;
            /**
             * Format: int64
             * @description Revenue of the newest annual period with a revenue figure.
             */
            latest_revenue: number | bigint | null;
            /** @description ISO 4217 currency code. */
            latest_currency: string | null;
            /**
             * Format: int32
             * @description Fiscal year of latest_revenue.
             */
            latest_year: number | null;
            /** @description Code or text of the register. */
            legal_form_code?: string | null;
            /** @description Its label. */
            legal_form_label?: string | null;
            /** @description The reason, if the register gives one. */
            status_detail?: string | null;
            /** @description The status in the register's own terms. */
            registry_status?: string | null;
            /**
             * Format: date
             * @description Date of removal from the register.
             */
            dissolved_date?: string | null;
            /**
             * Format: int32
             * @description Latest number in the register.
             */
            employees?: number | null;
            /** @description As registered. */
            website?: string | null;
            /** @description Former names, newest first. */
            previous_names?: string[];
            /** @description Version of the code list. */
            industry_scheme?: string | null;
            /** @description Dataset the evidence comes from; null if no listing source is loaded. */
            is_listed_source?: string | null;
            /** @description Legal entity identifier. */
            lei?: string | null;
            /** @description Securities. */
            isin?: string[];
            /** @description Symbol. */
            ticker?: string | null;
            /** @description ISO 10383. */
            exchange_mic?: string | null;
            /** @description VAT number. */
            vat?: string | null;
            /** @description European unique identifier. */
            euid?: string | null;
            /** @description SEC Central Index Key. */
            cik?: string | null;
            address?: components["schemas"]["PostalAddress"];
            /** @description Sources of the profile. */
            sources?: components["schemas"]["ProfileSource"][];
            /**
             * Format: date
             * @description The day, if `as_of` or `known_at` is given.
             */
            as_of?: string;
            /**
             * Format: date-time
             * @description The time, if `as_of` or `known_at` is given.
             */
            known_at?: string;
        };
        /** @description A profile limited to `fields`. */
        CompanySelection: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            id: string;
            /** @description Canonical registry number. */
            org_number?: string;
            /** @description Name as registered. */
            name?: string;
            /** @description Market code. */
            country?: string;
            /** @description Industry code. */
            sni_code?: string | null;
            /** @description Label of the industry code. */
            sni_label?: string | null;
            /** @description As written in the register. */
            municipality?: string | null;
            /** @description As written in the register. */
            county?: string | null;
            /**
             * Format: date
             * @description Date of entry into the register.
             */
            registered_date?: string | null;
            /**
             * @description Status of the company.
             * @enum {string}
             */
            status?: "active" | "dormant" | "dissolved";
            /** @description True only with evidence of a listing; false means no evidence. */
            is_listed?: boolean;
            /**
             * Format: int64
             * @description Revenue of the newest annual period with a revenue figure.
             */
            latest_revenue?: number | bigint | null;
            /** @description ISO 4217 currency code. */
            latest_currency?: string | null;
            /**
             * Format: int32
             * @description Fiscal year of latest_revenue.
             */
            latest_year?: number | null;
            /** @description Code or text of the register. */
            legal_form_code?: string | null;
            /** @description Its label. */
            legal_form_label?: string | null;
            /** @description The reason, if the register gives one. */
            status_detail?: string | null;
            /** @description The status in the register's own terms. */
            registry_status?: string | null;
            /**
             * Format: date
             * @description Date of removal from the register.
             */
            dissolved_date?: string | null;
            /**
             * Format: int32
             * @description Latest number in the register.
             */
            employees?: number | null;
            /** @description As registered. */
            website?: string | null;
            /** @description Former names, newest first. */
            previous_names?: string[];
            /** @description Version of the code list. */
            industry_scheme?: string | null;
            /** @description Dataset the evidence comes from; null if no listing source is loaded. */
            is_listed_source?: string | null;
            /** @description Legal entity identifier. */
            lei?: string | null;
            /** @description Securities. */
            isin?: string[];
            /** @description Symbol. */
            ticker?: string | null;
            /** @description ISO 10383. */
            exchange_mic?: string | null;
            /** @description VAT number. */
            vat?: string | null;
            /** @description European unique identifier. */
            euid?: string | null;
            /** @description SEC Central Index Key. */
            cik?: string | null;
            address?: components["schemas"]["PostalAddress"];
            /** @description Sources of the profile. */
            sources?: components["schemas"]["ProfileSource"][];
            /**
             * Format: date
             * @description The day, if `as_of` or `known_at` is given.
             */
            as_of?: string;
            /**
             * Format: date-time
             * @description The time, if `as_of` or `known_at` is given.
             */
            known_at?: string;
        };
        /** @description Matching companies. */
        CompanyList: {
            /** @description Only on a first page without rows, where an industry code explains it. */
            notices?: {
                /** @description `retired_industry_code`: a code of NACE Rev. 2 that Rev. 2.1 does not have. `newer_industry_code`: the reverse. Other values may be added. */
                code: string;
                /** @description The query parameter. */
                parameter: string;
                /** @description The industry code, without dots. */
                value: string;
                /** @description The revision that has this code. */
                revision: string;
                /** @description Classes of the other revision that correspond to it. */
                corresponds_to: string[];
                /** @description The same in a sentence. */
                detail: string;
            }[];
            /** @description The rows of this page. */
            data: (components["schemas"]["Company"] | components["schemas"]["CompanySelection"])[];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description A company to look up, by one identifier or several that mean the same company. */
        LookupItem: {
            /** @description A company's id, or its number in a spelling that needs no country. */
            id?: string;
            /** @description Registry number in any spelling; with `country`. */
            number?: string;
            /** @description Market code, or GB. */
            country?: string;
            /** @description Legal entity identifier. */
            lei?: string;
            /** @description ISIN of one of its securities. */
            isin?: string;
            /** @description Symbol; with `exchange_mic`. */
            ticker?: string;
            /** @description ISO 10383. */
            exchange_mic?: string;
            /** @description VAT number, with its country's letters or with `country`. */
            vat?: string;
            /** @description Name, with or without its legal form; with `country`. */
            name?: string;
            /** @description With `name`: chooses between namesakes. */
            municipality?: string;
            /** @description With `name`: the beginning of an industry code; chooses between namesakes. */
            industry?: string;
        };
        /** @description Companies to look up. */
        LookupRequest: {
            /** @description The companies, in the order of the answers. Every 10 count as one request. */
            items: components["schemas"]["LookupItem"][];
            /** @description Return only these keys of each company; `id` is always returned. */
            fields?: ("id" | "org_number" | "name" | "country" | "sni_code" | "sni_label" | "municipality" | "county" | "registered_date" | "status" | "is_listed" | "latest_revenue" | "latest_currency" | "latest_year")[];
        };
        /** @description A company that an item may mean. */
        MatchCandidate: {
            company: components["schemas"]["Company"] | components["schemas"]["CompanySelection"];
            /** @description How well it fits; 1 is best. */
            score: number;
            /** @description Why it may be meant, and what speaks against it (`other_…`). */
            reasons: string[];
        };
        /** @description One invalid input. */
        InputError: {
            /** @description What is wrong with the input. */
            code: string;
            /** @description What the input must be. */
            detail: string;
            /** @description Name of the query or path parameter. */
            parameter?: string;
            /** @description JSON Pointer into the body. */
            pointer?: string;
            /** @description Header. */
            header?: string;
        };
        /** @description The answer to one item. */
        LookupResult: {
            /**
             * @description exact: the identifiers mean one company. probable: the name means one company. ambiguous: see `candidates`. none: no company.
             * @enum {string}
             */
            match: "exact" | "probable" | "ambiguous" | "none";
            /** @description The company, if exact or probable; else null. */
            company: components["schemas"]["Company"] | components["schemas"]["CompanySelection"] | null;
            /** @description With probable the company and others like it, with ambiguous those that may be meant; best first. */
            candidates: components["schemas"]["MatchCandidate"][];
            /** @description Only on an item that lacks a member, or has a value that no company can have; then match is none. */
            errors?: components["schemas"]["InputError"][];
        };
        /** @description One answer per item, in their order. */
        LookupAnswer: {
            /** @description The answers. */
            data: components["schemas"]["LookupResult"][];
        };
        /** @description A company that what was typed may be the beginning of. */
        Suggestion: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /**
             * @description Status of the company.
             * @enum {string}
             */
            status: "active" | "dormant" | "dissolved";
            /** @description Whether there is evidence of a listing. */
            is_listed: boolean;
            /** @description What begins with the text. */
            matched_by: string;
        };
        /** @description Suggestions, best first. */
        SuggestionList: {
            /** @description The suggestions. */
            data: components["schemas"]["Suggestion"][];
        };
        /** @description A type of entities: companies, or the companies of one market. */
        EntityType: {
            /** @description Id of the type. */
            id: string;
            /** @description Its name. */
            name: string;
        };
        /** @description What the reconciliation service offers. */
        ReconciliationManifest: {
            /** @description Versions it follows. */
            versions: string[];
            /** @description Its name. */
            name: string;
            /** @description URI of the ids. */
            identifierSpace: string;
            /** @description URI of the types and properties. */
            schemaSpace: string;
            /**
             * Format: uri
             * @description The OpenAPI document.
             */
            documentation: string;
            /**
             * Format: int32
             * @description Queries that a request may have.
             */
            batchSize: number;
            /** @description How to authenticate, as an OpenAPI 2.0 security scheme. */
            authentication: {
                [key: string]: unknown;
            };
            /** @description Types to reconcile with. */
            defaultTypes: components["schemas"]["EntityType"][];
            view: {
                /** @description Address of a company, with {{id}} for its id. */
                url: string;
            };
            preview: {
                /** @description Address of a company, with {{id}} for its id. */
                url: string;
                /**
                 * Format: int32
                 * @description Width of the page in pixels.
                 */
                width: number;
                /**
                 * Format: int32
                 * @description Height of the page in pixels.
                 */
                height: number;
            };
            suggest: {
                entity: {
                    /** @description Address of the service. */
                    service_url: string;
                    /** @description Path below it. */
                    service_path: string;
                };
                type: {
                    /** @description Address of the service. */
                    service_url: string;
                    /** @description Path below it. */
                    service_path: string;
                };
                property: {
                    /** @description Address of the service. */
                    service_url: string;
                    /** @description Path below it. */
                    service_path: string;
                };
            };
            extend: {
                propose_properties: {
                    /** @description Address of the service. */
                    service_url: string;
                    /** @description Path below it. */
                    service_path: string;
                };
            };
        };
        /** @description A property of companies. */
        NamedProperty: {
            /** @description Id of a property. */
            id: string;
            /** @description Its name. */
            name: string;
        };
        /** @description One value of a property, in exactly one of the members. */
        PropertyValue: {
            /** @description A text. */
            str?: string;
            /**
             * Format: int64
             * @description A whole number.
             */
            int?: number | bigint;
            /** @description The beginning of a day in UTC. */
            date?: string;
        };
        /** @description Values of properties of companies. */
        ExtendedRows: {
            /** @description The properties, in the order asked for. */
            meta: components["schemas"]["NamedProperty"][];
            /** @description Values by company and property; an empty list where nothing is known. */
            rows: {
                [key: string]: {
                    [key: string]: components["schemas"]["PropertyValue"][];
                };
            };
        };
        /** @description A company that a query may mean. */
        ReconciliationCandidate: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            id: string;
            /** @description Name as registered. */
            name: string;
            /** @description What tells it from others of its name. */
            description: string;
            /** @description Its types. */
            type: components["schemas"]["EntityType"][];
            /** @description How well it fits; 100 is best. */
            score: number;
            /** @description Whether the query means this company and no other. */
            match: boolean;
            /** @description Why it may be meant, and what speaks against it (`other_…`). */
            features: {
                /** @description A reason, as look-ups name it. */
                id: string;
                /** @description Always true. */
                value: boolean;
            }[];
        };
        /** @description The answer to one query. */
        ReconciliationResult: {
            /** @description Candidates, best first. */
            result: components["schemas"]["ReconciliationCandidate"][];
            /** @description Only on a query with a value that no company can have; then there are no candidates. */
            errors?: components["schemas"]["InputError"][];
        };
        /** @description A form with exactly one of its two fields, whose content is JSON. */
        ReconcileForm: {
            /** @description A batch of at most 50 queries by key, as JSON. */
            queries?: string;
            /** @description Ids of at most 500 companies, and the properties to return of each, as JSON. */
            extend?: string;
        };
        /** @description A company that a text may be the beginning of. */
        SuggestedEntity: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            id: string;
            /** @description Name as registered. */
            name: string;
            /** @description What tells it from others of its name. */
            description: string;
            /** @description Its types. */
            notable: components["schemas"]["EntityType"][];
        };
        /** @description Companies, best first. */
        SuggestedEntities: {
            /** @description The suggestions. */
            result: components["schemas"]["SuggestedEntity"][];
        };
        /** @description Types. */
        SuggestedTypes: {
            /** @description The suggestions. */
            result: components["schemas"]["EntityType"][];
        };
        /** @description Properties. */
        SuggestedProperties: {
            /** @description The suggestions. */
            result: components["schemas"]["NamedProperty"][];
        };
        /** @description Properties that may be asked for of companies of a type. */
        ProposedProperties: {
            /** @description The type. */
            type?: string;
            /**
             * Format: int32
             * @description The limit asked for.
             */
            limit?: number;
            /** @description The properties. */
            properties: components["schemas"]["NamedProperty"][];
        };
        /** @description The document the figures come from. */
        FigureSource: {
            /** @description Key of the dataset. */
            register: string;
            /** @description Id in the register. */
            native_id: string | null;
            /**
             * Format: uri
             * @description Public URL of the document.
             */
            url: string | null;
            /**
             * Format: date-time
             * @description When it was fetched.
             */
            retrieved_at: string | null;
        };
        /** @description One period in its newest version; with include=history also earlier versions. */
        FinancialPeriod: {
            /** @description For example 2025 or 2026-Q3. */
            period: string;
            /**
             * @description Type of period.
             * @enum {string}
             */
            period_type: "annual" | "quarterly";
            /**
             * Format: int32
             * @description Year of period_end (US: as labelled by the filer).
             */
            fiscal_year: number;
            /**
             * Format: int32
             * @description Quarterly periods only.
             */
            fiscal_quarter: number | null;
            /**
             * Format: date
             * @description First day of the period.
             */
            period_start: string;
            /**
             * Format: date
             * @description Last day of the period.
             */
            period_end: string;
            /** @description ISO 4217 currency code. */
            currency: string | null;
            /**
             * Format: int64
             * @description Operating revenue.
             */
            revenue: number | bigint | null;
            /**
             * Format: int64
             * @description Operating profit or loss.
             */
            operating_result: number | bigint | null;
            /**
             * Format: int64
             * @description Profit or loss for the period.
             */
            net_result: number | bigint | null;
            /**
             * Format: int64
             * @description Equity at the end of the period.
             */
            equity: number | bigint | null;
            /**
             * Format: int64
             * @description Total assets at the end of the period.
             */
            total_assets: number | bigint | null;
            /**
             * Format: int32
             * @description Average number of employees in the period.
             */
            employees: number | null;
            /** @description Whether the figures are consolidated. */
            is_consolidated: boolean;
            /** @description Accounting standard, as named in the filing. */
            accounting_standard: string | null;
            /** @description The document. */
            filing_id: string;
            /**
             * Format: date
             * @description Date of filing.
             */
            filed_at: string | null;
            /**
             * Format: int32
             * @description Version number; 1 for the first document of the period.
             */
            version: number;
            /** @description Whether this is version 2 or later. */
            is_restated: boolean;
            /** @description Fields that were computed instead of read from the document. */
            derived: string[];
            /**
             * Format: int32
             * @description Length in months, rounded; null in data read before version 1.4, absent in releases made before it.
             */
            period_months?: number | null;
            /** @description Present with include=sources. */
            sources?: components["schemas"]["FigureSource"][];
        };
        /** @description Financials of a company, newest first. */
        FinancialsList: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered. */
            name: string;
            /**
             * Format: date
             * @description The day, if `as_of` or `known_at` is given.
             */
            as_of?: string;
            /**
             * Format: date-time
             * @description The time, if `as_of` or `known_at` is given.
             */
            known_at?: string;
            /** @description The rows of this page. */
            data: components["schemas"]["FinancialPeriod"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description The holding according to one source. */
        HoldingSource: {
            /** @description Key of the dataset. */
            register: string;
            /** @description Id in the source. */
            native_id: string | null;
            /**
             * Format: uri
             * @description Public URL of the record.
             */
            url: string | null;
            /**
             * Format: date
             * @description Date of the figure.
             */
            as_of: string | null;
            /** @description Share of capital according to the source. */
            pct: number | null;
        };
        /** @description One owner, merged from all sources. */
        Owner: {
            /** @description Id of the holder within this company. */
            holder_id: string;
            /** @description Null if protected by law. */
            holder_name: string | null;
            /** @description Type of holder. */
            holder_type: string;
            /** @description Given if the holder is a company with a known number. */
            holder_company_id: string | null;
            /** @description ISO 3166-1 alpha-2 country code (GB, not UK). */
            holder_country: string | null;
            /** @description Share of capital; null if only a band is known. */
            pct: number | null;
            /** @description Lower bound. */
            pct_min: number | null;
            /** @description Upper bound. */
            pct_max: number | null;
            /** @description Share of votes. */
            votes_pct: number | null;
            /** @description Share class; null for all classes. */
            share_class: string | null;
            /**
             * @description Basis of the share.
             * @enum {string|null}
             */
            basis: "exact" | "band" | "derived" | null;
            /** @description Whether it is held in the holder's own name; null if unknown. */
            is_direct: boolean | null;
            /**
             * Format: date
             * @description Date of the percentage.
             */
            as_of: string;
            /**
             * Format: date
             * @description Start of the earliest observation.
             */
            first_seen: string;
            /**
             * @description Whether the sources agree.
             * @enum {string}
             */
            reconciliation: "single" | "agreed" | "latest_wins" | "conflict";
            /** @description The holding according to each source. */
            sources: components["schemas"]["HoldingSource"][];
        };
        /** @description Owners of a company, largest first. */
        OwnershipList: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered. */
            name: string;
            /**
             * Format: date
             * @description The requested date.
             */
            as_of: string;
            /**
             * Format: date-time
             * @description The time, if `as_of` or `known_at` is given.
             */
            known_at?: string;
            /** @description Sum of the known shares, at most 100; null if none is known. */
            known_pct: number | null;
            /** @description The rows of this page. */
            data: components["schemas"]["Owner"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description An address as in a profile's part `address`, without municipality and county, which are fields of their own. */
        ChangedAddress: {
            /** @description Street lines. */
            lines: string[];
            /** @description Postal code. */
            postal_code: string | null;
            /** @description Postal place. */
            post_town: string | null;
            /** @description ISO 3166-1 alpha-2 country code (GB, not UK). */
            country: string | null;
        };
        /** @description Source of the event. */
        EventSource: {
            /** @description Key of the dataset. */
            register: string;
            /** @description Id in the source. */
            native_id: string | null;
            /**
             * Format: uri
             * @description Public URL.
             */
            url: string | null;
            /**
             * Format: date-time
             * @description When it was fetched.
             */
            retrieved_at: string | null;
        };
        /** @description What happened: filing.added. */
        AddedFiling: {
            /** @description The document. */
            filing_id: string;
            /** @description Type of filing. */
            filing_type: string;
            /** @description For example 2025 or 2026-Q3. */
            period: string | null;
            /**
             * @description Null for periods not served in v1.
             * @enum {string|null}
             */
            period_type: "annual" | "quarterly" | null;
            /**
             * Format: int32
             * @description Fiscal year; null if the period is not known.
             */
            fiscal_year: number | null;
            /**
             * Format: int32
             * @description Quarterly periods only.
             */
            fiscal_quarter: number | null;
            /**
             * Format: date
             * @description First day of the period.
             */
            period_start: string | null;
            /**
             * Format: date
             * @description Last day of the period; null if only the document is known.
             */
            period_end: string | null;
            /**
             * Format: date
             * @description Date of filing.
             */
            filed_at: string | null;
            /**
             * Format: int32
             * @description Version of the period.
             */
            version: number;
            /** @description ISO 4217 currency code. */
            currency: string | null;
            /**
             * Format: int64
             * @description Operating revenue.
             */
            revenue: number | bigint | null;
            /**
             * Format: int64
             * @description Operating profit or loss.
             */
            operating_result: number | bigint | null;
            /**
             * Format: int64
             * @description Profit or loss for the period.
             */
            net_result: number | bigint | null;
            /**
             * Format: int64
             * @description Equity at the end of the period.
             */
            equity: number | bigint | null;
            /**
             * Format: int64
             * @description Total assets at the end of the period.
             */
            total_assets: number | bigint | null;
            /**
             * Format: int32
             * @description Average number of employees in the period.
             */
            employees: number | null;
            /** @description Whether the figures are consolidated. */
            is_consolidated: boolean | null;
            /**
             * Format: uri
             * @description The document.
             */
            document_url: string | null;
        };
        /** @description `data` of filing.added. */
        FilingAddedData: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_nr: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; strictly increasing.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            filing: components["schemas"]["AddedFiling"];
            /** @description True in webhook test sends; absent otherwise. */
            test?: boolean;
        };
        /** @description One changed value. */
        ChangedFigure: {
            /** @description Name of the field. */
            field: string;
            previous: (number | bigint | null) | string;
            current: (number | bigint | null) | string;
        };
        /** @description What happened: filing.updated. */
        UpdatedFiling: {
            /** @description The document. */
            filing_id: string;
            /** @description Type of filing. */
            filing_type: string;
            /** @description For example 2025 or 2026-Q3. */
            period: string | null;
            /**
             * @description Null for periods not served in v1.
             * @enum {string|null}
             */
            period_type: "annual" | "quarterly" | null;
            /**
             * Format: int32
             * @description Fiscal year; null if the period is not known.
             */
            fiscal_year: number | null;
            /**
             * Format: int32
             * @description Quarterly periods only.
             */
            fiscal_quarter: number | null;
            /**
             * Format: date
             * @description First day of the period.
             */
            period_start: string | null;
            /**
             * Format: date
             * @description Last day of the period; null if only the document is known.
             */
            period_end: string | null;
            /**
             * Format: date
             * @description Date of filing.
             */
            filed_at: string | null;
            /**
             * Format: int32
             * @description Version of the period.
             */
            version: number;
            /** @description ISO 4217 currency code. */
            currency: string | null;
            /**
             * Format: int64
             * @description Operating revenue.
             */
            revenue: number | bigint | null;
            /**
             * Format: int64
             * @description Operating profit or loss.
             */
            operating_result: number | bigint | null;
            /**
             * Format: int64
             * @description Profit or loss for the period.
             */
            net_result: number | bigint | null;
            /**
             * Format: int64
             * @description Equity at the end of the period.
             */
            equity: number | bigint | null;
            /**
             * Format: int64
             * @description Total assets at the end of the period.
             */
            total_assets: number | bigint | null;
            /**
             * Format: int32
             * @description Average number of employees in the period.
             */
            employees: number | null;
            /** @description Whether the figures are consolidated. */
            is_consolidated: boolean | null;
            /**
             * Format: uri
             * @description The document.
             */
            document_url: string | null;
            /**
             * Format: int32
             * @description Number of the previous version.
             */
            previous_version: number;
            /** @description Why. */
            reason: string;
            /** @description What changed. */
            changed_fields: components["schemas"]["ChangedFigure"][];
        };
        /** @description `data` of filing.updated. */
        FilingUpdatedData: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_nr: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; strictly increasing.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            filing: components["schemas"]["UpdatedFiling"];
            /** @description True in webhook test sends; absent otherwise. */
            test?: boolean;
        };
        /** @description What happened: ownership.changed. */
        OwnershipChange: {
            /** @description Null if protected by law. */
            holder_name: string | null;
            /** @description Before; of a band its lower bound. */
            previous_pct: number;
            /** @description Now; of a band its lower bound. */
            current_pct: number;
            /** @description The holder. */
            holder_id: string;
            /** @description Type of holder. */
            holder_type: string;
            /** @description Given if the holder is a company with a known number. */
            holder_company_id: string | null;
            /**
             * @description Direction of the crossing.
             * @enum {string}
             */
            direction: "up" | "down";
            /** @description Percent. */
            thresholds_crossed: (5 | 10 | 20 | 50)[];
            /**
             * @description Basis of the shares; `band` where either is one.
             * @enum {string|null}
             */
            basis: "exact" | "band" | "derived" | null;
            /**
             * Format: date
             * @description Date of the new share.
             */
            as_of: string;
        };
        /** @description `data` of ownership.changed. */
        OwnershipChangedData: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_nr: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; strictly increasing.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            change: components["schemas"]["OwnershipChange"];
            /** @description True in webhook test sends; absent otherwise. */
            test?: boolean;
        };
        /** @description What happened: status.changed. */
        StatusChange: {
            /**
             * @description Before.
             * @enum {string}
             */
            previous_status: "active" | "dormant" | "dissolved";
            /**
             * @description Now.
             * @enum {string}
             */
            current_status: "active" | "dormant" | "dissolved";
            /**
             * Format: date
             * @description Date from which the status applies.
             */
            effective_date: string;
            /** @description The status in the register's own terms. */
            registry_status: string | null;
            /** @description The reason, if the register gives one. */
            reason: string | null;
        };
        /** @description `data` of status.changed. */
        StatusChangedData: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_nr: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; strictly increasing.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            change: components["schemas"]["StatusChange"];
            /** @description True in webhook test sends; absent otherwise. */
            test?: boolean;
        };
        /** @description What happened: news.published. */
        NewsItem: {
            /** @description The item. */
            news_id: string;
            /** @description Headline. */
            title: string;
            /** @description Text, if it may be redistributed. */
            summary: string | null;
            /**
             * Format: uri
             * @description The item.
             */
            url: string | null;
            /** @description The publisher. */
            publisher: string | null;
            /** @description ISO 639-1 language code. */
            language: string | null;
            /**
             * Format: date-time
             * @description As published.
             */
            published_at: string;
            /** @description Categories assigned by the service. */
            categories: string[];
        };
        /** @description `data` of news.published. */
        NewsPublishedData: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_nr: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; strictly increasing.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            news: components["schemas"]["NewsItem"];
            /** @description True in webhook test sends; absent otherwise. */
            test?: boolean;
        };
        /** @description What happened: event.regulatory. */
        RegulatoryNotice: {
            /** @description The notice. */
            notice_id: string;
            /** @description The regulator. */
            authority: string;
            /** @description ISO 3166-1 alpha-2 country code (GB, not UK). */
            authority_country: string | null;
            /** @description Type of action. */
            action_type: string;
            /** @description Headline. */
            title: string;
            /** @description Text, if it may be redistributed. */
            summary: string | null;
            /**
             * Format: uri
             * @description The notice.
             */
            url: string | null;
            /**
             * Format: date-time
             * @description As published.
             */
            published_at: string;
            /**
             * Format: int64
             * @description Amount of a fine or similar.
             */
            amount: number | bigint | null;
            /** @description ISO 4217 currency code. */
            currency: string | null;
        };
        /** @description `data` of event.regulatory. */
        RegulatoryEventData: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_nr: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; strictly increasing.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            notice: components["schemas"]["RegulatoryNotice"];
            /** @description True in webhook test sends; absent otherwise. */
            test?: boolean;
        };
        /** @description One changed field of a profile; both values are known. */
        ChangedField: {
            /** @description Name of the field in the profile. */
            field: string;
            previous: string | boolean | components["schemas"]["ChangedAddress"];
            current: string | boolean | components["schemas"]["ChangedAddress"];
        };
        /** @description What happened: company.changed. */
        CompanyChange: {
            /** @description What changed; none where the subject was erased. */
            changes: components["schemas"]["ChangedField"][];
            /**
             * Format: date
             * @description The register's own date of the change; null if it gives none.
             */
            effective_date: string | null;
        };
        /** @description `data` of company.changed. */
        CompanyChangedData: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_nr: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; strictly increasing.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            change: components["schemas"]["CompanyChange"];
            /** @description True in webhook test sends; absent otherwise. */
            test?: boolean;
        };
        /** @description One event. */
        Event: {
            /** @description Always the same for the same fact: use it to deduplicate. */
            event_id: string;
            /** @description Event type. */
            event_type: string;
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the service recorded it.
             */
            recorded_at: string;
            /**
             * Format: int64
             * @description Order of recording; strictly increasing.
             */
            sequence: number | bigint;
            data: components["schemas"]["FilingAddedData"] | components["schemas"]["FilingUpdatedData"] | components["schemas"]["OwnershipChangedData"] | components["schemas"]["StatusChangedData"] | components["schemas"]["NewsPublishedData"] | components["schemas"]["RegulatoryEventData"] | components["schemas"]["CompanyChangedData"];
        };
        /** @description Events of a company. */
        EventList: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered. */
            name: string;
            /** @description The rows of this page. */
            data: components["schemas"]["Event"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description One document of the same period and scope. */
        FilingVersion: {
            /**
             * Format: int32
             * @description 1 for the first document.
             */
            version: number;
            /** @description The document. */
            filing_id: string;
            /**
             * Format: date
             * @description Date of filing.
             */
            filed_at: string | null;
            /** @description Whether it is the version that is served. */
            is_current: boolean;
        };
        /** @description One document filed; its own period, not its comparatives. */
        Filing: {
            /** @description The document. */
            filing_id: string;
            /** @description Type of filing. */
            filing_type: string;
            /** @description The register's own form, if it is known. */
            form: string | null;
            /** @description For example 2025 or 2026-Q3. */
            period: string | null;
            /**
             * @description Null for periods not served in v1.
             * @enum {string|null}
             */
            period_type: "annual" | "quarterly" | null;
            /**
             * Format: int32
             * @description Fiscal year; null if the period is not known.
             */
            fiscal_year: number | null;
            /**
             * Format: int32
             * @description Quarterly periods only.
             */
            fiscal_quarter: number | null;
            /**
             * Format: date
             * @description First day of the period.
             */
            period_start: string | null;
            /**
             * Format: date
             * @description Last day of the period.
             */
            period_end: string | null;
            /**
             * Format: date
             * @description Date of filing.
             */
            filed_at: string | null;
            /**
             * Format: date-time
             * @description When the register accepted it, if it says so.
             */
            accepted_at: string | null;
            /**
             * Format: uri
             * @description The document.
             */
            document_url: string | null;
            /** @description Whether its figures are consolidated; true if it states both. Null: no figures are known. */
            is_consolidated: boolean | null;
            /** @description All documents of its period and scope, by version; empty if no figures are known. */
            versions: components["schemas"]["FilingVersion"][];
            /** @description The document of the version before it. */
            supersedes: string | null;
            /** @description Where the document was found. */
            sources: components["schemas"]["FigureSource"][];
        };
        /** @description Filings of a company. */
        FilingList: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered. */
            name: string;
            /** @description The rows of this page. */
            data: components["schemas"]["Filing"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description One line of ownership that names the company as holder, with the company that it holds. */
        Holding: {
            /** @description Id of the holder within this company. */
            holder_id: string;
            /** @description Null if protected by law. */
            holder_name: string | null;
            /** @description Type of holder. */
            holder_type: string;
            /** @description Given if the holder is a company with a known number. */
            holder_company_id: string | null;
            /** @description ISO 3166-1 alpha-2 country code (GB, not UK). */
            holder_country: string | null;
            /** @description Share of capital; null if only a band is known. */
            pct: number | null;
            /** @description Lower bound. */
            pct_min: number | null;
            /** @description Upper bound. */
            pct_max: number | null;
            /** @description Share of votes. */
            votes_pct: number | null;
            /** @description Share class; null for all classes. */
            share_class: string | null;
            /**
             * @description Basis of the share.
             * @enum {string|null}
             */
            basis: "exact" | "band" | "derived" | null;
            /** @description Whether it is held in the holder's own name; null if unknown. */
            is_direct: boolean | null;
            /**
             * Format: date
             * @description Date of the percentage.
             */
            as_of: string;
            /**
             * Format: date
             * @description Start of the earliest observation.
             */
            first_seen: string;
            /**
             * @description Whether the sources agree.
             * @enum {string}
             */
            reconciliation: "single" | "agreed" | "latest_wins" | "conflict";
            /** @description The holding according to each source. */
            sources: components["schemas"]["HoldingSource"][];
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Name as registered. */
            name: string;
            /** @description Market code. */
            country: string;
        };
        /** @description What a company owns in others, largest first. */
        HoldingList: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered. */
            name: string;
            /** @description The rows of this page. */
            data: components["schemas"]["Holding"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
            /**
             * Format: date
             * @description The requested date.
             */
            as_of: string;
        };
        /** @description One relation of a company to a holder, merged from the sources that state it. */
        GroupLine: {
            /** @description The parent, or the child; null for a parent of which only a name or an LEI is known. */
            company_id: string | null;
            /** @description Id of the holder within the company that it holds. */
            holder_id: string;
            /** @description As in its profile, else as stated; null if no source states it. */
            name: string | null;
            /** @description As in its profile, else as stated. */
            country: string | null;
            /** @description Share of capital; null if only a band is known, or none. */
            pct: number | null;
            /** @description Lower bound. */
            pct_min: number | null;
            /** @description Upper bound. */
            pct_max: number | null;
            /** @description Share of votes. */
            votes_pct: number | null;
            /** @description Kind of relation; only a shareholding has percentages. */
            relation: string;
            /** @description Whether the sources call it direct; null if they do not say. */
            is_direct: boolean | null;
            /** @description LEI by which the source names the holder. */
            holder_lei: string | null;
            /**
             * Format: int32
             * @description Relations between this line and the requested company.
             */
            level: number;
            /** @description The company at the other end of the relation. */
            via: string;
            /** @description Whether both ends are in one of `circles`. */
            in_circle: boolean;
            /**
             * Format: date
             * @description Date of the percentage, else of the relation.
             */
            as_of: string;
            /**
             * @description Whether the sources agree.
             * @enum {string}
             */
            reconciliation: "single" | "agreed" | "latest_wins" | "conflict";
            /** @description The relation according to each source. */
            sources: components["schemas"]["HoldingSource"][];
        };
        /** @description Children, by level, then by the id of their holder, largest share first. */
        GroupChildren: {
            /** @description The rows of this page. */
            data: components["schemas"]["GroupLine"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description The group of a company. */
        CompanyGroup: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered. */
            name: string;
            /** @description The ends of the chains of holders who decide, where a walk upwards reached them. */
            ultimate_parents: components["schemas"]["GroupLine"][];
            /** @description Holders of the company itself, those who decide first. */
            parents: components["schemas"]["GroupLine"][];
            /** @description Whether there are more; `/ownership` lists all owners. */
            has_more_parents: boolean;
            children: components["schemas"]["GroupChildren"];
            /** @description Companies that hold each other, directly or through others, among those visited. */
            circles: string[][];
            /**
             * Format: int32
             * @description Companies whose relations were read.
             */
            visited_companies: number;
            /** @description False if a limit ended the walk: there may be more lines and circles. */
            is_complete: boolean;
            /**
             * Format: date
             * @description The day, if `as_of` or `known_at` is given.
             */
            as_of?: string;
            /**
             * Format: date-time
             * @description The time, if `as_of` or `known_at` is given.
             */
            known_at?: string;
        };
        /** @description Events of all companies, ascending. */
        EventFeed: {
            /** @description The rows of this page; with filters there may be none. */
            data: components["schemas"]["Event"][];
            /** @description Cursor to continue after this page, now or later; it does not expire. */
            next_cursor: string;
            /** @description Whether the ledger goes on after this page. */
            has_more: boolean;
        };
        /** @description Freshness and licence of one dataset; with include=reconciliation also unaccounted records. */
        Dataset: {
            /** @description Key of the dataset. */
            dataset: string;
            /**
             * Format: date-time
             * @description Date of the served data in the register.
             */
            observed_at: string | null;
            /**
             * Format: date-time
             * @description When the register was last checked.
             */
            checked_at: string | null;
            /**
             * Format: date-time
             * @description Since when new data has been quarantined for review; null if it is not.
             */
            held_since: string | null;
            /** @description Licence of the data. */
            licence: string | null;
            /**
             * Format: uri
             * @description URL of the licence text.
             */
            licence_url: string | null;
            /** @description Attribution to display with the data. */
            attribution: string | null;
            /**
             * Format: int64
             * @description Records that link to no company; null if not counted.
             */
            unlinked_rows?: number | bigint | null;
            /**
             * Format: int64
             * @description Records that name another subject than before under an unchanged id; null if not counted.
             */
            changed_subjects?: number | bigint | null;
        };
        /** @description A rule that reads the absence of records of datasets that were never loaded, and so decides nothing. */
        RuleWithoutData: {
            /** @description Name of the rule. */
            rule: string;
            /** @description Datasets that it reads. */
            datasets: string[];
            /**
             * Format: int64
             * @description Number of rows that it leaves undecided.
             */
            undecided: number | bigint;
        };
        /** @description One market. */
        Market: {
            /** @description Market code. */
            market: string;
            /** @description Name in English. */
            name: string;
            /** @description Announced markets have no companies yet. */
            state: string;
            /**
             * Format: int64
             * @description Number of companies served.
             */
            companies: number | bigint;
            /**
             * Format: date-time
             * @description Date of the newest of its datasets.
             */
            observed_at: string | null;
            /** @description Source datasets of the market. */
            datasets: components["schemas"]["Dataset"][];
            /** @description Rules that decide nothing; null if not counted. */
            rules_without_data?: components["schemas"]["RuleWithoutData"][] | null;
            /**
             * Format: int64
             * @description Companies whose registry status means another status, without a reason; null if not counted.
             */
            unexplained_statuses?: number | bigint | null;
        };
        /** @description All markets, served and announced. */
        MarketList: {
            /** @description The rows of this page. */
            data: components["schemas"]["Market"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description A file with all rows of a table, or with what has changed in it since another export. */
        BulkFile: {
            /** @description Market code. */
            market: string;
            /** @description The table. */
            table: string;
            /** @description Rows of an export; or of a delta: deletes, which are applied first, and upserts. */
            part: string;
            /** @description Format of the file. */
            format: string;
            /** @description Compression of the file. */
            compression: string;
            /**
             * Format: int64
             * @description The release that the file ends at.
             */
            release: number | bigint;
            /**
             * Format: int64
             * @description The release of the export that a delta is applied to; null for an export.
             */
            base_release: number | bigint | null;
            /**
             * Format: date-time
             * @description When the release was published.
             */
            released_at: string;
            /**
             * Format: int64
             * @description The last event that the release contains.
             */
            last_sequence: number | bigint;
            /**
             * Format: int64
             * @description Number of rows.
             */
            rows: number | bigint;
            /**
             * Format: int64
             * @description Size of the file.
             */
            bytes: number | bigint;
            /** @description SHA-256 of the file. */
            sha256: string;
            /**
             * Format: uri
             * @description Link to the file, without a key.
             */
            url: string;
            /**
             * Format: date-time
             * @description When the link expires; a download that has begun then goes on.
             */
            expires_at: string;
        };
        /** @description Bulk files, newest release first. */
        BulkFileList: {
            /** @description The rows of this page. */
            data: components["schemas"]["BulkFile"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description A watchlist to create. */
        NewWatchlist: {
            /** @description Name, for your own use; several watchlists may have the same. */
            name: string;
        };
        /** @description A watchlist. */
        Watchlist: {
            /** @description The watchlist. */
            id: string;
            /** @description Name, for your own use. */
            name: string;
            /**
             * Format: int32
             * @description Number of its companies.
             */
            company_count: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its name or its companies last changed.
             */
            updated_at: string;
        };
        /** @description The account's watchlists. */
        WatchlistList: {
            /** @description The rows of this page. */
            data: components["schemas"]["Watchlist"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description The members to change; omitted members keep their value (RFC 7396). */
        WatchlistChanges: {
            /** @description Name, for your own use; several watchlists may have the same. */
            name?: string;
        };
        /** @description A company of a watchlist. */
        WatchlistCompany: {
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /** @description Canonical registry number. */
            org_number: string;
            /** @description Name as registered; null if the company is not known. */
            name: string | null;
            /**
             * Format: date-time
             * @description When it was added.
             */
            added_at: string;
        };
        /** @description Companies of a watchlist, by id. */
        WatchlistCompanyList: {
            /** @description The rows of this page. */
            data: components["schemas"]["WatchlistCompany"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description Companies to add to a watchlist, and to remove from it. */
        MembershipChanges: {
            /** @description Companies to add, including ones not known yet. */
            add?: string[];
            /** @description Companies to remove. */
            remove?: string[];
        };
        /** @description What a change of companies did. */
        ChangedMembership: {
            /** @description The watchlist. */
            id: string;
            /**
             * Format: int32
             * @description Companies that were not on the list before.
             */
            added: number;
            /**
             * Format: int32
             * @description Companies that were.
             */
            removed: number;
            /**
             * Format: int32
             * @description Number of its companies now.
             */
            company_count: number;
        };
        /**
         * @description Where events go; `kind` says which members there are.
         * @example {
         *       "kind": "sqs",
         *       "queue_url": "https://sqs.eu-north-1.amazonaws.com/123456789012/company-events",
         *       "region": "eu-north-1",
         *       "access_key_id": "AKIAIOSFODNN7EXAMPLE",
         *       "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
         *     }
         * @example {
         *       "kind": "s3",
         *       "bucket": "acme-company-data",
         *       "prefix": "firm/events/",
         *       "region": "eu-north-1",
         *       "access_key_id": "AKIAIOSFODNN7EXAMPLE",
         *       "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
         *     }
         */
        NewDestination: {
            /**
             * @description `https`: an endpoint. `sqs`: a queue of Amazon SQS. `s3`: a prefix of a bucket of Amazon S3.
             * @enum {string}
             */
            kind: "https" | "sqs" | "s3";
            /**
             * Format: uri
             * @description Of `https`: the endpoint, as in `endpoint_url`.
             */
            url?: string;
            /**
             * Format: uri
             * @description Of `sqs`: the queue's URL.
             */
            queue_url?: string;
            /** @description Of `s3`: the bucket's name. */
            bucket?: string;
            /** @description Of `s3`: what the keys of objects begin with, as a folder; a slash at its end is added. */
            prefix?: string | null;
            /** @description Of `sqs` and `s3`: the region of the queue or bucket. */
            region?: string;
            /**
             * Format: uri
             * @description Of `s3`: another endpoint of the region, as one for FIPS. Omit it otherwise.
             */
            endpoint?: string;
            /** @description Of `sqs` and `s3`: the id of an access key that may send to the queue or put into the bucket. */
            access_key_id?: string;
            /** @description Of `sqs` and `s3`: its secret. It is sealed, and never returned. */
            secret_access_key?: string;
        };
        /** @description A subscription to create. */
        NewSubscription: {
            /**
             * Format: uri
             * @description URL that receives deliveries: https, a public host, port 443, 8443, or 1024 and above.
             */
            endpoint_url?: string;
            /** @description Where events go, in place of `endpoint_url`, which is short for kind `https`: a creation needs one of the two. In a change of the same kind, members left out keep their value. */
            destination?: components["schemas"]["NewDestination"];
            /** @description Only these event types; there is no wildcard. */
            event_types: ("filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory" | "company.changed" | "filing.published" | "financials.new")[];
            /** @description Only these companies, including ones not known yet; null or omitted means all. The tier limits the number. */
            entity_ids?: string[] | null;
            /** @description Only events that pass all of these; with `entity_ids` both hold. Null, {} or omitted: no filter. In a change, members left out keep their value; null ends one, {} all. */
            filters?: {
                /** @description Only companies of these markets. */
                countries?: ("US" | "SE" | "NO" | "FI" | "UK" | "GB")[] | null;
                /** @description Only companies with an industry code that begins with one of these. */
                industries?: string[] | null;
                /**
                 * @description Only companies whose code is of this version of a classification.
                 * @enum {string|null}
                 */
                industry_scheme?: "SN2007" | "SN2025" | "SNI2007" | "SNI2025" | "TOL2008" | "TOL2025" | "UKSIC2007" | "UKSIC2003" | "SIC" | null;
                /** @description true: only listed companies; false: only companies without evidence of a listing. */
                is_listed?: boolean | null;
                /** @description Only these events of type ownership.changed; other types are not affected. */
                ownership?: {
                    /** @description Only where the share changed by at least so many percentage points; a change between bands is not known, and does not match. */
                    min_change_pct?: number | null;
                    /** @description Only where one of these thresholds was crossed. */
                    thresholds?: (5 | 10 | 20 | 50)[] | null;
                } | null;
                /** @description Only events of type filing.updated or company.changed in which one of these changed; other types are not affected. */
                changed_fields?: ("revenue" | "operating_result" | "net_result" | "equity" | "total_assets" | "employees" | "currency" | "period_start" | "period_end" | "name" | "sni_code" | "municipality" | "county" | "is_listed" | "legal_form_code" | "address")[] | null;
                /** @description Only events of companies that are on this watchlist of the account when the event is matched. */
                watchlist_id?: string | null;
            } | null;
            /** @description Free text for your own use. */
            description?: string | null;
            /**
             * Format: int32
             * @description Maximum deliveries per second; null means no limit.
             */
            max_per_second?: number | null;
            /**
             * @description While `paused`, events are held until a replay.
             * @enum {string}
             */
            status?: "active" | "paused";
        };
        /** @description Where events go. */
        SubscriptionDestination: {
            /** @description `https`: an endpoint. `sqs`: a queue of Amazon SQS. `s3`: a prefix of a bucket of Amazon S3. */
            kind: string;
            /** @description Of `https`: the endpoint, as in `endpoint_url`. */
            url?: string;
            /** @description Of `sqs`: the queue's URL. */
            queue_url?: string;
            /** @description Of `s3`: the bucket's name. */
            bucket?: string;
            /** @description Of `s3`: what the keys of objects begin with, as a folder; a slash at its end is added. */
            prefix?: string;
            /** @description Of `sqs` and `s3`: the region of the queue or bucket. */
            region?: string;
            /** @description Of `s3`: another endpoint of the region, as one for FIPS. Omit it otherwise. */
            endpoint?: string;
            /** @description Of `sqs` and `s3`: the last characters of the access key's id. */
            access_key_hint?: string;
        };
        /** @description One warning. */
        Warning: {
            /** @description Code of the warning. */
            code: string;
            /** @description Human-readable description. */
            detail: string;
            /** @description JSON Pointer into the body. */
            pointer: string;
        };
        /** @description A subscription with its secret, returned only once. */
        CreatedSubscription: {
            /** @description The subscription. */
            id: string;
            /**
             * Format: uri
             * @description URL that receives deliveries: the endpoint, the queue, or the bucket with its prefix.
             */
            endpoint_url: string;
            /** @description Where events go; for an endpoint, its URL once more. */
            destination?: components["schemas"]["SubscriptionDestination"];
            /** @description Canonical names. */
            event_types: string[];
            /** @description Only these companies; null means all. */
            entity_ids: string[] | null;
            /** @description Only events that pass all of these; with `entity_ids` both hold. Null: no filter. */
            filters?: {
                /** @description Only companies of these markets. */
                countries?: string[];
                /** @description Only companies with an industry code that begins with one of these. */
                industries?: string[];
                /** @description Only companies whose code is of this version of a classification. */
                industry_scheme?: string;
                /** @description true: only listed companies; false: only companies without evidence of a listing. */
                is_listed?: boolean;
                /** @description Only these events of type ownership.changed; other types are not affected. */
                ownership?: {
                    /** @description Only where the share changed by at least so many percentage points; a change between bands is not known, and does not match. */
                    min_change_pct?: number;
                    /** @description Only where one of these thresholds was crossed. */
                    thresholds?: (5 | 10 | 20 | 50)[];
                };
                /** @description Only events of type filing.updated or company.changed in which one of these changed; other types are not affected. */
                changed_fields?: string[];
                /** @description Only events of companies that are on this watchlist of the account when the event is matched. */
                watchlist_id?: string;
            } | null;
            /** @description Free text for your own use. */
            description: string | null;
            /**
             * Format: int32
             * @description Maximum deliveries per second; null means no limit.
             */
            max_per_second: number | null;
            /**
             * @description While `paused`, events are held until a replay.
             * @enum {string}
             */
            status: "active" | "paused";
            /**
             * @description Reason for the pause; null while active.
             * @enum {string|null}
             */
            status_reason: "manual" | "retries_exhausted" | "tier_downgraded" | null;
            /**
             * Format: date-time
             * @description When the status last changed.
             */
            status_changed_at: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description Time of the last attempt. Tests and manual retries are not counted, here and below.
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last successful attempt.
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last failed attempt.
             */
            last_failure_at: string | null;
            /**
             * Format: int64
             * @description Failed attempts since the last success.
             */
            consecutive_failures: number | bigint;
            /**
             * Format: int64
             * @description Number of deliveries waiting for a replay.
             */
            held_deliveries: number | bigint;
            /** @description The secret's last characters. */
            secret_hint: string;
            /**
             * Format: date-time
             * @description Until when the previous secret also signs; null if it does not.
             */
            previous_secret_expires_at: string | null;
            /** @description Store it securely: it is not shown again. */
            secret: string;
            /** @description Accepted input that should be changed. */
            warnings: components["schemas"]["Warning"][];
        };
        /** @description A webhook subscription. */
        Subscription: {
            /** @description The subscription. */
            id: string;
            /**
             * Format: uri
             * @description URL that receives deliveries: the endpoint, the queue, or the bucket with its prefix.
             */
            endpoint_url: string;
            /** @description Where events go; for an endpoint, its URL once more. */
            destination?: components["schemas"]["SubscriptionDestination"];
            /** @description Canonical names. */
            event_types: string[];
            /** @description Only these companies; null means all. */
            entity_ids: string[] | null;
            /** @description Only events that pass all of these; with `entity_ids` both hold. Null: no filter. */
            filters?: {
                /** @description Only companies of these markets. */
                countries?: string[];
                /** @description Only companies with an industry code that begins with one of these. */
                industries?: string[];
                /** @description Only companies whose code is of this version of a classification. */
                industry_scheme?: string;
                /** @description true: only listed companies; false: only companies without evidence of a listing. */
                is_listed?: boolean;
                /** @description Only these events of type ownership.changed; other types are not affected. */
                ownership?: {
                    /** @description Only where the share changed by at least so many percentage points; a change between bands is not known, and does not match. */
                    min_change_pct?: number;
                    /** @description Only where one of these thresholds was crossed. */
                    thresholds?: (5 | 10 | 20 | 50)[];
                };
                /** @description Only events of type filing.updated or company.changed in which one of these changed; other types are not affected. */
                changed_fields?: string[];
                /** @description Only events of companies that are on this watchlist of the account when the event is matched. */
                watchlist_id?: string;
            } | null;
            /** @description Free text for your own use. */
            description: string | null;
            /**
             * Format: int32
             * @description Maximum deliveries per second; null means no limit.
             */
            max_per_second: number | null;
            /**
             * @description While `paused`, events are held until a replay.
             * @enum {string}
             */
            status: "active" | "paused";
            /**
             * @description Reason for the pause; null while active.
             * @enum {string|null}
             */
            status_reason: "manual" | "retries_exhausted" | "tier_downgraded" | null;
            /**
             * Format: date-time
             * @description When the status last changed.
             */
            status_changed_at: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description Time of the last attempt. Tests and manual retries are not counted, here and below.
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last successful attempt.
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last failed attempt.
             */
            last_failure_at: string | null;
            /**
             * Format: int64
             * @description Failed attempts since the last success.
             */
            consecutive_failures: number | bigint;
            /**
             * Format: int64
             * @description Number of deliveries waiting for a replay.
             */
            held_deliveries: number | bigint;
            /** @description The secret's last characters. */
            secret_hint: string;
            /**
             * Format: date-time
             * @description Until when the previous secret also signs; null if it does not.
             */
            previous_secret_expires_at: string | null;
        };
        /** @description The account's subscriptions. */
        SubscriptionList: {
            /** @description The rows of this page. */
            data: components["schemas"]["Subscription"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description The members to change; omitted members keep their value (RFC 7396). */
        SubscriptionChanges: {
            /**
             * Format: uri
             * @description URL that receives deliveries: https, a public host, port 443, 8443, or 1024 and above.
             */
            endpoint_url?: string;
            /** @description Where events go, in place of `endpoint_url`, which is short for kind `https`: a creation needs one of the two. In a change of the same kind, members left out keep their value. */
            destination?: components["schemas"]["NewDestination"];
            /** @description Only these event types; there is no wildcard. */
            event_types?: ("filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory" | "company.changed" | "filing.published" | "financials.new")[];
            /** @description Only these companies, including ones not known yet; null or omitted means all. The tier limits the number. */
            entity_ids?: string[] | null;
            /** @description Only events that pass all of these; with `entity_ids` both hold. Null, {} or omitted: no filter. In a change, members left out keep their value; null ends one, {} all. */
            filters?: {
                /** @description Only companies of these markets. */
                countries?: ("US" | "SE" | "NO" | "FI" | "UK" | "GB")[] | null;
                /** @description Only companies with an industry code that begins with one of these. */
                industries?: string[] | null;
                /**
                 * @description Only companies whose code is of this version of a classification.
                 * @enum {string|null}
                 */
                industry_scheme?: "SN2007" | "SN2025" | "SNI2007" | "SNI2025" | "TOL2008" | "TOL2025" | "UKSIC2007" | "UKSIC2003" | "SIC" | null;
                /** @description true: only listed companies; false: only companies without evidence of a listing. */
                is_listed?: boolean | null;
                /** @description Only these events of type ownership.changed; other types are not affected. */
                ownership?: {
                    /** @description Only where the share changed by at least so many percentage points; a change between bands is not known, and does not match. */
                    min_change_pct?: number | null;
                    /** @description Only where one of these thresholds was crossed. */
                    thresholds?: (5 | 10 | 20 | 50)[] | null;
                } | null;
                /** @description Only events of type filing.updated or company.changed in which one of these changed; other types are not affected. */
                changed_fields?: ("revenue" | "operating_result" | "net_result" | "equity" | "total_assets" | "employees" | "currency" | "period_start" | "period_end" | "name" | "sni_code" | "municipality" | "county" | "is_listed" | "legal_form_code" | "address")[] | null;
                /** @description Only events of companies that are on this watchlist of the account when the event is matched. */
                watchlist_id?: string | null;
            } | null;
            /** @description Free text for your own use. */
            description?: string | null;
            /**
             * Format: int32
             * @description Maximum deliveries per second; null means no limit.
             */
            max_per_second?: number | null;
            /**
             * @description While `paused`, events are held until a replay.
             * @enum {string}
             */
            status?: "active" | "paused";
        };
        /** @description An updated subscription. */
        UpdatedSubscription: {
            /** @description The subscription. */
            id: string;
            /**
             * Format: uri
             * @description URL that receives deliveries: the endpoint, the queue, or the bucket with its prefix.
             */
            endpoint_url: string;
            /** @description Where events go; for an endpoint, its URL once more. */
            destination?: components["schemas"]["SubscriptionDestination"];
            /** @description Canonical names. */
            event_types: string[];
            /** @description Only these companies; null means all. */
            entity_ids: string[] | null;
            /** @description Only events that pass all of these; with `entity_ids` both hold. Null: no filter. */
            filters?: {
                /** @description Only companies of these markets. */
                countries?: string[];
                /** @description Only companies with an industry code that begins with one of these. */
                industries?: string[];
                /** @description Only companies whose code is of this version of a classification. */
                industry_scheme?: string;
                /** @description true: only listed companies; false: only companies without evidence of a listing. */
                is_listed?: boolean;
                /** @description Only these events of type ownership.changed; other types are not affected. */
                ownership?: {
                    /** @description Only where the share changed by at least so many percentage points; a change between bands is not known, and does not match. */
                    min_change_pct?: number;
                    /** @description Only where one of these thresholds was crossed. */
                    thresholds?: (5 | 10 | 20 | 50)[];
                };
                /** @description Only events of type filing.updated or company.changed in which one of these changed; other types are not affected. */
                changed_fields?: string[];
                /** @description Only events of companies that are on this watchlist of the account when the event is matched. */
                watchlist_id?: string;
            } | null;
            /** @description Free text for your own use. */
            description: string | null;
            /**
             * Format: int32
             * @description Maximum deliveries per second; null means no limit.
             */
            max_per_second: number | null;
            /**
             * @description While `paused`, events are held until a replay.
             * @enum {string}
             */
            status: "active" | "paused";
            /**
             * @description Reason for the pause; null while active.
             * @enum {string|null}
             */
            status_reason: "manual" | "retries_exhausted" | "tier_downgraded" | null;
            /**
             * Format: date-time
             * @description When the status last changed.
             */
            status_changed_at: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description Time of the last attempt. Tests and manual retries are not counted, here and below.
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last successful attempt.
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last failed attempt.
             */
            last_failure_at: string | null;
            /**
             * Format: int64
             * @description Failed attempts since the last success.
             */
            consecutive_failures: number | bigint;
            /**
             * Format: int64
             * @description Number of deliveries waiting for a replay.
             */
            held_deliveries: number | bigint;
            /** @description The secret's last characters. */
            secret_hint: string;
            /**
             * Format: date-time
             * @description Until when the previous secret also signs; null if it does not.
             */
            previous_secret_expires_at: string | null;
            /** @description Accepted input that should be changed. */
            warnings: components["schemas"]["Warning"][];
        };
        /** @description Options of a secret rotation. */
        SecretRotation: {
            /**
             * Format: int32
             * @description How long the previous secret also signs, in seconds.
             * @default 86400
             */
            grace_period_seconds: number;
        };
        /** @description The new secret, returned only once. */
        RotatedSecret: {
            /** @description The subscription. */
            id: string;
            /** @description Store it securely: it is not shown again. */
            secret: string;
            /** @description The secret's last characters. */
            secret_hint: string;
            /**
             * Format: date-time
             * @description Until when the previous secret also signs; null if it does not.
             */
            previous_secret_expires_at: string | null;
        };
        /** @description The event type to send as a test. */
        TestSend: {
            /**
             * @description An event type, or a deprecated alias of one.
             * @enum {string}
             */
            event_type?: "filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory" | "company.changed" | "filing.published" | "financials.new";
        };
        /** @description One request to an endpoint, queue or bucket; events of one object have one in common. */
        Attempt: {
            /** @description The attempt. */
            id: string;
            /** @description Null for test sends. */
            delivery_id: string | null;
            /**
             * Format: int32
             * @description Number of the attempt in its schedule.
             */
            number: number;
            /**
             * @description What triggered it.
             * @enum {string}
             */
            trigger: "schedule" | "manual" | "replay" | "test";
            /**
             * Format: date-time
             * @description Start time, before the DNS lookup of the endpoint.
             */
            started_at: string;
            /**
             * Format: int32
             * @description Time until the outcome was known.
             */
            duration_ms: number;
            /**
             * @description `succeeded` means a 2xx response within 10 seconds.
             * @enum {string}
             */
            outcome: "succeeded" | "failed";
            /** @description Reason of the failure; null if it did not fail. */
            error: string | null;
            /** @description Human-readable; may change. */
            error_detail: string | null;
            /**
             * Format: uri
             * @description URL it was sent to, without the query string.
             */
            request_url: string;
            /** @description IP address connected to; given for public addresses only. */
            remote_ip: string | null;
            /**
             * Format: int32
             * @description Status code returned by the endpoint.
             */
            response_status: number | null;
            /** @description Response headers of the endpoint, names in lower case. */
            response_headers: {
                [key: string]: string;
            } | null;
            /** @description At most the first 2 KiB. */
            response_body: string | null;
            /** @description Whether the stored body is truncated. */
            response_body_truncated: boolean;
        };
        /** @description One event for one subscription. */
        Delivery: {
            /** @description The delivery. */
            id: string;
            /** @description The subscription. */
            subscription_id: string;
            /** @description The same for every attempt and replay. */
            event_id: string;
            /** @description Event type. */
            event_type: string;
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /**
             * @description `held`: waiting for a replay. `failed`: every scheduled attempt failed. `canceled`: will not be sent.
             * @enum {string}
             */
            status: "pending" | "retrying" | "succeeded" | "failed" | "held" | "canceled";
            /**
             * Format: int64
             * @description Attempts so far, including manual retries.
             */
            attempt_count: number | bigint;
            /**
             * Format: date-time
             * @description Time of the next scheduled attempt.
             */
            next_attempt_at: string | null;
            /**
             * @description From the last attempt.
             * @enum {string|null}
             */
            last_outcome: "succeeded" | "failed" | null;
            /** @description Reason of the failure; null if it did not fail. */
            last_error: string | null;
            /**
             * Format: int32
             * @description Status code returned by the endpoint.
             */
            last_response_status: number | null;
            /**
             * Format: date-time
             * @description When the event was matched to the subscription.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it succeeded, failed or was canceled.
             */
            completed_at: string | null;
            /** @description The latest replay that included it. */
            replay_id: string | null;
        };
        /** @description Deliveries of a subscription. */
        DeliveryList: {
            /** @description The rows of this page. */
            data: components["schemas"]["Delivery"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description The body as last sent. */
        Payload: {
            /** @description The same for every attempt and replay. */
            event_id: string;
            /** @description Event type. */
            event_type: string;
            /**
             * Format: date-time
             * @description Start of the last attempt; null before the first one.
             */
            delivered_at: string | null;
            /** @description The event's `data`, as returned by listCompanyEvents. */
            data: {
                [key: string]: unknown;
            };
        };
        /** @description A delivery with its attempts. */
        DeliveryDetail: {
            /** @description The delivery. */
            id: string;
            /** @description The subscription. */
            subscription_id: string;
            /** @description The same for every attempt and replay. */
            event_id: string;
            /** @description Event type. */
            event_type: string;
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /**
             * @description `held`: waiting for a replay. `failed`: every scheduled attempt failed. `canceled`: will not be sent.
             * @enum {string}
             */
            status: "pending" | "retrying" | "succeeded" | "failed" | "held" | "canceled";
            /**
             * Format: int64
             * @description Attempts so far, including manual retries.
             */
            attempt_count: number | bigint;
            /**
             * Format: date-time
             * @description Time of the next scheduled attempt.
             */
            next_attempt_at: string | null;
            /**
             * @description From the last attempt.
             * @enum {string|null}
             */
            last_outcome: "succeeded" | "failed" | null;
            /** @description Reason of the failure; null if it did not fail. */
            last_error: string | null;
            /**
             * Format: int32
             * @description Status code returned by the endpoint.
             */
            last_response_status: number | null;
            /**
             * Format: date-time
             * @description When the event was matched to the subscription.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it succeeded, failed or was canceled.
             */
            completed_at: string | null;
            /** @description The latest replay that included it. */
            replay_id: string | null;
            payload: components["schemas"]["Payload"];
            /** @description The latest attempts, oldest first. */
            attempts: components["schemas"]["Attempt"][];
        };
        /** @description The deliveries to repeat. */
        NewReplay: {
            /**
             * Format: date-time
             * @description Events matched at or after this time; at most 30 days ago.
             */
            since: string;
            /**
             * Format: date-time
             * @description Events matched before this time; default: now.
             */
            until?: string;
            /** @description Only deliveries with these statuses; default: failed and held. */
            statuses?: ("failed" | "held" | "succeeded")[];
            /** @description Only these event types; null means all. */
            event_types?: ("filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory" | "company.changed" | "filing.published" | "financials.new")[] | null;
        };
        /** @description A replay and its progress. */
        Replay: {
            /** @description The replay. */
            id: string;
            /** @description The subscription. */
            subscription_id: string;
            /**
             * Format: date-time
             * @description Events matched at or after this time; at most 30 days ago.
             */
            since: string;
            /**
             * Format: date-time
             * @description Events matched before this time.
             */
            until: string;
            /** @description Delivery statuses included. */
            statuses: ("failed" | "held" | "succeeded")[];
            /** @description Only these event types; null means all. */
            event_types: string[] | null;
            /**
             * @description `completed` means that no delivery of it is pending.
             * @enum {string}
             */
            status: "running" | "completed";
            /**
             * Format: int64
             * @description Deliveries included in the replay.
             */
            matched: number | bigint;
            /**
             * Format: int64
             * @description Of these, the number that succeeded.
             */
            succeeded: number | bigint;
            /**
             * Format: int64
             * @description Of these, the number that failed, or were held or canceled in the meantime.
             */
            failed: number | bigint;
            /**
             * Format: int64
             * @description Of these, the number not completed yet.
             */
            pending: number | bigint;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the last delivery completed.
             */
            completed_at: string | null;
        };
        /** @description One event type. */
        EventType: {
            /** @description Name used in subscriptions. */
            event_type: string;
            /** @description When it is sent. */
            description: string;
            /** @description Deprecated aliases. */
            aliases: string[];
            /** @description Schema of the body in this document. */
            schema_ref: string;
        };
        /** @description All event types. */
        EventTypeList: {
            /** @description The rows of this page. */
            data: components["schemas"]["EventType"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description Whether more rows follow this page. */
            has_more: boolean;
        };
        /** @description Usage of the account in the current month. */
        Usage: {
            /** @description Name of the tier. */
            tier: string;
            /**
             * Format: date-time
             * @description Start of the month, UTC.
             */
            period_start: string;
            /**
             * Format: date-time
             * @description Start of the next month.
             */
            period_end: string;
            /**
             * Format: int64
             * @description Requests counted so far.
             */
            requests_used: number | bigint;
            /**
             * Format: int64
             * @description Requests allowed in the month.
             */
            requests_limit: number | bigint;
            /**
             * Format: int64
             * @description Never below 0.
             */
            requests_remaining: number | bigint;
            /**
             * Format: int32
             * @description Sustained requests per second.
             */
            burst_per_second: number;
            /**
             * Format: int32
             * @description Burst capacity in requests.
             */
            burst_capacity: number;
            /** @description Whether the tier has webhooks. */
            webhooks_enabled: boolean;
            /**
             * Format: int32
             * @description Current number of webhook subscriptions.
             */
            subscriptions_used: number;
            /**
             * Format: int32
             * @description Allowed number of webhook subscriptions.
             */
            subscriptions_limit: number | null;
            /**
             * Format: date-time
             * @description End of the trial; null without a trial.
             */
            trial_ends_at: string | null;
            /** @description Status of the account. */
            account_status: string;
        };
        /**
         * @description Body of a filing.added delivery.
         * @example {
         *       "event_id": "evt_0c7dk6j57ads7jy4hm6z18ppe3",
         *       "event_type": "filing.added",
         *       "delivered_at": "2026-03-20T03:12:00.120Z",
         *       "data": {
         *         "company_id": "firm:NO:999999999",
         *         "org_nr": "999999999",
         *         "name": "EKSEMPEL ASA",
         *         "country": "NO",
         *         "occurred_at": "2026-03-19T00:00:00Z",
         *         "sequence": 181002,
         *         "source": {
         *           "register": "no.brreg.regnskap",
         *           "native_id": "2026123456",
         *           "url": null,
         *           "retrieved_at": "2026-03-20T03:10:44Z"
         *         },
         *         "filing": {
         *           "filing_id": "fil_0c7dk6j57ads7jy4hm6z18ppe3",
         *           "filing_type": "annual_report",
         *           "period": "2025",
         *           "period_type": "annual",
         *           "fiscal_year": 2025,
         *           "fiscal_quarter": null,
         *           "period_start": "2025-01-01",
         *           "period_end": "2025-12-31",
         *           "filed_at": "2026-03-19",
         *           "version": 1,
         *           "currency": "USD",
         *           "revenue": 105100000000,
         *           "operating_result": 26000000000,
         *           "net_result": 6900000000,
         *           "equity": 42600000000,
         *           "total_assets": 130500000000,
         *           "employees": 24900,
         *           "is_consolidated": true,
         *           "document_url": null
         *         }
         *       }
         *     }
         */
        FilingAddedWebhook: {
            /** @description The same for every attempt and replay: use it to deduplicate. */
            event_id: string;
            /**
             * @description Event type.
             * @enum {string}
             */
            event_type: "filing.added";
            /**
             * Format: date-time
             * @description Start time of this attempt, in milliseconds.
             */
            delivered_at: string;
            data: components["schemas"]["FilingAddedData"];
        };
        /**
         * @description Body of a filing.updated delivery.
         * @example {
         *       "event_id": "evt_2h447gcd46f01cvqbt1dzd1ctj",
         *       "event_type": "filing.updated",
         *       "delivered_at": "2026-09-02T06:00:01.004Z",
         *       "data": {
         *         "company_id": "firm:UK:99999999",
         *         "org_nr": "99999999",
         *         "name": "EXAMPLE PLC",
         *         "country": "UK",
         *         "occurred_at": "2026-09-01T00:00:00Z",
         *         "sequence": 183110,
         *         "source": {
         *           "register": "uk.ch.filing_history",
         *           "native_id": "MzQ1NjAwMDAwMGFkaXF6a2N4",
         *           "url": null,
         *           "retrieved_at": "2026-09-02T05:58:40Z"
         *         },
         *         "filing": {
         *           "filing_id": "fil_9v8c7x6z5b4n3m2k1j0h9g8f7d",
         *           "filing_type": "annual_report",
         *           "period": "2025",
         *           "period_type": "annual",
         *           "fiscal_year": 2025,
         *           "fiscal_quarter": null,
         *           "period_start": "2025-02-23",
         *           "period_end": "2026-02-28",
         *           "filed_at": "2026-09-01",
         *           "version": 2,
         *           "currency": "GBP",
         *           "revenue": 69916000000,
         *           "operating_result": 2711000000,
         *           "net_result": 1626000000,
         *           "equity": 11663000000,
         *           "total_assets": 47400000000,
         *           "employees": 341000,
         *           "is_consolidated": true,
         *           "document_url": null,
         *           "previous_version": 1,
         *           "reason": "restatement",
         *           "changed_fields": [
         *             {
         *               "field": "operating_result",
         *               "previous": 2821000000,
         *               "current": 2711000000
         *             }
         *           ]
         *         }
         *       }
         *     }
         */
        FilingUpdatedWebhook: {
            /** @description The same for every attempt and replay: use it to deduplicate. */
            event_id: string;
            /**
             * @description Event type.
             * @enum {string}
             */
            event_type: "filing.updated";
            /**
             * Format: date-time
             * @description Start time of this attempt, in milliseconds.
             */
            delivered_at: string;
            data: components["schemas"]["FilingUpdatedData"];
        };
        /**
         * @description Body of a ownership.changed delivery.
         * @example {
         *       "event_id": "evt_c4cthsej3686j9zsejemb8n4gb",
         *       "event_type": "ownership.changed",
         *       "delivered_at": "2026-11-20T04:12:11.482Z",
         *       "data": {
         *         "company_id": "firm:SE:5599999991",
         *         "org_nr": "5599999991",
         *         "name": "Exempelbolaget AB",
         *         "country": "SE",
         *         "occurred_at": "2026-11-18T00:00:00Z",
         *         "sequence": 184467,
         *         "source": {
         *           "register": "se.fi.flaggning",
         *           "native_id": "2026-4411",
         *           "url": null,
         *           "retrieved_at": "2026-11-20T03:58:31Z"
         *         },
         *         "change": {
         *           "holder_name": "Exempel Förvaltning AB",
         *           "previous_pct": 8.2,
         *           "current_pct": 10.7,
         *           "holder_id": "own_7h2k9m4p1q8s3t6v0w5x2y7z4b",
         *           "holder_type": "company",
         *           "holder_company_id": "firm:SE:5599999983",
         *           "direction": "up",
         *           "thresholds_crossed": [
         *             10
         *           ],
         *           "basis": "exact",
         *           "as_of": "2026-11-18"
         *         }
         *       }
         *     }
         */
        OwnershipChangedWebhook: {
            /** @description The same for every attempt and replay: use it to deduplicate. */
            event_id: string;
            /**
             * @description Event type.
             * @enum {string}
             */
            event_type: "ownership.changed";
            /**
             * Format: date-time
             * @description Start time of this attempt, in milliseconds.
             */
            delivered_at: string;
            data: components["schemas"]["OwnershipChangedData"];
        };
        /**
         * @description Body of a status.changed delivery.
         * @example {
         *       "event_id": "evt_ph5skftpj4mbxfwm8apckqjq0f",
         *       "event_type": "status.changed",
         *       "delivered_at": "2026-11-18T02:00:00.731Z",
         *       "data": {
         *         "company_id": "firm:FI:9999999-2",
         *         "org_nr": "9999999-2",
         *         "name": "Esimerkki Oyj",
         *         "country": "FI",
         *         "occurred_at": "2026-11-17T00:00:00Z",
         *         "sequence": 184390,
         *         "source": {
         *           "register": "fi.prh.ytj",
         *           "native_id": "9999999-2",
         *           "url": null,
         *           "retrieved_at": "2026-11-18T01:55:12Z"
         *         },
         *         "change": {
         *           "previous_status": "active",
         *           "current_status": "dormant",
         *           "effective_date": "2026-11-17",
         *           "registry_status": "Toiminta keskeytynyt",
         *           "reason": "business_suspended"
         *         }
         *       }
         *     }
         */
        StatusChangedWebhook: {
            /** @description The same for every attempt and replay: use it to deduplicate. */
            event_id: string;
            /**
             * @description Event type.
             * @enum {string}
             */
            event_type: "status.changed";
            /**
             * Format: date-time
             * @description Start time of this attempt, in milliseconds.
             */
            delivered_at: string;
            data: components["schemas"]["StatusChangedData"];
        };
        /**
         * @description Body of a news.published delivery.
         * @example {
         *       "event_id": "evt_kbyerzdzkfwvsgr3qtqzx8ebrb",
         *       "event_type": "news.published",
         *       "delivered_at": "2026-11-19T13:31:07.990Z",
         *       "data": {
         *         "company_id": "firm:US:US9999999999",
         *         "org_nr": "US9999999999",
         *         "name": "Example Corp.",
         *         "country": "US",
         *         "occurred_at": "2026-11-19T13:30:00Z",
         *         "sequence": 184455,
         *         "source": {
         *           "register": "us.sec.8k",
         *           "native_id": "9999999999-26-000101",
         *           "url": null,
         *           "retrieved_at": "2026-11-19T13:30:58Z"
         *         },
         *         "news": {
         *           "news_id": "nws_5d6f7g8h9j0k1m2n3p4q5r6s7t",
         *           "title": "Results of operations and financial condition",
         *           "summary": null,
         *           "url": "https://www.sec.gov/Archives/edgar/data/9999999999/999999999926000101/",
         *           "publisher": "SEC EDGAR",
         *           "language": "en",
         *           "published_at": "2026-11-19T13:30:00Z",
         *           "categories": [
         *             "earnings"
         *           ]
         *         }
         *       }
         *     }
         */
        NewsPublishedWebhook: {
            /** @description The same for every attempt and replay: use it to deduplicate. */
            event_id: string;
            /**
             * @description Event type.
             * @enum {string}
             */
            event_type: "news.published";
            /**
             * Format: date-time
             * @description Start time of this attempt, in milliseconds.
             */
            delivered_at: string;
            data: components["schemas"]["NewsPublishedData"];
        };
        /**
         * @description Body of a event.regulatory delivery.
         * @example {
         *       "event_id": "evt_r7heg6jd5gj3abrvkgyy7cb054",
         *       "event_type": "event.regulatory",
         *       "delivered_at": "2026-11-20T09:05:00.015Z",
         *       "data": {
         *         "company_id": "firm:SE:5599999991",
         *         "org_nr": "5599999991",
         *         "name": "Exempelbolaget AB",
         *         "country": "SE",
         *         "occurred_at": "2026-11-20T08:00:00Z",
         *         "sequence": 184470,
         *         "source": {
         *           "register": "se.fi.sanktioner",
         *           "native_id": "2026-123",
         *           "url": null,
         *           "retrieved_at": "2026-11-20T09:04:51Z"
         *         },
         *         "notice": {
         *           "notice_id": "ntc_8s7d6f5g4h3j2k1m0n9p8q7r6t",
         *           "authority": "Finansinspektionen",
         *           "authority_country": "SE",
         *           "action_type": "sanction",
         *           "title": "Sanktionsavgift",
         *           "summary": null,
         *           "url": null,
         *           "published_at": "2026-11-20T08:00:00Z",
         *           "amount": 10000000,
         *           "currency": "SEK"
         *         }
         *       }
         *     }
         */
        RegulatoryEventWebhook: {
            /** @description The same for every attempt and replay: use it to deduplicate. */
            event_id: string;
            /**
             * @description Event type.
             * @enum {string}
             */
            event_type: "event.regulatory";
            /**
             * Format: date-time
             * @description Start time of this attempt, in milliseconds.
             */
            delivered_at: string;
            data: components["schemas"]["RegulatoryEventData"];
        };
        /**
         * @description Body of a company.changed delivery.
         * @example {
         *       "event_id": "evt_7zxhpmpmpmp3e3fyz4fxk0zzth",
         *       "event_type": "company.changed",
         *       "delivered_at": "2026-11-19T05:02:00.310Z",
         *       "data": {
         *         "company_id": "firm:FI:9999999-2",
         *         "org_nr": "9999999-2",
         *         "name": "Esimerkki Oyj",
         *         "country": "FI",
         *         "occurred_at": "2026-11-18T00:00:00Z",
         *         "sequence": 184452,
         *         "source": {
         *           "register": "fi.ytj",
         *           "native_id": "9999999-2",
         *           "url": null,
         *           "retrieved_at": "2026-11-19T05:01:12Z"
         *         },
         *         "change": {
         *           "changes": [
         *             {
         *               "field": "municipality",
         *               "previous": "Turku",
         *               "current": "Tampere"
         *             },
         *             {
         *               "field": "county",
         *               "previous": "Varsinais-Suomi",
         *               "current": "Pirkanmaa"
         *             },
         *             {
         *               "field": "address",
         *               "previous": {
         *                 "lines": [
         *                   "Esimerkkikatu 1"
         *                 ],
         *                 "postal_code": "20100",
         *                 "post_town": "TURKU",
         *                 "country": "FI"
         *               },
         *               "current": {
         *                 "lines": [
         *                   "Mallitie 7"
         *                 ],
         *                 "postal_code": "33100",
         *                 "post_town": "TAMPERE",
         *                 "country": "FI"
         *               }
         *             }
         *           ],
         *           "effective_date": "2026-11-18"
         *         }
         *       }
         *     }
         */
        CompanyChangedWebhook: {
            /** @description The same for every attempt and replay: use it to deduplicate. */
            event_id: string;
            /**
             * @description Event type.
             * @enum {string}
             */
            event_type: "company.changed";
            /**
             * Format: date-time
             * @description Start time of this attempt, in milliseconds.
             */
            delivered_at: string;
            data: components["schemas"]["CompanyChangedData"];
        };
        /** @description An error (RFC 9457). */
        Problem: {
            /**
             * Format: uri
             * @description URL of a page that explains the problem.
             */
            type: string;
            /** @description Title; the same for every problem of the type. */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description Human-readable description of this occurrence; may change. */
            detail: string;
            /** @description Identifier of this occurrence. */
            instance: string;
            /** @description Stable code for programs. */
            code: string;
            /** @description Quote it to support. */
            request_id: string;
            /** @description With input errors: one entry per invalid input. */
            errors?: components["schemas"]["InputError"][];
            /** @description With company_not_found and company_not_known_then. */
            reason?: string;
            /**
             * Format: int64
             * @description The limit that was exceeded: bytes, values, subscriptions.
             */
            limit?: number | bigint;
            /** @description With key_kind_not_allowed. */
            required_key_kind?: string;
            /** @description With tier_required. */
            required_tiers?: string[];
            /** @description Name of a tier. */
            current_tier?: string;
            /** @description With invalid_state. */
            current_status?: string;
            /** @description With watchlist_in_use: the subscriptions that filter by it. */
            subscription_ids?: string[];
            /** @description With 429. */
            "violated-policies"?: string[];
            /**
             * Format: int32
             * @description Seconds to wait; the same as the Retry-After header.
             */
            retry_after?: number;
        };
    };
    responses: never;
    parameters: {
        /**
         * @description A unique key generated by the client for each operation. A request repeated with the same key within 24 hours is executed once and returns the first response. Either a bare value or a quoted structured-field string.
         * @example 8e03978e-40d5-43dd-bc93-6894a57f9324
         */
        "Idempotency-Key": string;
        /**
         * @description The `id` of the last event received: the stream begins after it.
         * @example 184467
         */
        "Last-Event-ID": string;
        /**
         * @description The bytes to send, as `bytes=1000-` or `bytes=0-999`; one range.
         * @example bytes=0-
         */
        Range: string;
        /**
         * @description The ETag of the file whose beginning the caller has: another file is sent whole.
         * @example "0f343b0931126a20f133d67c2b018a3b5f9f6a0d8f5c1d2e3f4a5b6c7d8e9f00"
         */
        "If-Range": string;
        /**
         * @description The ETag last read. The response is 412 if the subscription has changed since.
         * @example "3"
         */
        "If-Match": string;
        /**
         * @description `sha256=` and the HMAC-SHA256 of the raw body in hex; the key is the whole secret, `whsec_` included, as UTF-8.
         * @example sha256=b71e11f82a4fd82a2349145912f3ef041c10fe3bee734dcb6b5a6819b60311a8
         */
        "X-Service-Signature": string;
        /**
         * @description The same with the previous secret, while both are valid after a rotation.
         * @example sha256=2a16160dd85802dbe3ddd5e7be06f764fcfbfc0e408d4618be4c3660eec34ea0
         */
        "X-Service-Signature-Previous": string;
        /**
         * @description The event's id: the same on every attempt and replay.
         * @example evt_c4cthsej3686j9zsejemb8n4gb
         */
        "webhook-id": string;
        /**
         * @description Unix timestamp of this attempt, in seconds.
         * @example 1795147931
         */
        "webhook-timestamp": number | bigint;
        /**
         * @description Standard Webhooks signature: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; the key is the secret after `whsec_`, base64-decoded. During a rotation there are two entries, separated by a space.
         * @example v1,XcE1TyyA0S+K8JZLutzSD1AXwk8toqkF1/VqCon7kwk=
         */
        "webhook-signature": string;
        /** @description Event type; not signed. */
        "X-Service-Event": "filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory";
        /**
         * @description Id of the delivery; not signed.
         * @example dlv_01kaf49n6m7p8q9r0s1t2v3w4x
         */
        "X-Service-Delivery": string;
        /**
         * @description Number of this attempt; not signed.
         * @example 1
         */
        "X-Service-Attempt": number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
