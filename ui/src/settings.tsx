"use client";
/** What all components of a page share, given once by a provider or by each component's own properties. */
import { createContext, useContext, useEffect, useMemo, useRef, type ReactNode } from "react";
import { createClient, PAGE, type Client } from "./client/client.js";
import type { Failure } from "./client/failure.js";
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
  /** A past day, `YYYY-MM-DD`, that everything is shown as of; left out: today. */
  readonly asOf?: string | undefined;
  /** Address of a page of yours on a company; left out: names of companies are no links. */
  readonly hrefOf?: ((companyId: string) => string) | undefined;
  /** Called once for each failure that is shown, and each that is not because older data still is. */
  readonly onError?: ((failure: Failure, about: Failed) => void) | undefined;
  /** What is drawn in place of the component's own states. */
  readonly slots?: Slots | undefined;
  /** Further classes of a component's parts. */
  readonly classNames?: ClassNames | undefined;
}

/** Where a failure was met. `component`: as in its class name, `card` of `firmdata-card`. */
export interface Failed {
  readonly component: string;
  readonly companyId: string | null;
}

export interface Slots {
  readonly loading?: ((words: Messages) => ReactNode) | undefined;
  /** `text`: why there is nothing to show. */
  readonly empty?: ((text: string) => ReactNode) | undefined;
  readonly failure?: ((failure: Failure, retry: () => void) => ReactNode) | undefined;
}

export interface ClassNames {
  readonly root?: string | undefined;
  readonly title?: string | undefined;
  readonly content?: string | undefined;
}

/** `fetch` of the page, or a function like it. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

export interface ProviderProps extends SharedSettings {
  /** Words in place of the English ones: SWEDISH, NORWEGIAN, FINNISH, or your own. */
  readonly messages?: Partial<Messages> | undefined;
  /** Sends the requests in place of the page's `fetch`. It may add what authenticates, so no key is required then. */
  readonly fetch?: Fetch | undefined;
  readonly children: ReactNode;
}

/** What every component of a company takes. */
export interface CompanyProps extends SharedSettings {
  /** A registry number in any spelling that the service takes, or an id as firm:NO:999999999. */
  readonly companyId: string;
  /** Level of the heading; 2 where it is left out. */
  readonly headingLevel?: 2 | 3 | 4 | 5 | 6 | undefined;
  readonly className?: string | undefined;
}

interface Context extends SharedSettings {
  readonly messages?: Partial<Messages> | undefined;
  readonly client?: Client | undefined;
}

const Shared = /* @__PURE__ */ createContext<Context>({});

// One for all components of a page, so that they share what is under way and what was read.
const PAGE_CLIENT = /* @__PURE__ */ createClient();

export function FirmdataProvider({ children, ...given }: ProviderProps): ReactNode {
  const { publishableKey, baseUrl, locale, timeZone, asOf, hrefOf, onError, slots, classNames, messages } = given;
  const client = useClientOf(given.fetch);
  const shared = useMemo(
    () => ({
      publishableKey,
      baseUrl,
      locale,
      timeZone,
      asOf,
      hrefOf,
      onError,
      slots,
      classNames,
      messages,
      client,
    }),
    [publishableKey, baseUrl, locale, timeZone, asOf, hrefOf, onError, slots, classNames, messages, client],
  );
  return <Shared.Provider value={shared}>{children}</Shared.Provider>;
}

/** One client for the life of the provider: a function written in place is another one at every rendering. */
function useClientOf(given: Fetch | undefined): Client {
  const latest = useRef(given);
  useEffect(() => {
    latest.current = given;
  }, [given]);
  const isGiven = given !== undefined;
  return useMemo(() => {
    if (!isGiven) return PAGE_CLIENT;
    const send: Fetch = (address, init) => (latest.current ?? PAGE.fetch)(address, init);
    return createClient({ ...PAGE, fetch: send, isKeyOptional: true });
  }, [isGiven]);
}

export interface Settings extends Pick<SharedSettings, "hrefOf" | "onError"> {
  readonly place: Place;
  readonly client: Client;
  readonly format: Format;
  readonly words: Messages;
  readonly slots: Slots;
  readonly classNames: ClassNames;
}

/** The settings of one component: its own before the provider's. */
export function useSettings(props: SharedSettings & { readonly companyId?: string | undefined }): Settings {
  const shared = useContext(Shared);
  const locale = props.locale ?? shared.locale ?? "en";
  const timeZone = props.timeZone ?? shared.timeZone ?? "UTC";
  const format = useMemo(() => formatOf(locale, timeZone), [locale, timeZone]);
  const place: Place = {
    baseUrl: props.baseUrl ?? shared.baseUrl ?? "",
    publishableKey: props.publishableKey ?? shared.publishableKey ?? "",
    companyId: props.companyId ?? "",
    asOf: props.asOf ?? shared.asOf,
  };
  return {
    place,
    client: shared.client ?? PAGE_CLIENT,
    format,
    words: useWords(),
    hrefOf: props.hrefOf ?? shared.hrefOf,
    onError: props.onError ?? shared.onError,
    slots: { ...shared.slots, ...props.slots },
    classNames: { ...shared.classNames, ...props.classNames },
  };
}

export function useWords(): Messages {
  const { messages } = useContext(Shared);
  return useMemo(() => (messages === undefined ? ENGLISH : { ...ENGLISH, ...messages }), [messages]);
}
