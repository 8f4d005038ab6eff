"use client";
/** Who owns a company: bars, and the same as a table. Shares that are known as bands are drawn as bands. */
import { useId, type ReactNode } from "react";
import { ownershipOf } from "../client/queries.js";
import { useResource } from "../hooks/useResource.js";
import { filled } from "../messages.js";
import type { Ownership } from "../model.js";
import { CompanyLink } from "../parts/CompanyLink.js";
import { Frame } from "../parts/Frame.js";
import { HolderBars } from "../parts/HolderBars.js";
import { Share } from "../parts/Share.js";
import { Time, Value } from "../parts/Value.js";
import { useSettings, type CompanyProps, type Settings } from "../settings.js";

export interface OwnershipChartProps extends CompanyProps {
  /** Holders drawn as bars, the largest first; 10 where it is left out. The table has all that were read. */
  readonly bars?: number | undefined;
}

const BARS = 10;

export function OwnershipChart(props: OwnershipChartProps): ReactNode {
  const settings = useSettings(props);
  const { words } = settings;
  const { resource, renew } = useResource(ownershipOf(settings.place), settings.client);
  const emptyWords = (found: Ownership): string | null => (found.data.length === 0 ? words.noOwners : null);
  return (
    <Frame kind="ownership" title={words.ownership} {...{ props, settings, resource, renew, emptyWords }}>
      {(found) => <Chart {...{ found, settings }} bars={props.bars ?? BARS} />}
    </Frame>
  );
}

interface ChartProps {
  readonly found: Ownership;
  readonly settings: Settings;
  readonly bars: number;
}

function Chart({ found, settings, bars }: ChartProps): ReactNode {
  const { words, format } = settings;
  const id = useId();
  const title = filled(words.ownershipOf, { name: found.name, day: format.day(found.as_of) });
  return (
    <figure className="firmdata-figure" aria-labelledby={id}>
      <HolderBars owners={found.data.slice(0, bars)} settings={settings} title={title} />
      <figcaption id={id} className="firmdata-small">
        {title}. {found.known_pct !== null && filled(words.known, { share: format.percent(found.known_pct) })}{" "}
        {found.has_more && filled(words.largest, { count: format.count(found.data.length) })}
      </figcaption>
      <Owners {...{ found, settings, title }} />
    </figure>
  );
}

interface OwnersProps {
  readonly found: Ownership;
  readonly settings: Settings;
  readonly title: string;
}

function Owners({ found, settings, title }: OwnersProps): ReactNode {
  const { words, format } = settings;
  return (
    <div className="firmdata-scroll" role="region" aria-label={title} tabIndex={0}>
      <table className="firmdata-table">
        <caption className="firmdata-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.holder}</th>
            <th scope="col">{words.share}</th>
            <th scope="col">{words.votes}</th>
            <th scope="col">{words.asOf}</th>
          </tr>
        </thead>
        <tbody>
          {found.data.map((owner) => (
            <tr key={owner.holder_id} data-holder={owner.holder_id}>
              <th scope="row">
                <CompanyLink companyId={owner.holder_company_id} settings={settings}>
                  {owner.holder_name ?? words.protectedHolder}
                </CompanyLink>
              </th>
              <td>
                <Share of={owner} settings={settings} />
                {owner.is_direct === false && <span className="firmdata-tag">{words.indirect}</span>}
                {owner.reconciliation === "conflict" && (
                  <span className="firmdata-tag">{words.conflict}</span>
                )}
              </td>
              <td>
                <Value of={owner.votes_pct} as={format.percent} />
              </td>
              <td>
                <Time at={owner.as_of} as={format.day} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
