import { createIdentifier } from "@gantry/plugin";
import { expect, test } from "vitest";
import type { AuditEntry } from "../src/contract.ts";
import { AGENT_ID, bodyOf, startRecords } from "./support/start-records.ts";

test("calls are recorded, equal ones in a row are counted, and found by agent, verdict and words", async () => {
  await using bench = await startRecords();
  const other = createIdentifier("agt");
  const call = (fields: object) =>
    bench.add<AuditEntry>(
      "/developer/audit",
      bodyOf("/developer/audit", fields),
    );
  const first = await call({});
  await bench.clock.advance(1000);
  expect(await call({})).toMatchObject({
    ...{ id: first.id, count: 2, at: bench.clock.timestamp() },
  });
  await call({ agentId: other });
  await call({ method: "Page.reload" });
  await call({ reason: "Not now." });
  await call({ verdict: "allowed", reason: null });
  const list = async (query: Record<string, string>) =>
    (await bench.list<AuditEntry>("/developer/audit", query)).items;
  expect(await list({})).toHaveLength(5);
  expect(await list({ verdict: "allowed" })).toMatchObject([{ reason: null }]);
  expect(
    await list({ verdict: "refused", agentId: AGENT_ID, q: "SITES page" }),
  ).toMatchObject([{ method: "Page.reload" }, { count: 2 }]);
  expect(await list({ agentId: other })).toHaveLength(1);
});
