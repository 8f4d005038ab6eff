"use client";
/**
 * A month of a company's events as a calendar, and as a list below it. Days are those of UTC, as the service
 * has them.
 */
import { useId, useState, type ReactNode } from "react";
import type { Feed } from "../client/feed.js";
import { useFeed } from "../hooks/useFeed.js";
import { filled } from "../messages.js";
import type { CompanyEvent, EventType } from "../model.js";
import { EventList, Older } from "../parts/EventList.js";
import { Frame } from "../parts/Frame.js";
import { dayOf, inMonth, monthOf, moved, perDay, spanOf, weeksOf, type Month } from "../parts/months.js";
import { useSettings, type CompanyProps, type Settings } from "../settings.js";

export interface EventsCalendarProps extends CompanyProps {
  /** Only these types; left out: all of them. */
  readonly eventTypes?: readonly EventType[] | undefined;
  /** The month shown first, as 2026-11; left out: that of the newest event. */
  readonly month?: Month | undefined;
}

const LIMIT = 100;

export function EventsCalendar(props: EventsCalendarProps): ReactNode {
  const settings = useSettings(props);
  const { words, place } = settings;
  const followed = useFeed(place, { types: props.eventTypes, limit: LIMIT }, null, settings.client);
  const { resource, renew } = followed;
  const emptyWords = (feed: Feed): string | null => (feed.events.length === 0 ? words.noEvents : null);
  return (
    <Frame kind="calendar" title={words.calendar} {...{ props, settings, resource, renew, emptyWords }}>
      {(feed) => (
        <>
          <Calendar
            key={place.companyId}
            events={feed.events}
            settings={settings}
            first={props.month ?? null}
          />
          {feed.cursor !== null && <p className="firmdata-small">{words.notAllRead}</p>}
          <Older {...{ followed, settings }} />
        </>
      )}
    </Frame>
  );
}

interface CalendarProps {
  readonly events: readonly CompanyEvent[];
  readonly settings: Settings;
  readonly first: Month | null;
}

function Calendar({ events, settings, first }: CalendarProps): ReactNode {
  const span = spanOf(events);
  const [chosen, choose] = useState<Month | null>(first);
  const [day, pick] = useState<string | null>(null);
  const month = chosen ?? span.last;
  const of = inMonth(events, month);
  const turn = (by: number): void => {
    choose(moved(month, by));
    pick(null);
  };
  const shown = day === null ? of : of.filter((event) => dayOf(event) === day);
  return (
    <>
      <Turner {...{ month, span, settings, turn }} />
      <Weeks {...{ month, day, pick, settings }} counts={perDay(of)} />
      {shown.length === 0 ? (
        <p className="firmdata-empty">{settings.words.noEventsOn}</p>
      ) : (
        <EventList events={shown} settings={settings} typed />
      )}
    </>
  );
}

interface TurnerProps {
  readonly month: Month;
  readonly span: { readonly first: Month; readonly last: Month };
  readonly settings: Settings;
  readonly turn: (by: number) => void;
}

function Turner({ month, span, settings, turn }: TurnerProps): ReactNode {
  const { words, format } = settings;
  const button = (name: string, sign: string, by: number, isEnd: boolean): ReactNode => (
    <button
      type="button"
      className="firmdata-button"
      aria-label={name}
      aria-disabled={isEnd}
      onClick={isEnd ? undefined : () => turn(by)}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  );
  return (
    <div className="firmdata-turner">
      {button(words.previousMonth, "‹", -1, month <= span.first)}
      <span aria-live="polite">{format.month(monthOf(month).year, monthOf(month).month)}</span>
      {button(words.nextMonth, "›", 1, month >= span.last)}
    </div>
  );
}

interface WeeksProps {
  readonly month: Month;
  readonly day: string | null;
  readonly pick: (day: string | null) => void;
  readonly settings: Settings;
  readonly counts: ReadonlyMap<string, number>;
}

function Weeks({ month, day, pick, settings, counts }: WeeksProps): ReactNode {
  const { words, format } = settings;
  const caption = useId();
  const { year, month: number } = monthOf(month);
  return (
    <table className="firmdata-month" aria-labelledby={caption}>
      <caption id={caption} className="firmdata-hidden">
        {`${words.calendar}, ${format.month(year, number)}`}
      </caption>
      <thead>
        <tr>
          {format.weekdays().map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week.join()}>
            {week.map((one, place) => (
              <td key={one ?? place}>
                {one !== null && (
                  <Day
                    day={one}
                    count={counts.get(one) ?? 0}
                    isPicked={one === day}
                    {...{ pick, settings }}
                  />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  readonly day: string;
  readonly count: number;
  readonly isPicked: boolean;
  readonly pick: (day: string | null) => void;
  readonly settings: Settings;
}

function Day({ day, count, isPicked, pick, settings }: DayProps): ReactNode {
  const number = Number(day.slice(-2));
  if (count === 0) return <span>{number}</span>;
  const { words, format } = settings;
  return (
    <button
      type="button"
      className="firmdata-day"
      aria-pressed={isPicked}
      aria-label={filled(words.eventsOn, { day: format.day(day), count: format.count(count) })}
      onClick={() => pick(isPicked ? null : day)}
    >
      {number}
      <span className="firmdata-dot" aria-hidden="true" />
    </button>
  );
}
