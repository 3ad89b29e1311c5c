import { expect } from "vitest";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";
import { findBarriers } from "@gantry/ui-kit/testing";

const house = useHouse();
const { composer, feed, say } = useConversationPage(house);

browserTest(
  "a question is there at once, and a key answers it",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Asks" });
    await house().prompt(
      agent.id,
      "[[ask:Touch the database?]][[reply:touched]]",
    );
    await expect
      .poll(async () => (await house().read(agent.id)).activity)
      .toBe("waiting");
    await house().open(agent.id);
    const question = page.getByRole("group", { name: "Touch the database?" });
    await question.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await expect
      .poll(() =>
        question.evaluate((element) => element === document.activeElement),
      )
      .toBe(true);
    let isAnswered = false;
    page.once("request", () => (isAnswered = true));
    // In its first moment a question takes no key.
    await expect
      .poll(async () => {
        await page.keyboard.press("1");
        return isAnswered;
      })
      .toBe(true);
    await question.waitFor({ state: "detached" });
    await feed().getByText("touched", { exact: true }).waitFor();
    await feed().getByText("Allow", { exact: true }).waitFor();
    house().expectPeace();
  },
);

browserTest(
  "a question does not take the focus from a user who types",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Polite" });
    await house().open(agent.id);
    await say("[[sleep:700]][[ask:Now?]][[reply:yes]]");
    await composer().pressSequentially("12");
    const question = page.getByRole("group", { name: "Now?" });
    await question.waitFor();
    await composer().pressSequentially("1");
    expect(await composer().inputValue()).toBe("121");
    await composer().press("Escape");
    await expect
      .poll(() =>
        question.evaluate((element) => element === document.activeElement),
      )
      .toBe(true);
    await question.getByRole("button", { name: "Reject" }).click();
    await question.waitFor({ state: "detached" });
    await composer().fill("");
    house().expectPeace();
  },
);

browserTest(
  "a key that is pressed as a question comes up does not answer it",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Sudden" });
    await house().open(agent.id);
    await page.evaluate(() => {
      const press = () => {
        const question = document.querySelector("[data-dialog]");
        if (!question) return;
        watcher.disconnect();
        // A page with much to do draws late what it has already made.
        const drawn = performance.now() + 700;
        while (performance.now() < drawn);
        const key = new KeyboardEvent("keydown", { key: "1", bubbles: true });
        question.dispatchEvent(key);
        document.body.dataset["pressed"] = "yes";
      };
      const watcher = new MutationObserver(press);
      watcher.observe(document.body, { childList: true, subtree: true });
    });
    await say("[[ask:Suddenly?]][[reply:done]]");
    await page.locator('body[data-pressed="yes"]').waitFor();
    await expect
      .poll(async () => (await house().read(agent.id)).activity)
      .toBe("waiting");
    await page.getByRole("button", { name: /^Allow/ }).click();
    await feed().getByText("done", { exact: true }).waitFor();
    house().expectPeace();
  },
);

browserTest(
  "of two questions the second takes keys when it had them for a moment, not with the first one's",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Both", cli: "standin" });
    await house().prompt(agent.id, "[[ask:First?;Second?]][[reply:both]]");
    await house().open(agent.id);
    const first = page.getByRole("group", { name: "First?" });
    const second = page.getByRole("group", { name: "Second?" });
    await second.waitFor();
    const answers: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/ui")) answers.push(request.postData() ?? "");
    });
    // The very moment the first is gone.
    await page.evaluate(() => {
      const press = () => {
        if (document.querySelectorAll("[data-dialog]").length !== 1) return;
        watcher.disconnect();
        const key = new KeyboardEvent("keydown", { key: "2", bubbles: true });
        document.body.dispatchEvent(key);
        document.body.dataset["pressed"] = "yes";
      };
      const watcher = new MutationObserver(press);
      watcher.observe(document.body, { childList: true, subtree: true });
    });
    await expect
      .poll(async () => {
        await page.keyboard.press("1");
        return answers.length;
      })
      .toBe(1);
    await page.locator('body[data-pressed="yes"]').waitFor();
    await first.waitFor({ state: "detached" });
    await expect
      .poll(() =>
        second.evaluate((element) => element === document.activeElement),
      )
      .toBe(true);
    expect(answers).toHaveLength(1);
    await expect
      .poll(async () => {
        await page.keyboard.press("1");
        return answers.length;
      })
      .toBe(2);
    await feed().getByText("both", { exact: true }).waitFor();
    house().expectPeace();
  },
);

/** A question that waits on the page of its agent. */
async function showQuestion(name: string) {
  const agent = await house().createAgent({ name });
  await house().prompt(agent.id, "[[ask:Really?]][[reply:so it is]]");
  await house().open(agent.id);
  const question = house().page.getByRole("group", { name: "Really?" });
  await question.waitFor();
  return question;
}

browserTest(
  "a question takes one answer, until it is gone",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const answers: string[] = [];
    // Whatever is answered, the stream says nothing of it.
    const isAnswer = (url: URL) => url.pathname.endsWith("/ui");
    await page.route(isAnswer, async (route) => {
      answers.push(route.request().postData() ?? "");
      await route.fulfill({ json: {} });
    });
    const question = await showQuestion("Once");
    await question.getByRole("button", { name: /^Allow/ }).click();
    await expect.poll(() => answers.length).toBe(1);
    const reject = question.getByRole("button", { name: /^Reject/ });
    await expect.poll(() => reject.isDisabled()).toBe(true);
    await page.keyboard.press("2");
    await page.keyboard.press("1");
    // A request that a key had sent would have come before this one.
    await page.evaluate(() => fetch("/api/agents"));
    expect(answers).toHaveLength(1);
    await page.unroute(isAnswer);
    house().expectPeace();
  },
);

browserTest(
  "the composer has the keyboard after the last answer, also if the question is gone before the request is answered",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const question = await showQuestion("Late");
    await page.evaluate(() => {
      const { fetch } = globalThis;
      const released = new Promise((resolve) =>
        addEventListener("release", resolve, { once: true }),
      );
      globalThis.fetch = async (...request) => {
        const response = await fetch(...request);
        if (String(request[0]).endsWith("/ui")) await released;
        return response;
      };
    });
    await question.getByRole("button", { name: /^Allow/ }).click();
    await question.waitFor({ state: "detached" });
    await expect
      .poll(() =>
        composer().evaluate((element) => element === document.activeElement),
      )
      .toBe(true);
    await page.evaluate(() => dispatchEvent(new Event("release")));
    await feed().getByText("so it is", { exact: true }).waitFor();
    house().expectPeace();
  },
);

browserTest(
  "a question with free text is answered in place",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({
      name: "Wonders",
      cli: "standin",
    });
    await house().open(agent.id);
    await say("[[question:Which branch?]]");
    await page.getByRole("textbox", { name: "Your answer" }).fill("main");
    await page.getByRole("textbox", { name: "Your answer" }).press("Enter");
    await feed().getByText("you said main").waitFor();
    house().expectPeace();
  },
);
