import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * A plugin that says secrets wherever it can: in its log, in what it throws, in the audit log, in what it leaves to
 * fail by itself. It takes them from its environment and from requests.
 */
const SERVER = `
const reveal = (ctx, secret) => {
  ctx.log.info("Here is " + secret, { password: secret, note: "It is " + secret });
  ctx.log.error("Failed with " + secret, { url: "https://ada:" + secret + "@example.org/?token=" + secret }, new Error("Because of " + secret, { cause: new Error(secret) }));
  void Promise.reject(new Error("Unhandled " + secret));
  // Resolves once all of it was said: a pairing code is no secret any more once it is spent.
  return new Promise((said) => setTimeout(() => { setTimeout(said); throw new Error("Uncaught " + secret); }));
};
const text = (object) => ({ "~standard": { version: 1, vendor: "leaky", validate: (value) => ({ value }), jsonSchema: { input: () => object, output: () => object } } });
const open = text({ type: "object", additionalProperties: false, properties: { secret: { type: "string" } } });
export default {
  id: "leaky", api: 1, summary: "Says what it should not", mounts: ["/api/leaky"],
  setup(ctx) {
    ctx.route({
      method: "POST", path: "/api/leaky", summary: "Says a secret", access: "session",
      body: open, returns: open,
      async handle({ body }) {
        await reveal(ctx, body.secret);
        await ctx.audit("leaky.secret-said", { text: "It is " + body.secret });
        throw new Error("Not handled: " + body.secret);
      },
    });
    ctx.cron("* * * * *", () => { throw new Error("Failed: " + process.env.CANARY_API_KEY); }, { timezone: "UTC" });
    void reveal(ctx, process.env.CANARY_API_KEY);
  },
};
`;

/** A plugin that cannot start, and says why with a secret in it. */
const BROKEN = `
export default {
  id: "broken", api: 1, summary: "Cannot start", mounts: ["/api/broken"],
  setup() { throw new Error("No access to https://" + process.env.CANARY_API_KEY + "@example.org"); },
};
`;

/** Puts both into a home by hand. */
export async function putLeakyPlugins(home: string): Promise<void> {
  for (const [name, server] of [
    ["leaky", SERVER],
    ["broken", BROKEN],
  ] as const) {
    const folder = join(home, "plugins", name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const manifest = {
      name: `gantry-plugin-${name}`,
      version: "1.0.0",
      type: "module",
      gantry: { api: 1, server: "./server.mjs" },
    };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "server.mjs"), server);
  }
}
