"use client";
/** Who a company is: name, number, status, industry, seat, latest revenue. */
import type { ReactNode } from "react";
import { profileOf } from "../client/queries.js";
import type { Notation } from "../format.js";
import { useResource } from "../hooks/useResource.js";
import { filled, wordFor } from "../messages.js";
import type { Company, ProfileSource } from "../model.js";
import { Elsewhere } from "../parts/Elsewhere.js";
import { Frame } from "../parts/Frame.js";
import { SourceTip } from "../parts/SourceTip.js";
import { Time, Unknown, Value } from "../parts/Value.js";
import { useSettings, type CompanyProps, type Settings } from "../settings.js";

export interface CompanyCardProps extends CompanyProps {
  /** How the revenue is written; `compact` where it is left out. */
  readonly notation?: Notation | undefined;
  /** Whether each fact tells its source on hover or focus; false where it is left out. */
  readonly hasSources?: boolean | undefined;
}

export function CompanyCard(props: CompanyCardProps): ReactNode {
  const settings = useSettings(props);
  const { resource, renew } = useResource(profileOf(settings.place, props.hasSources), settings.client);
  const title = resource.state === "ready" ? resource.value.name : settings.words.company;
  return (
    <Frame kind="card" {...{ title, props, settings, resource, renew }} emptyWords={() => null}>
      {(company) => <Facts {...{ company, settings }} notation={props.notation ?? "compact"} />}
    </Frame>
  );
}

interface FactsProps {
  readonly company: Company;
  readonly settings: Settings;
  readonly notation: Notation;
}

function Facts({ company, settings, notation }: FactsProps): ReactNode {
  const { words, format } = settings;
  const from = (...fields: readonly string[]): Sourced => ({
    sources: (company.sources ?? []).filter((source) => source.fields.some((field) => fields.includes(field))),
    settings,
  });
  return (
    <dl className="firmdata-facts">
      <Fact name={words.number} {...from("org_number")}>
        {company.org_number}
      </Fact>
      <Fact name={words.country}>{format.country(company.country)}</Fact>
      <Fact name={words.status} {...from("status")}>
        <span className="firmdata-tag" data-status={company.status}>
          {wordFor(words.statuses, company.status) ?? company.status}
        </span>
      </Fact>
      <Fact name={words.listed} {...from("is_listed")}>
        {company.is_listed ? words.yes : words.no}
      </Fact>
      <Fact name={words.industry} {...from("sni_code", "sni_label")}>
        {joined([company.sni_code, company.sni_label], " ")}
      </Fact>
      <Fact name={words.seat} {...from("municipality", "county")}>
        {joined([company.municipality, company.county], ", ")}
      </Fact>
      <Fact name={words.registered} {...from("registered_date")}>
        <Time at={company.registered_date} as={format.day} />
      </Fact>
      <Fact name={words.latestRevenue} {...from("latest_revenue")}>
        <Revenue {...{ company, settings, notation }} />
      </Fact>
      <Fact name={words.figures.employees} {...from("employees")}>
        <Value of={company.employees} as={format.count} />
      </Fact>
      {company.ticker && <Fact name={words.ticker} {...from("ticker")}>{company.ticker}</Fact>}
      {company.lei && <Fact name={words.identifier} {...from("lei")}>{company.lei}</Fact>}
      {company.website && (
        <Fact name={words.website} {...from("website")}>
          <Elsewhere address={company.website}>{company.website}</Elsewhere>
        </Fact>
      )}
    </dl>
  );
}

interface Sourced {
  readonly sources: readonly ProfileSource[];
  readonly settings: Settings;
}

interface FactProps extends Partial<Sourced> {
  readonly name: string;
  readonly children: ReactNode;
}

function Fact({ name, sources, settings, children }: FactProps): ReactNode {
  return (
    <div className="firmdata-fact">
      <dt>
        {name}
        {sources !== undefined && settings !== undefined && (
          <SourceTip field={name} sources={sources} settings={settings} />
        )}
      </dt>
      <dd>{children ?? <Unknown />}</dd>
    </div>
  );
}

/** What is known of the words; null where nothing is. */
function joined(words: readonly (string | null)[], between: string): string | null {
  const known = words.filter((word) => word !== null);
  return known.length === 0 ? null : known.join(between);
}

function Revenue({ company, settings, notation }: FactsProps): ReactNode {
  const { latest_revenue: revenue, latest_currency: currency, latest_year: year } = company;
  if (revenue === null || year === null) return <Unknown />;
  const { words, format } = settings;
  const told = (value: number | bigint): string =>
    filled(words.inYear, { amount: format.money(value, currency, notation), year: String(year) });
  return <Value of={revenue} as={told} />;
}
