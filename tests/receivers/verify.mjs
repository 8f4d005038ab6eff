// Asks libraries that others wrote whether deliveries are genuine. Reads a JSON array of
// {library, secret, headers, body (base64)} and writes an array of true or false.
import { verify } from "@octokit/webhooks-methods";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";

const libraries = {
  standardwebhooks: ({ secret, headers, body }) => void new StandardWebhook(secret).verify(body, headers),
  svix: ({ secret, headers, body }) => void new SvixWebhook(secret).verify(body, headers),
  octokit: async ({ secret, headers, body }) => {
    if (!(await verify(secret, body.toString("utf8"), headers["X-Service-Signature"]))) throw new Error("no match");
  },
};

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const answers = [];
for (const asked of JSON.parse(Buffer.concat(chunks))) {
  try {
    await libraries[asked.library]({ ...asked, body: Buffer.from(asked.body, "base64") });
    answers.push(true);
  } catch (error) {
    answers.push(false);
    console.error(`${asked.library}: ${error.name}: ${error.message}`);
  }
}
console.log(JSON.stringify(answers));
