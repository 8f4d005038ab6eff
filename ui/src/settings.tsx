"use client";
/** What all components of a page share, given once by a provider or by each component's own properties. */
import { createContext, useContext, useMemo, type ReactNode } from "react";
import type { Place } from "./client/queries.js";
import { formatOf, type Format } from "./format.js";
import { ENGLISH, type Messages } from "./messages.js";

export interface SharedSettings {
  /** A key of the kind firm_public_…, bound to the domain of the page. */
  readonly publishableKey?: string | undefined;
  /** Where the service is, as https://api.example.com; left out: where the page is. */
  readonly baseUrl?: string | undefined;
  /** A BCP 47 tag for numbers and days; left out: "en". */
  readonly locale?: string | undefined;
  /** An IANA name for instants; left out: "UTC". */
  readonly timeZone?: string | undefined;
}

export interface ProviderProps extends SharedSettings {
  /** Words in place of the English ones. */
  readonly messages?: Partial<Messages> | undefined;
  readonly children: ReactNode;
}

/** What every component takes. */
export interface CompanyProps extends SharedSettings {
  /** A registry number in any spelling that the service takes, or an id as firm:NO:999999999. */
  readonly companyId: string;
  /** Level of the heading; 2 where it is left out. */
  readonly headingLevel?: 2 | 3 | 4 | 5 | 6 | undefined;
  readonly className?: string | undefined;
}

type Context = SharedSettings & { readonly messages?: Partial<Messages> | undefined };

const Shared = /* @__PURE__ */ createContext<Context>({});

export function FirmdataProvider({ children, ...given }: ProviderProps): ReactNode {
  const { publishableKey, baseUrl, locale, timeZone, messages } = given;
  const shared = useMemo(
    () => ({ publishableKey, baseUrl, locale, timeZone, messages }),
    [publishableKey, baseUrl, locale, timeZone, messages],
  );
  return <Shared.Provider value={shared}>{children}</Shared.Provider>;
}

export interface Settings {
  readonly place: Place;
  readonly format: Format;
  readonly words: Messages;
}

/** The settings of one component: its own before the provider's. */
export function useSettings(props: CompanyProps): Settings {
  const shared = useContext(Shared);
  const locale = props.locale ?? shared.locale ?? "en";
  const timeZone = props.timeZone ?? shared.timeZone ?? "UTC";
  const format = useMemo(() => formatOf(locale, timeZone), [locale, timeZone]);
  const place: Place = {
    baseUrl: props.baseUrl ?? shared.baseUrl ?? "",
    publishableKey: props.publishableKey ?? shared.publishableKey ?? "",
    companyId: props.companyId,
  };
  return { place, format, words: useWords() };
}

export function useWords(): Messages {
  const { messages } = useContext(Shared);
  return useMemo(() => (messages === undefined ? ENGLISH : { ...ENGLISH, ...messages }), [messages]);
}
