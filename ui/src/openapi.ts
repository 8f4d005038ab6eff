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
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
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
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
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
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
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
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
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
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
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
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
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
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
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
        /** @description One changed value. */
        ChangedFigure: {
            /** @description Name of the field. */
            field: string;
            previous: (number | bigint | null) | string;
            current: (number | bigint | null) | string;
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
        /** @description One changed field of a profile; both values are known. */
        ChangedField: {
            /** @description Name of the field in the profile. */
            field: string;
            previous: string | boolean | components["schemas"]["ChangedAddress"];
            current: string | boolean | components["schemas"]["ChangedAddress"];
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
            /** @description Before. */
            previous_pct: number;
            /** @description Now. */
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
             * @description Basis of the shares.
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
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
