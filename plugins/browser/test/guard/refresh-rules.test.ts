import { expect, test } from "vitest";
import type { Rules } from "../../src/fence/rules.ts";
import { createGuard } from "../../src/guard/guard.ts";
import type {
  ProtocolAnswer,
  ProtocolConnection,
} from "../../src/protocol/protocol-connection.ts";
import { driveAgent } from "./support/connect-agent.ts";

const SERVER = "http://localhost:5173/";

/** A guard whose rules are read again before `SERVER` is judged. `reads` end when they are resolved. */
async function startGuard() {
  const rules: Rules = { tier: "act", sites: [], folder: null };
  const posted: { method: string; params: object }[] = [];
  const reads: PromiseWithResolvers<void>[] = [];
  const protocol: ProtocolConnection = {
    send: <Result>() => Promise.resolve({} as Result),
    post(method, params, _session, done) {
      posted.push({ method, params });
      const answer: ProtocolAnswer = { result: { targetId: "T1" } };
      done?.(answer);
    },
    onEvent: () => () => {},
    ...{ isClosed: false, closed: new Promise(() => {}) },
  };
  const guard = await createGuard({
    ...{ protocol, rulesOf: () => rules },
    refresh(_, { url }) {
      if (url !== SERVER) return undefined;
      const read = Promise.withResolvers<void>();
      reads.push(read);
      return read.promise;
    },
    gantry: () => ({ ports: new Set(), names: new Set() }),
    record: () => {},
    onRunning: () => {},
  });
  const agent = driveAgent();
  Object.assign(agent, guard.connect("agt_1", agent.take));
  const open = (url: unknown) => agent.call("Target.createTarget", { url });
  return { rules, posted, reads, agent, open };
}

test("an address of an own server is judged when the servers were read, and other calls do not wait", async () => {
  const { rules, posted, reads, agent, open } = await startGuard();
  const allowed = open(SERVER);
  expect((await open("http://localhost:4000/")).error?.message).toContain(
    "port 4000",
  );
  expect((await agent.call("Browser.getVersion")).error).toBeUndefined();
  expect(posted.map(({ method }) => method)).not.toContain(
    "Target.createTarget",
  );
  rules.sites = ["localhost:5173"];
  reads[0]!.resolve();
  await expect
    .poll(() => posted.map(({ method }) => method))
    .toContain("Target.createTarget");
  void allowed;
  const refused = open(SERVER);
  // It ended in the meantime.
  rules.sites = [];
  reads[1]!.resolve();
  expect((await refused).error?.message).toContain("port 5173");
});

test("calls that wait for the servers count as unanswered, and end with the connection", async () => {
  const { rules, posted, reads, agent, open } = await startGuard();
  const before = posted.length;
  for (let count = 0; count < 500; count += 1) void open(SERVER);
  expect((await open(SERVER)).error?.message).toContain(
    "500 calls are not answered yet",
  );
  expect(reads).toHaveLength(500);
  rules.sites = ["localhost:5173"];
  agent.close();
  for (const read of reads) read.resolve();
  await reads.at(-1)!.promise;
  expect(posted.slice(before).map(({ method }) => method)).toEqual([]);
});
