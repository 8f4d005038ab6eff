// The TypeScript client, as it is installed, through the faults of tests/sdk/scenarios.py. Reads {url, key, company,
// deliveries} from standard input and writes what came of each scenario; whether that is right is for the test to say.
import { text } from "node:stream/consumers";
import { Client, webhooks } from "@firmdata/client";

const { url, key, company, deliveries } = JSON.parse(await text(process.stdin));

/** A client of a scenario, and the waits that it made in no time. */
function played(name) {
  const waits = [];
  const sleep = async (seconds) => void waits.push(seconds);
  return { client: new Client({ apiKey: key, baseUrl: `${url}/${name}`, random: () => 0, sleep }), waits };
}

async function refusal(promise) {
  const error = await promise.then(() => null, (thrown) => thrown);
  return error && { name: error.name, code: error.code, reason: error.reason, retryAfter: error.retryAfter };
}

const seen = {};
for (const name of ["limited", "unavailable", "skewed", "cut"]) {
  const { client, waits } = played(name);
  seen[name] = { answer: await client.companies.get(company), waits };
}
{
  const { client } = played("lost");
  const { id } = await client.watchlists.create("Lost answer");
  const lists = (await client.watchlists.list().toArray()).filter((one) => one.name === "Lost answer");
  seen.lost = { id, lists: lists.map((one) => one.id) };
  await client.watchlists.delete(id);
}
{
  const { client } = played("unchanged");
  const [first, again] = [await client.companies.get(company), await client.companies.get(company, {}, { renewed: true })];
  seen.unchanged = { same: first === again, answer: again };
}
{
  const { client, waits } = played("stream");
  const events = [];
  for await (const event of client.events.stream({ since: 0 })) {
    events.push(event);
    if (events.length === 3) break;
  }
  seen.stream = { events, waits };
}
seen.exhausted = await refusal(played("exhausted").client.companies.get(company));
seen.deliveries = [];
for (const { body, headers, secret } of deliveries) {
  const checked = webhooks.verify(Buffer.from(body), headers, secret);
  seen.deliveries.push((await refusal(checked)) ?? { event: await checked });
}
console.log(JSON.stringify(seen));
