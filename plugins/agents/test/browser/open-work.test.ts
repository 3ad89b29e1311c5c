import { expect } from "vitest";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";

// The page of an agent shows its background tasks, and why it cannot continue.

const house = useHouse();
const { composer, feed, say } = useConversationPage(house);

browserTest(
  "a task in the background is named, messages can be sent, and it is stopped",
  { tags: "thorough" },
  async () => {
    const agent = await house().createAgent({ name: "Ada", cli: "background" });
    await house().open(agent.id);
    await say("go");
    const status = house()
      .page.getByRole("status")
      .filter({ hasText: "1 background task running" });
    await status.getByText("npm test").waitFor();
    await feed().getByText("I will report when").first().waitFor();
    expect(await composer().isEnabled()).toBe(true);
    await status.getByRole("button", { name: "Stop" }).click();
    await status.waitFor({ state: "detached" });
    expect(await house().read(agent.id)).toMatchObject({
      ...{ activity: "idle", openWork: [] },
    });
    house().expectPeace();
  },
);

browserTest(
  "a usage limit is told, and the agent can be continued",
  { tags: "thorough" },
  async () => {
    const agent = await house().createAgent({ name: "Bob", cli: "limited" });
    await house().open(agent.id);
    await say("go");
    const card = house().page.getByRole("alert", {
      name: "The last turn failed",
    });
    await card.getByText(/usage limit/).waitFor();
    await card.getByRole("button", { name: "Continue" }).click();
    await feed().getByText("Continue where you stopped.").waitFor();
    await expect
      .poll(async () => (await house().read(agent.id)).activity)
      .toBe("idle");
    house().expectPeace();
  },
);
