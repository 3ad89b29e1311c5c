import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { descendantsOf, exposedText } from "../attacks/world/processes.ts";
import { createApiClient, send } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { readToken, runGantry, startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { putLeakyPlugins } from "../support/leaky-plugin.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** A key that the user gives to agents through the daemon's environment; it has the format of no provider. */
const PROVIDER_KEY = "canary in a coal mine";

/** Every secret of a daemon is said wherever one can be said, and then looked for wherever it could have stayed. */
describe("secrets", () => {
  let stack: AsyncDisposableStack;
  let home: string;
  let daemon: Daemon;
  let api: ApiClient;
  const secrets: Record<string, string> = {};
  /** What the commands of the command line printed. */
  let printed = "";

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("canaries"));
    home = join(folder.path, "home");
    await putLeakyPlugins(home);
    daemon = stack.use(
      await startDaemon(home, {
        args: ["--log", "debug"],
        env: { CANARY_API_KEY: PROVIDER_KEY },
      }),
    );
    api = await createApiClient(daemon);
  });
  afterAll(() => stack.disposeAsync());

  /** Sends a secret in every part of a request, to all routes that answer. */
  async function sayEverywhere(secret: string): Promise<void> {
    const bearer = { authorization: `Bearer ${secret}` };
    const cookie = { cookie: `gantry_session=${secret}; other=${secret}` };
    const ask = (path: string, headers: Record<string, string>) =>
      send<object>(daemon.base, "GET", path, undefined, headers);
    await ask(`/api/agents?token=${secret}`, bearer);
    await ask(`/api/agents/${encodeURIComponent(secret)}`, cookie);
    await ask("/api/agents", {
      ...cookie,
      origin: `http://${secret}.example`,
      "user-agent": secret,
      "sec-fetch-site": "cross-site",
      referer: `http://example/${secret}`,
    });
    await ask("/api/agents", {
      ...bearer,
      host: `${secret.slice(0, 60)}.example`,
    });
    await api.call(
      "GET",
      `/api/agents/${encodeURIComponent(secret)}?x=${secret}`,
    );
    await api.call("POST", "/api/leaky", { secret });
    // Last, since a code that is spent is a secret no more.
    await pair(secret, "Phone");
  }

  const pair = (code: string, device: string) =>
    send<{ ok?: true }>(
      daemon.base,
      "POST",
      "/pair",
      { code, device },
      { origin: daemon.base },
    );

  /** Files of the home that hold a text, in any part of them. */
  function filesWith(secret: string): string[] {
    return readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).includes(secret))
      .map((file) => relative(home, file));
  }

  test("of pairing: codes, links, cookies", async () => {
    const first = await api.call<{ code: string; url: string }>(
      "POST",
      "/api/auth/pairings",
    );
    const second = await api.call<{ code: string; url: string }>(
      "POST",
      "/api/auth/pairings",
    );
    secrets.code = first.body.code;
    secrets.plainCode = first.body.code.replaceAll("-", "");
    secrets.link = second.body.url.split("#code=")[1]!;
    // While it is still good, in what is refused and in what is said by mistake.
    await api.call("POST", "/api/leaky", { secret: secrets.code });
    await api.call("POST", "/api/leaky", { secret: secrets.link });
    const answer = await fetch(`${daemon.base}/pair`, {
      method: "POST",
      headers: { origin: daemon.base, "content-type": "application/json" },
      body: JSON.stringify({ code: secrets.code, device: "Phone" }),
    });
    expect(answer.status).toBe(200);
    secrets.cookie = /gantry_session=([\w-]{43})/.exec(
      answer.headers.get("set-cookie") ?? "",
    )![1]!;
    const printedCode = await runGantry("pair", "--home", home, "--json");
    secrets.printedCode = (
      JSON.parse(printedCode.output) as { code: string }
    ).code;
    await sayEverywhere(secrets.cookie);
    await sayEverywhere(secrets.link);
  });

  test("of the command line: the install token before and after it is replaced", async () => {
    secrets.oldToken = await readToken(home);
    await sayEverywhere(secrets.oldToken);
    const { body } = await api.call<{ token: string }>(
      "POST",
      "/api/auth/token/rotate",
    );
    api = await createApiClient(daemon);
    await sayEverywhere(body.token);
    expect(filesWith(body.token)).toEqual(["token"]);
    expect(statSync(join(home, "token")).mode & 0o777).toBe(0o600);
    expect(filesWith(secrets.oldToken)).toEqual([]);
  });

  test("of webhooks", async () => {
    const made = await api.call<{
      automation: { id: string };
      webhookSecret: string;
    }>("POST", "/api/automations", {
      name: "Hooked",
      cli: "practice",
      prompt: "Go [[reply:Gone.]]",
      webhook: true,
    });
    expect(made.status).toBe(200);
    secrets.webhook = made.body.webhookSecret;
    const path = `/api/automations/${made.body.automation.id}/fire`;
    const bearer = { authorization: `Bearer ${secrets.webhook}` };
    expect((await send(daemon.base, "POST", path, "x", bearer)).status).toBe(
      200,
    );
    await send(
      daemon.base,
      "POST",
      `${path}?secret=${secrets.webhook}`,
      "x",
      bearer,
    );
    await send(daemon.base, "POST", `${path}?token=${secrets.webhook}`, "x");
    await sayEverywhere(secrets.webhook);
    const renewed = await api.call<{ webhookSecret: string }>(
      "POST",
      `/api/automations/${made.body.automation.id}/secret`,
    );
    secrets.newWebhook = renewed.body.webhookSecret;
    await api.call("POST", "/api/leaky", { secret: secrets.newWebhook });
  });

  test("of agents: the user's own keys, in their environment", async () => {
    await api.call("POST", "/api/leaky", { secret: PROVIDER_KEY });
    const { body } = await api.call<{ id: string }>("POST", "/api/agents", {
      cli: "practice",
      name: "Slow",
    });
    const { status } = await api.call("POST", `/api/agents/${body.id}/prompt`, {
      message: "Wait [[run:sleep 600]] [[reply:Done.]]",
    });
    expect(status).toBe(200);
    await expect
      .poll(() => [...descendantsOf(daemon.pid).values()].join("\n"))
      .toContain("sleep 600");
  });

  test("are nowhere but where they belong", async () => {
    for (const args of [
      ["doctor"],
      ["plugins", "list"],
      ["audit", "tail", "--lines", "1000"],
      ["audit", "verify"],
    ])
      printed += (await runGantry(...args, "--home", home)).output;
    const children = [...descendantsOf(daemon.pid).keys()];
    expect(children.length).toBeGreaterThan(1);
    const shown = [daemon.pid, ...children].map(exposedText).join("\0");
    const outputs = {
      log: daemon.log(),
      processes: shown,
      "command line": printed,
    };
    expect(daemon.log()).toContain("Uncaught exception");
    expect(daemon.log()).toContain("[redacted]");
    const found: string[] = [];
    const look = (name: string, secret: string) => {
      for (const file of filesWith(secret)) found.push(`${name} in ${file}`);
      for (const [place, text] of Object.entries(outputs))
        if (text.includes(secret)) found.push(`${name} in the ${place}`);
    };
    for (const [name, secret] of Object.entries(secrets)) look(name, secret);
    expect(found).toEqual([]);
    look("provider key", PROVIDER_KEY);
    // The user who started the daemon put it there, and agents are to have it.
    expect(found).toEqual(["provider key in the processes"]);
  });

  test("are not there after a stop and a start either", async () => {
    expect(await daemon.stop()).toBe(0);
    const again = stack.use(
      await startDaemon(home, { env: { CANARY_API_KEY: PROVIDER_KEY } }),
    );
    const text = daemon.log() + again.log();
    for (const [name, secret] of [
      ...Object.entries(secrets),
      ["provider key", PROVIDER_KEY] as const,
    ]) {
      expect(filesWith(secret), name).toEqual([]);
      expect(text.includes(secret), name).toBe(false);
    }
  });
});
