/** The package: seven components, the provider of what they share, and the types of what callers give. */
export { ChangeFeed, type ChangeFeedProps } from "./components/ChangeFeed.js";
export { CompanyCard, type CompanyCardProps } from "./components/CompanyCard.js";
export { EventsCalendar, type EventsCalendarProps } from "./components/EventsCalendar.js";
export { FinancialsTable, type FinancialsTableProps } from "./components/FinancialsTable.js";
export { KeyStats, type KeyStatsProps } from "./components/KeyStats.js";
export { NewsFeed, type NewsFeedProps } from "./components/NewsFeed.js";
export { OwnershipChart, type OwnershipChartProps } from "./components/OwnershipChart.js";
export { FirmdataProvider, type CompanyProps, type ProviderProps, type SharedSettings } from "./settings.js";
export { ENGLISH, type Messages } from "./messages.js";
export type { Notation } from "./format.js";
export type { EventType } from "./model.js";
export type { Month } from "./parts/months.js";
