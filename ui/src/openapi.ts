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
                    /** @description Further keys at top level. */
                    include?: ("detail" | "identifiers" | "address" | "sources")[];
                    /** @description Only these keys (and what `include` adds); `id` always stays. */
                    fields?: ("id" | "org_number" | "name" | "country" | "sni_code" | "sni_label" | "municipality" | "county" | "registered_date" | "status" | "is_listed" | "latest_revenue" | "latest_currency" | "latest_year")[];
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number, or full id. Accepted spellings: /problems/invalid-org-number.
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
                    /** @description Kind of period. */
                    period_type?: "annual" | "quarterly" | "all";
                    /** @description The newest fiscal years, this many. */
                    years?: number;
                    /** @description First fiscal year. */
                    from_year?: number;
                    /** @description Last fiscal year. */
                    to_year?: number;
                    /** @description Group figures or the company's own; default: group where there are any. */
                    consolidated?: boolean;
                    /** @description `history`: superseded versions too; `sources`: where figures come from. */
                    include?: ("sources" | "history")[];
                    /** @description Rows of one page. */
                    limit?: number;
                    /** @description Where to go on: `next_cursor` of the page before. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number, or full id. Accepted spellings: /problems/invalid-org-number.
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
                    /** @description Owners on this day; default today. */
                    as_of?: string;
                    /**
                     * @description Only holders with at least this share.
                     * @example 5
                     */
                    min_pct?: number;
                    /** @description Rows of one page. */
                    limit?: number;
                    /** @description Where to go on: `next_cursor` of the page before. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number, or full id. Accepted spellings: /problems/invalid-org-number.
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
                    /** @description Only these types. */
                    event_type?: ("filing.added" | "filing.updated" | "ownership.changed" | "status.changed" | "news.published" | "event.regulatory")[];
                    /** @description Recorded at this instant or later. */
                    since?: string;
                    /** @description Recorded before this instant. */
                    until?: string;
                    /** @description `asc` is a tail: `next_cursor` is never null; keep it and call again later. */
                    order?: "desc" | "asc";
                    /** @description Rows of one page. */
                    limit?: number;
                    /** @description Where to go on: `next_cursor` of the page before. Only `limit` may change between pages. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    /**
                     * @description Registry number, or full id. Accepted spellings: /problems/invalid-org-number.
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
            /** @description As the register spells it. */
            municipality: string | null;
            /** @description As the register spells it. */
            county: string | null;
            /**
             * Format: date
             * @description Entry into the register.
             */
            registered_date: string | null;
            /**
             * @description State of the company.
             * @enum {string}
             */
            status: "active" | "dormant" | "dissolved";
            /** @description True on evidence only; false means no evidence. */
            is_listed: boolean;
            /**
             * Format: int64
             * @description Revenue of the newest annual period that has one.
             */
            latest_revenue: number | bigint | null;
            /** @description ISO 4217. */
            latest_currency: string | null;
            /**
             * Format: int32
             * @description Fiscal year of latest_revenue.
             */
            latest_year: number | null;
            /** @description The register's code or text. */
            legal_form_code?: string | null;
            /** @description Its label. */
            legal_form_label?: string | null;
            /** @description Why, where a register says. */
            status_detail?: string | null;
            /** @description The register's own word. */
            registry_status?: string | null;
            /**
             * Format: date
             * @description Removal from the register.
             */
            dissolved_date?: string | null;
            /**
             * Format: int32
             * @description Latest count in the register.
             */
            employees?: number | null;
            /** @description As registered. */
            website?: string | null;
            /** @description Former names, newest first. */
            previous_names?: string[];
            /** @description Edition of the code list. */
            industry_scheme?: string | null;
            /** @description Dataset of the evidence; null: no listing source loaded. */
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
            /** @description SEC's number. */
            cik?: string | null;
            address?: components["schemas"]["PostalAddress"];
            /** @description Registers behind the profile. */
            sources?: components["schemas"]["ProfileSource"][];
        };
        /** @description One register behind the profile. */
        ProfileSource: {
            /** @description Key of the dataset. */
            register: string;
            /** @description The register's own id. */
            native_id: string | null;
            /**
             * Format: uri
             * @description Public address of the record.
             */
            url: string | null;
            /**
             * Format: date-time
             * @description When it was fetched.
             */
            retrieved_at: string | null;
            /** @description Licence of the data. */
            licence: string | null;
            /** @description Fields that came from it. */
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
            /** @description As the register spells it. */
            municipality: string | null;
            /** @description The country's own code. */
            municipality_code: string | null;
            /** @description As the register spells it. */
            county: string | null;
            /** @description The country's own code. */
            county_code: string | null;
            /** @description ISO 3166-1 alpha-2 (GB, not UK). */
            country: string | null;
        };
        /** @description One period, its newest version unless history is asked for. */
        FinancialPeriod: {
            /** @description As 2025 or 2026-Q3. */
            period: string;
            /**
             * @description Kind of period.
             * @enum {string}
             */
            period_type: "annual" | "quarterly";
            /**
             * Format: int32
             * @description Year of period_end (US: the filer's own label).
             */
            fiscal_year: number;
            /**
             * Format: int32
             * @description Quarterly periods only.
             */
            fiscal_quarter: number | null;
            /**
             * Format: date
             * @description First day.
             */
            period_start: string;
            /**
             * Format: date
             * @description Last day.
             */
            period_end: string;
            /** @description ISO 4217. */
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
             * @description Average number in the period.
             */
            employees: number | null;
            /** @description Group figures. */
            is_consolidated: boolean;
            /** @description Accounting rules, as the filing names them. */
            accounting_standard: string | null;
            /** @description The document. */
            filing_id: string;
            /**
             * Format: date
             * @description Day of filing.
             */
            filed_at: string | null;
            /**
             * Format: int32
             * @description 1 for the first document of the period.
             */
            version: number;
            /** @description Version 2 or later. */
            is_restated: boolean;
            /** @description Fields computed, not read. */
            derived: string[];
            /** @description With include=sources. */
            sources?: components["schemas"]["FigureSource"][];
        };
        /** @description The document behind the figures. */
        FigureSource: {
            /** @description Key of the dataset. */
            register: string;
            /** @description The register's own id. */
            native_id: string | null;
            /**
             * Format: uri
             * @description Public address of the document.
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
            /** @description The rows of this page. */
            data: components["schemas"]["FinancialPeriod"][];
            /** @description Where to go on; null at the end. */
            next_cursor: string | null;
            /** @description Whether rows follow after this page. */
            has_more: boolean;
        };
        /** @description One holder, reconciled over sources. */
        Owner: {
            /** @description The holder, within this company. */
            holder_id: string;
            /** @description Null when protected by law. */
            holder_name: string | null;
            /** @description Kind of holder. */
            holder_type: string;
            /** @description Where the holder is a company known by number. */
            holder_company_id: string | null;
            /** @description ISO 3166-1 alpha-2 (GB, not UK). */
            holder_country: string | null;
            /** @description Share of capital; null where only a band is known. */
            pct: number | null;
            /** @description Lower bound. */
            pct_min: number | null;
            /** @description Upper bound. */
            pct_max: number | null;
            /** @description Share of votes. */
            votes_pct: number | null;
            /** @description Null for all classes. */
            share_class: string | null;
            /**
             * @description What the share rests on.
             * @enum {string|null}
             */
            basis: "exact" | "band" | "derived" | null;
            /** @description Held in the holder's own name; null when unknown. */
            is_direct: boolean | null;
            /**
             * Format: date
             * @description Day the percentage is of.
             */
            as_of: string;
            /**
             * Format: date
             * @description Start of the earliest observation.
             */
            first_seen: string;
            /**
             * @description How the sources agree.
             * @enum {string}
             */
            reconciliation: "single" | "agreed" | "latest_wins" | "conflict";
            /** @description What each source says. */
            sources: components["schemas"]["HoldingSource"][];
        };
        /** @description What one source says of the holding. */
        HoldingSource: {
            /** @description Key of the dataset. */
            register: string;
            /** @description The source's own id. */
            native_id: string | null;
            /**
             * Format: uri
             * @description Public address of the record.
             */
            url: string | null;
            /**
             * Format: date
             * @description Day the figure is of.
             */
            as_of: string | null;
            /** @description Share of capital there. */
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
             * @description The day asked for.
             */
            as_of: string;
            /** @description Sum of the known shares, at most 100; null when none is known. */
            known_pct: number | null;
            /** @description The rows of this page. */
            data: components["schemas"]["Owner"][];
            /** @description Where to go on; null at the end. */
            next_cursor: string | null;
            /** @description Whether rows follow after this page. */
            has_more: boolean;
        };
        /** @description Where it was learned. */
        EventSource: {
            /** @description Key of the dataset. */
            register: string;
            /** @description The source's own id. */
            native_id: string | null;
            /**
             * Format: uri
             * @description Public address.
             */
            url: string | null;
            /**
             * Format: date-time
             * @description When it was fetched.
             */
            retrieved_at: string | null;
        };
        /** @description One figure that changed. */
        ChangedFigure: {
            /** @description Name of the field. */
            field: string;
            previous: (number | bigint | null) | string;
            current: (number | bigint | null) | string;
        };
        /** @description What happened: filing.added. */
        AddedFiling: {
            /** @description The document. */
            filing_id: string;
            /** @description Kind of filing. */
            filing_type: string;
            /** @description As 2025 or 2026-Q3. */
            period: string | null;
            /**
             * @description Null for periods that v1 does not serve.
             * @enum {string|null}
             */
            period_type: "annual" | "quarterly" | null;
            /**
             * Format: int32
             * @description Fiscal year; null where the period is not known.
             */
            fiscal_year: number | null;
            /**
             * Format: int32
             * @description Quarterly periods only.
             */
            fiscal_quarter: number | null;
            /**
             * Format: date
             * @description First day.
             */
            period_start: string | null;
            /**
             * Format: date
             * @description Last day; null where only the document is known.
             */
            period_end: string | null;
            /**
             * Format: date
             * @description Day of filing.
             */
            filed_at: string | null;
            /**
             * Format: int32
             * @description Version of the period.
             */
            version: number;
            /** @description ISO 4217. */
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
             * @description Average number in the period.
             */
            employees: number | null;
            /** @description Group figures. */
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
             * @description When in the world.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; rises without end.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            filing: components["schemas"]["AddedFiling"];
            /** @description True in test sends of webhooks; else not there. */
            test?: boolean;
        };
        /** @description What happened: filing.updated. */
        UpdatedFiling: {
            /** @description The document. */
            filing_id: string;
            /** @description Kind of filing. */
            filing_type: string;
            /** @description As 2025 or 2026-Q3. */
            period: string | null;
            /**
             * @description Null for periods that v1 does not serve.
             * @enum {string|null}
             */
            period_type: "annual" | "quarterly" | null;
            /**
             * Format: int32
             * @description Fiscal year; null where the period is not known.
             */
            fiscal_year: number | null;
            /**
             * Format: int32
             * @description Quarterly periods only.
             */
            fiscal_quarter: number | null;
            /**
             * Format: date
             * @description First day.
             */
            period_start: string | null;
            /**
             * Format: date
             * @description Last day; null where only the document is known.
             */
            period_end: string | null;
            /**
             * Format: date
             * @description Day of filing.
             */
            filed_at: string | null;
            /**
             * Format: int32
             * @description Version of the period.
             */
            version: number;
            /** @description ISO 4217. */
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
             * @description Average number in the period.
             */
            employees: number | null;
            /** @description Group figures. */
            is_consolidated: boolean | null;
            /**
             * Format: uri
             * @description The document.
             */
            document_url: string | null;
            /**
             * Format: int32
             * @description The version before.
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
             * @description When in the world.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; rises without end.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            filing: components["schemas"]["UpdatedFiling"];
            /** @description True in test sends of webhooks; else not there. */
            test?: boolean;
        };
        /** @description What happened: ownership.changed. */
        OwnershipChange: {
            /** @description Null when protected by law. */
            holder_name: string | null;
            /** @description Before. */
            previous_pct: number;
            /** @description Now. */
            current_pct: number;
            /** @description The holder. */
            holder_id: string;
            /** @description Kind of holder. */
            holder_type: string;
            /** @description Where the holder is a company known by number. */
            holder_company_id: string | null;
            /**
             * @description Which way.
             * @enum {string}
             */
            direction: "up" | "down";
            /** @description Percent. */
            thresholds_crossed: (5 | 10 | 20 | 50)[];
            /**
             * @description What the shares rest on.
             * @enum {string|null}
             */
            basis: "exact" | "band" | "derived" | null;
            /**
             * Format: date
             * @description Day of the new share.
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
             * @description When in the world.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; rises without end.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            change: components["schemas"]["OwnershipChange"];
            /** @description True in test sends of webhooks; else not there. */
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
             * @description Since when in the world.
             */
            effective_date: string;
            /** @description The register's own word. */
            registry_status: string | null;
            /** @description Why, where a register says. */
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
             * @description When in the world.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; rises without end.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            change: components["schemas"]["StatusChange"];
            /** @description True in test sends of webhooks; else not there. */
            test?: boolean;
        };
        /** @description What happened: news.published. */
        NewsItem: {
            /** @description The item. */
            news_id: string;
            /** @description Headline. */
            title: string;
            /** @description Where it may be passed on. */
            summary: string | null;
            /**
             * Format: uri
             * @description The item.
             */
            url: string | null;
            /** @description Who published it. */
            publisher: string | null;
            /** @description ISO 639-1. */
            language: string | null;
            /**
             * Format: date-time
             * @description As published.
             */
            published_at: string;
            /** @description Our categories. */
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
             * @description When in the world.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; rises without end.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            news: components["schemas"]["NewsItem"];
            /** @description True in test sends of webhooks; else not there. */
            test?: boolean;
        };
        /** @description What happened: event.regulatory. */
        RegulatoryNotice: {
            /** @description The notice. */
            notice_id: string;
            /** @description The regulator. */
            authority: string;
            /** @description ISO 3166-1 alpha-2 (GB, not UK). */
            authority_country: string | null;
            /** @description Kind of act. */
            action_type: string;
            /** @description Headline. */
            title: string;
            /** @description Where it may be passed on. */
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
             * @description Fine or the like.
             */
            amount: number | bigint | null;
            /** @description ISO 4217. */
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
             * @description When in the world.
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description Order of recording; rises without end.
             */
            sequence: number | bigint;
            source: components["schemas"]["EventSource"];
            notice: components["schemas"]["RegulatoryNotice"];
            /** @description True in test sends of webhooks; else not there. */
            test?: boolean;
        };
        /** @description One event. */
        Event: {
            /** @description The same for the same fact, always: deduplicate by it. */
            event_id: string;
            /** @description Kind of event. */
            event_type: string;
            /** @description `firm:<COUNTRY>:<org_number>`. */
            company_id: string;
            /**
             * Format: date-time
             * @description When in the world.
             */
            occurred_at: string;
            /**
             * Format: date-time
             * @description When the service learned it.
             */
            recorded_at: string;
            /**
             * Format: int64
             * @description Order of recording; rises without end.
             */
            sequence: number | bigint;
            data: components["schemas"]["FilingAddedData"] | components["schemas"]["FilingUpdatedData"] | components["schemas"]["OwnershipChangedData"] | components["schemas"]["StatusChangedData"] | components["schemas"]["NewsPublishedData"] | components["schemas"]["RegulatoryEventData"];
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
            /** @description Where to go on; null at the end. */
            next_cursor: string | null;
            /** @description Whether rows follow after this page. */
            has_more: boolean;
        };
        /** @description One input that is wrong. */
        InputError: {
            /** @description What is wrong with it. */
            code: string;
            /** @description What it must be. */
            detail: string;
            /** @description Query or path parameter. */
            parameter?: string;
            /** @description JSON pointer into the body. */
            pointer?: string;
            /** @description Header. */
            header?: string;
        };
        /** @description An error (RFC 9457). */
        Problem: {
            /**
             * Format: uri
             * @description A page that explains it.
             */
            type: string;
            /** @description Fixed per type. */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description About this occurrence; may change. */
            detail: string;
            /** @description This occurrence. */
            instance: string;
            /** @description The stable switch. */
            code: string;
            /** @description Quote it to support. */
            request_id: string;
            /** @description For input errors: one entry per input. */
            errors?: components["schemas"]["InputError"][];
            /** @description With company_not_found. */
            reason?: string;
            /**
             * Format: int64
             * @description The limit that was passed: bytes, or subscriptions.
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
            /** @description With 429. */
            "violated-policies"?: string[];
            /**
             * Format: int32
             * @description Seconds to wait: the Retry-After header.
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
