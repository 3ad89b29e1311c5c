import { afterEach, describe, expect, test, vi } from "vitest";
import { Refusal } from "./support/fakeDaemon.ts";
import { openPane } from "./support/shippingPane.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));
afterEach(() => vi.unstubAllGlobals());

describe("a check that failed", () => {
  test("is sent to the agent with the end of its log, once", async () => {
    using pane = openPane();
    await pane.ready();
    pane.daemon.routes["GET /api/agents/agt_1/pr/log"] = ({ path }) => ({
      ...{ check: path, text: "expected 1 to be 2\n", truncated: false },
    });
    pane.daemon.routes["POST /api/agents/agt_1/prompt"] = () => ({
      taskId: "tsk_1",
    });
    await pane.fixes.fix("unit & e2e");
    const [sent] = pane.daemon.bodiesTo("/api/agents/agt_1/prompt") as {
      message: string;
    }[];
    expect(sent?.message).toContain('check "unit & e2e" of pull request #7');
    expect(sent?.message).toContain("```\nexpected 1 to be 2\n```");
    expect(pane.daemon.requests.map(({ path }) => path)).toContain(
      "/api/agents/agt_1/pr/log?check=unit+%26+e2e",
    );
    expect([...pane.fixes.sent.value]).toEqual(["unit & e2e"]);
  });

  test("whose log is gone says so, and is not marked as sent", async () => {
    using pane = openPane();
    await pane.ready();
    pane.daemon.routes["GET /api/agents/agt_1/pr/log"] = () =>
      new Refusal(404, "CHECK_LOG_NOT_FOUND");
    await pane.fixes.fix("unit");
    expect(pane.shipping.failure.value).toMatchObject({
      ...{ action: "log", error: { code: "CHECK_LOG_NOT_FOUND" } },
    });
    expect(pane.fixes.sent.value.size).toBe(0);
    expect(pane.fixes.reading.value).toBeUndefined();
  });
});
