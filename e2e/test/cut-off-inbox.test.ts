import { access } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Item {
  id: string;
  title: string;
  body: string;
  state: string;
  cutOff: { turnId: string; open: boolean } | null;
}
interface Agent {
  id: string;
  sessionId: string;
  cutOff: { turnId: string } | null;
}

test(
  "a turn that a kill of the daemon cut off is continued from the Inbox",
  { tags: "thorough" },
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("cut-off-inbox"));
    const home = join(folder.path, "home");
    const first = stack.use(await startDaemon(home));
    let api = await createApiClient(first);
    const { body: agent } = await api.call<Agent>("POST", "/api/agents", {
      name: "Ada",
      cli: "practice",
    });
    const path = `/api/agents/${agent.id}`;
    await api.call("POST", `${path}/ask`, { text: "[[reply:ready]]" });
    const { sessionId } = (await api.call<Agent>("GET", path)).body;
    const sign = join(folder.path, "sign");
    const message = `Fix the tests. [[run:touch ${sign}; sleep 300]]`;
    await api.call("POST", `${path}/prompt`, { message });
    const isWorking = () =>
      access(sign).then(
        () => true,
        () => false,
      );
    await expect.poll(isWorking).toBe(true);
    await first.kill();

    const items = async () =>
      (await api.call<{ items: Item[] }>("GET", "/api/inbox")).body.items;
    const second = stack.use(await startDaemon(home));
    api = await createApiClient(second);
    await expect.poll(async () => (await items()).length).toBe(1);
    const [item] = await items();
    const { cutOff } = (await api.call<Agent>("GET", path)).body;
    expect(item).toMatchObject({
      title: "Ada was cut off",
      state: "unread",
      cutOff: { turnId: cutOff?.turnId, open: true },
    });
    expect(item?.body).toContain("> Fix the tests");

    // Another kill makes no second item of it.
    await second.kill();
    api = await createApiClient(stack.use(await startDaemon(home)));
    expect(await items()).toEqual([item]);

    const reply = () =>
      api.call("POST", `/api/inbox/${item?.id}/reply`, {
        optionId: "continue",
      });
    expect(await reply()).toMatchObject({
      status: 200,
      body: { delivery: "queued", item: { id: item?.id } },
    });
    await expect
      .poll(items)
      .toMatchObject([
        { id: item?.id, state: "done", cutOff: { open: false } },
      ]);
    expect((await api.call<Agent>("GET", path)).body).toMatchObject({
      sessionId,
      cutOff: null,
    });
    const { body } = await api.call<{
      items: { role: string; text: string }[];
    }>("GET", `${path}/messages`);
    const continued = body.items.filter(
      ({ role, text }) =>
        role === "user" && text.startsWith("The Gantry daemon stopped"),
    );
    expect(continued).toHaveLength(1);
    expect(await reply()).toMatchObject({
      status: 409,
      body: { code: "INBOX_TURN_RESUMED" },
    });
  },
);
