import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Policy } from "../../src/contract.ts";
import { AgentAccess } from "../../src/fence/agent-access.ts";
import { judgeUrl } from "../../src/fence/judge-site.ts";
import { OwnServers } from "../../src/fence/own-servers.ts";

const GANTRY_PORT = 7420;
const gantry = { ports: new Set([GANTRY_PORT]), names: new Set<string>() };

/** The access of `agt_1`; `ports` are those that its processes listen on. */
function createAccess(policy: Partial<Policy> = {}) {
  const world = {
    ports: [] as number[],
    policy: { tier: "act", sites: [], ownServers: true, ...policy },
    reads: [] as PromiseWithResolvers<void>[],
    /** Whether a read waits until it is resolved in `reads`. */
    isSlow: false,
    failures: [] as unknown[],
  };
  const servers = new OwnServers({
    policies: { get: () => world.policy as unknown as Policy },
    servers: () => ({
      async list() {
        const read = Promise.withResolvers<void>();
        world.reads.push(read);
        const items = world.ports.map((port) => ({
          ...{ port, program: "node", endsWithCli: true },
        }));
        if (world.isSlow) await read.promise;
        return { items };
      },
    }),
    signal: new AbortController().signal,
    onFailed: (_, error) => world.failures.push(error),
  });
  const access = new AgentAccess({
    ...{ policies: { get: () => world.policy as unknown as Policy }, servers },
    onRevoked: () => {},
  });
  const judge = async (url: string) => {
    await access.refresh("agt_1", { url });
    return judgeUrl(url, access.rulesOf("agt_1").sites, gantry);
  };
  return { world, access, judge };
}

test("an agent may open the ports that it listens on at that moment, and no others of this machine", async () => {
  const { world, judge } = createAccess();
  world.ports = [5173, GANTRY_PORT];
  for (const host of ["localhost", "127.0.0.1", "[::1]", "LOCALHOST."])
    expect(await judge(`http://${host}:5173/`), host).toBeNull();
  for (const url of [
    "http://localhost:5174/",
    "http://localhost/",
    "https://127.0.0.1/",
    `http://localhost:${GANTRY_PORT}/`,
    `http://127.0.0.1:${GANTRY_PORT}/`,
    `http://[::1]:${GANTRY_PORT}/`,
    "http://192.168.1.2:5173/",
    "http://lies.test:5173/",
    "http://user@localhost:5173/",
    "file://localhost:5173/",
  ])
    expect(await judge(url), url).not.toBeNull();
  // Its server has ended, and another program may listen there.
  world.ports = [5174];
  expect(await judge("http://localhost:5173/")).toContain("port 5173");
  expect(await judge("http://localhost:5174/")).toBeNull();
});

test("without the choice, without a tier, and when they cannot be read an agent has no servers", async () => {
  const { world, access, judge } = createAccess({ ownServers: false });
  world.ports = [5173];
  expect(await judge("http://localhost:5173/")).not.toBeNull();
  world.policy = { ...world.policy, ownServers: true, tier: "none" };
  expect(await judge("http://localhost:5173/")).not.toBeNull();
  expect(world.reads).toEqual([]);
  world.policy = { ...world.policy, tier: "read" };
  expect(await judge("http://localhost:5173/")).toBeNull();
  // A choice that is taken back applies at once.
  world.policy = { ...world.policy, ownServers: false };
  expect(access.rulesOf("agt_1").sites).toEqual([]);
  world.policy = { ...world.policy, ownServers: true };
  world.isSlow = true;
  const judged = judge("http://localhost:5173/");
  world.reads.at(-1)!.reject(new Error("lsof"));
  expect(await judged).not.toBeNull();
  expect(world.failures).toEqual([new Error("lsof")]);
});

test("only addresses of this machine wait, each for a read that began after it was asked for", async () => {
  const { world, access, judge } = createAccess({ sites: ["*"] });
  for (const target of [
    { url: "https://example.com/" },
    { url: `http://localhost:5173/${"x".repeat(70_000)}` },
    { url: "" },
    { host: "lies.test" },
  ])
    expect(access.refresh("agt_1", target)).toBeUndefined();
  world.isSlow = true;
  const first = judge("http://localhost:5173/");
  world.ports = [5173];
  const more = [1, 2, 3].map(() => judge("http://localhost:5173/"));
  expect(world.reads).toHaveLength(1);
  world.reads[0]!.resolve();
  expect(await first).not.toBeNull();
  await setImmediate();
  expect(world.reads).toHaveLength(2);
  world.reads[1]!.resolve();
  expect(await Promise.all(more)).toEqual([null, null, null]);
});

test("an agent that is deleted is forgotten, also during a read", async () => {
  const { world, access, judge } = createAccess();
  world.ports = [5173];
  world.isSlow = true;
  const judged = judge("http://localhost:5173/");
  access.forget("agt_1");
  world.reads[0]!.resolve();
  expect(await judged).not.toBeNull();
  expect(access.rulesOf("agt_1").sites).toEqual([]);
});
