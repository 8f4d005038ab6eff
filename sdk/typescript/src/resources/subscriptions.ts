/** Webhook subscriptions (tiers Pro and Business), and what was delivered to them. */
import { pathWith, type Loose } from "../calls.js";
import type { ChangeOptions, Client } from "../client.js";
import type { ReadOptions } from "../http/reader.js";
import type {
  AnswerOf,
  CreatedSubscription,
  DeliveryDetail,
  NewSubscription,
  QueryOf,
  Replay,
  Subscription,
} from "../model.js";
import type { Pages } from "../pages.js";

const LIST = "/api/v1/webhooks";
const ONE = "/api/v1/webhooks/{id}";
const DELIVERIES = "/api/v1/webhooks/{id}/deliveries";
const DELIVERY = "/api/v1/webhooks/{id}/deliveries/{delivery_id}";
const REPLAY = "/api/v1/webhooks/{id}/replays/{replay_id}";

export class Subscriptions {
  constructor(private readonly client: Client) {}

  /** Subscribes an endpoint; only this answer has the `secret` that verifies deliveries. */
  create(
    endpointUrl: string,
    eventTypes: NewSubscription["event_types"],
    members: Omit<NewSubscription, "endpoint_url" | "event_types"> = {},
    options: ChangeOptions = {},
  ): Promise<CreatedSubscription> {
    const body = { endpoint_url: endpointUrl, event_types: eventTypes, ...members };
    return this.client.change("POST", LIST, body, options);
  }

  /** Every subscription. */
  list(query: Loose<QueryOf<typeof LIST>> = {}): Pages<AnswerOf<typeof LIST>> {
    return this.client.list(LIST, { query });
  }

  get(subscription: string, options: ReadOptions = {}): Promise<Subscription> {
    return this.client.read(ONE, { path: { id: subscription } }, options);
  }

  /** Ends a subscription. */
  delete(subscription: string, options: ChangeOptions = {}): Promise<undefined> {
    return this.client.change("DELETE", pathWith(ONE, { id: subscription }, {}), undefined, options);
  }

  /** What was delivered, or is to be, newest first. */
  deliveries(
    subscription: string,
    query: Loose<QueryOf<typeof DELIVERIES>> = {},
  ): Pages<AnswerOf<typeof DELIVERIES>> {
    return this.client.list(DELIVERIES, { path: { id: subscription }, query });
  }

  /** One delivery with its attempts. */
  delivery(subscription: string, delivery: string, options: ReadOptions = {}): Promise<DeliveryDetail> {
    return this.client.read(DELIVERY, { path: { id: subscription, delivery_id: delivery } }, options);
  }

  /** How far a replay is. */
  replay(subscription: string, replay: string, options: ReadOptions = {}): Promise<Replay> {
    return this.client.read(REPLAY, { path: { id: subscription, replay_id: replay } }, options);
  }
}
