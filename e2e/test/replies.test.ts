import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Automation {
  id: string;
  agentId: string;
}
interface Item {
  id: string;
  body: string;
  run: { id: string; sessionId: string };
}
interface Entry {
  role: string;
  kind: string;
  text: string;
  message?: { runId?: string };
}

test(
  "a reply to an older result goes to the session of its run, also after a restart",
  { tags: "thorough" },
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("replies"));
    const home = join(folder.path, "home");
    const before = stack.use(await startDaemon(home));
    let api = await createApiClient(before);
    const { body } = await api.call<{ automation: Automation }>(
      "POST",
      "/api/automations",
      { name: "Reports", cli: "practice", prompt: "The first report." },
    );
    const { id, agentId } = body.automation;
    const results = async () =>
      (await api.call<{ items: Item[] }>("GET", "/api/inbox")).body.items;
    await api.call("POST", `/api/automations/${id}/run`);
    await expect.poll(async () => (await results()).length).toBe(1);
    await api.call("PATCH", `/api/automations/${id}`, {
      prompt: "The second report.",
    });
    await api.call("POST", `/api/automations/${id}/run`);
    await expect.poll(async () => (await results()).length).toBe(2);
    const [newer, older] = await results();
    expect(older?.run.sessionId).not.toBe(newer?.run.sessionId);
    await before.stop();

    api = await createApiClient(stack.use(await startDaemon(home)));
    const entries = async () => {
      const path = `/api/agents/${agentId}/messages`;
      return (await api.call<{ items: Entry[] }>("GET", path)).body.items;
    };
    const answerTo = async (item: Item | undefined) => {
      const known = (await entries()).length;
      const path = `/api/inbox/${item?.id}/reply`;
      const sent = await api.call("POST", path, { message: "[[recall]]" });
      expect(sent).toMatchObject({ status: 200 });
      const answers = async () =>
        (await entries())
          .slice(0, -known)
          .filter(({ role, kind }) => role === "assistant" && kind === "text");
      await expect.poll(async () => (await answers()).length).toBe(1);
      return (await answers())[0]?.text;
    };
    const toOlder = await answerTo(older);
    expect(toOlder).toContain("The first report.");
    expect(toOlder).not.toContain("The second report.");
    const toNewer = await answerTo(newer);
    expect(toNewer).toContain("The second report.");
    expect(toNewer).not.toContain("The first report.");

    // A link to the run finds its beginning.
    const begins = (await entries()).find(
      ({ message }) => message?.runId === older?.run.id,
    );
    expect(begins?.text).toContain("The first report.");
  },
);
