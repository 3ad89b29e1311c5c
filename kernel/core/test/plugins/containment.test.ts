import { cases, temporaryFolder } from "@gantry/build/testing";
import { expect, test, vi } from "vitest";
import {
  pluginCode,
  putPlugin,
  runGantry,
  startDaemon,
} from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";

interface PluginView {
  id: string;
  state: string;
  reason: string | null;
  faults: number;
}

async function pluginsOf(daemon: Daemon): Promise<Record<string, PluginView>> {
  const answer = await daemon.call("/api/doctor");
  const { plugins } = (await answer.json()) as { plugins: PluginView[] };
  return Object.fromEntries(plugins.map((plugin) => [plugin.id, plugin]));
}

const ROUTE = (id: string, handle: string) =>
  `ctx.route({ method: "GET", path: "/api/${id}", summary: "x", access: "session", returns: "bytes", handle: () => { ${handle} } });`;
const ANSWER =
  'return { kind: "bytes", mediaType: "text/plain", body: "fine" };';

test("faults of plugins, wherever they come from, are named with their owner and affect no other plugin", async () => {
  const home = await temporaryFolder();
  await Promise.all([
    putPlugin(home, "fine", pluginCode("fine", ROUTE("fine", ANSWER))),
    putPlugin(home, "throws-at-load", 'throw new Error("Fault at load");'),
    putPlugin(home, "no-code", "export default ["),
    putPlugin(home, "no-plugin", "export const nothing = 1;"),
    putPlugin(
      home,
      "timer",
      pluginCode(
        "timer",
        'setTimeout(() => { throw new Error("Fault in a timer"); }, 0);',
      ),
    ),
    putPlugin(
      home,
      "promise",
      pluginCode(
        "promise",
        'void Promise.reject(new Error("Fault in a promise"));',
      ),
    ),
    putPlugin(
      home,
      "handler",
      pluginCode(
        "handler",
        ROUTE("handler", 'throw new Error("Fault in a handler");'),
      ),
    ),
    putPlugin(
      home,
      "later",
      pluginCode(
        "later",
        ROUTE(
          "later",
          `setImmediate(() => { throw new Error("Fault after the answer"); }); ${ANSWER}`,
        ),
      ),
    ),
  ]);
  const daemon = await startDaemon(home);
  const handled = await daemon.call("/api/handler");
  expect(handled.status).toBe(500);
  const problem = (await handled.json()) as Record<string, unknown>;
  expect(problem).toEqual({
    type: "urn:gantry:problem:KERNEL_FAULT",
    title: "Internal error",
    status: 500,
    detail: expect.any(String) as string,
    code: "KERNEL_FAULT",
    requestId: handled.headers.get("x-request-id"),
  });
  expect((await daemon.call("/api/later")).status).toBe(200);

  const uncaught = (plugin: string, message: string, cause: string) =>
    expect.objectContaining({
      level: "error",
      plugin,
      message,
      cause: expect.stringContaining(cause) as string,
    });
  await vi.waitFor(() => {
    const log = daemon.log();
    expect(log).toContainEqual(
      uncaught("timer", "Uncaught exception", "Fault in a timer"),
    );
    expect(log).toContainEqual(
      uncaught("promise", "Uncaught rejection", "Fault in a promise"),
    );
    expect(log).toContainEqual(
      uncaught("later", "Uncaught exception", "Fault after the answer"),
    );
    expect(log).toContainEqual(
      expect.objectContaining({ requestId: problem.requestId }),
    );
  });
  expect(await pluginsOf(daemon)).toMatchObject({
    fine: { state: "active", faults: 0 },
    timer: { state: "active", faults: 1 },
    promise: { state: "active", faults: 1 },
    "throws-at-load": {
      state: "failed",
      reason: "it could not be loaded: Fault at load",
    },
    "no-code": { state: "failed" },
    "no-plugin": {
      state: "failed",
      reason: expect.stringContaining("no default export") as string,
    },
  });
  const report = (await (await daemon.call("/api/doctor")).json()) as {
    findings: { code: string; what: string }[];
  };
  expect(
    report.findings
      .filter(({ code }) => code === "PLUGIN_FAULTS")
      .map(({ what }) => what)
      .sort(),
  ).toEqual(
    ["later", "promise", "timer"].map((id) =>
      expect.stringContaining(`"${id}" did not catch 1 error `),
    ),
  );
  expect(await (await daemon.call("/api/fine")).text()).toBe("fine");
  daemon.kill();
  expect(await daemon.ended).toMatchObject({ code: 0 });
});

test.each(
  cases([
    ["while it loads", pluginCode("deadly", "", "process.exit(1);")],
    [
      "right after its start",
      pluginCode("deadly", "setTimeout(() => process.exit(1), 50);"),
    ],
  ]),
)(
  "a plugin that ends the daemon %s, twice, is passed over until its user gives it another try",
  async (_, code) => {
    const home = await temporaryFolder();
    await putPlugin(home, "gantry-plugin-deadly", code);
    for (let start = 1; start <= 2; start++) {
      const exit = await startDaemon(home).then(
        async (daemon) => (await daemon.ended).code,
        () => "at the start",
      );
      expect(exit).not.toBe(0);
    }
    const daemon = await startDaemon(home);
    const [deadly] = Object.values(await pluginsOf(daemon));
    expect(deadly).toMatchObject({
      id: expect.stringMatching(/deadly$/) as string,
      state: "failed",
      reason: expect.stringContaining("ended the daemon 2 times") as string,
    });
    await putPlugin(home, "gantry-plugin-deadly", pluginCode("deadly"));
    const enabled = await runGantry([
      "plugins",
      "enable",
      deadly?.id ?? "",
      "--home",
      home,
    ]);
    expect(enabled).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^deadly .*: active/) as string,
    });
  },
);

test(
  "a plugin whose start was cut off once by a stranger's kill starts again",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    await putPlugin(home, "unlucky", pluginCode("unlucky"));
    const first = await startDaemon(home);
    first.kill("SIGKILL");
    await first.ended;
    const second = await startDaemon(home);
    expect(await pluginsOf(second)).toMatchObject({
      unlucky: { state: "active" },
    });
  },
);

test(
  "--safe runs the kernel alone, --plugins those that are named",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    await putPlugin(home, "one", pluginCode("one"));
    await putPlugin(home, "two", pluginCode("two"));
    await putPlugin(home, "acme__three", pluginCode("three"), "@acme/three");
    const safe = await startDaemon(home, ["--safe"]);
    const states = async (daemon: Daemon) =>
      Object.fromEntries(
        Object.values(await pluginsOf(daemon)).map(({ id, state }) => [
          id,
          state,
        ]),
      );
    expect(await states(safe)).toEqual({
      one: "disabled",
      two: "disabled",
      acme__three: "disabled",
    });
    safe.kill();
    await safe.ended;
    const chosen = await startDaemon(home, ["--plugins", "one,three"]);
    expect(await states(chosen)).toMatchObject({
      one: "active",
      three: "active",
      two: "disabled",
    });
    chosen.kill();
    await chosen.ended;
  },
);

test("a plugin that keeps having faults is stopped, and a listener that it put on the process is found by its code", async () => {
  const home = await temporaryFolder();
  await Promise.all([
    putPlugin(home, "fine", pluginCode("fine", ROUTE("fine", ANSWER))),
    putPlugin(
      home,
      "noisy",
      pluginCode(
        "noisy",
        `${ROUTE("noisy", ANSWER)} process.on("SIGUSR2", () => { throw new Error("Fault in a listener"); });
         ctx.own(() => ctx.log.error("Disposed"));`,
      ),
    ),
  ]);
  const daemon = await startDaemon(home);
  const faults = () =>
    daemon.log().filter(({ message }) => message === "Uncaught exception");
  // Signals that come at once are one: each is waited for.
  for (let count = 1; count <= 100; count++) {
    daemon.kill("SIGUSR2");
    await daemon.logged(() => faults().length >= count);
  }
  await daemon.logged(({ message }) => message === "Disposed");
  await vi.waitFor(async () =>
    expect(await pluginsOf(daemon)).toMatchObject({
      fine: { state: "active" },
      noisy: {
        state: "failed",
        reason: expect.stringContaining("100 uncaught faults") as string,
      },
    }),
  );
  for (const line of faults()) expect(line.plugin).toBe("noisy");
  expect((await daemon.call("/api/noisy")).status).toBe(503);
  expect(await (await daemon.call("/api/fine")).text()).toBe("fine");
  // What it left running is contained as well, without a line each.
  daemon.kill("SIGUSR2");
  expect(await (await daemon.call("/api/fine")).text()).toBe("fine");
  expect(faults()).toHaveLength(100);
  daemon.kill();
  expect((await daemon.ended).code).toBe(0);
});

test.each(
  cases([
    [
      "has nothing but the name of one of ours",
      `{ name: "GantryError", code: "X_Y" }`,
    ],
    [
      "has a status that is none",
      `{ name: "GantryError", code: "X_Y", status: 7, extras: {} }`,
    ],
    [
      "has a header that is none",
      `{ name: "GantryError", code: "X_Y", status: 400, extras: { headers: { "a b": "c" } } }`,
    ],
    [
      "has members that are no JSON",
      `{ name: "GantryError", code: "X_Y", status: 400, extras: { members: { n: 1n } } }`,
    ],
  ]),
)("an error that %s harms only its own request", async (_, members) => {
  const home = await temporaryFolder();
  await putPlugin(
    home,
    "forger",
    pluginCode(
      "forger",
      ROUTE("forger", `throw Object.assign(new Error("No"), ${members});`),
    ),
  );
  const daemon = await startDaemon(home);
  const status = await daemon.call("/api/forger").then(
    (answer) => answer.status,
    () => "cut",
  );
  expect([500, "cut"]).toContain(status);
  expect((await daemon.call("/api/auth/session")).status).toBe(200);
});
