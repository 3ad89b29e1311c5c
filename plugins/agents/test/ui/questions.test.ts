import { expect } from "vitest";
import { browserTest, useBrowserStage } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";
import { findBarriers } from "@gantry/ui-kit/testing";

const stage = useBrowserStage();
const { composer, feed, say } = useConversationPage(stage);

browserTest(
  "a question is shown on opening, and a key answers it",
  async () => {
    const { page } = stage();
    const agent = await stage().createAgent({ name: "Asks" });
    await stage().prompt(
      agent.id,
      "[[ask:Touch the database?]][[reply:touched]]",
    );
    await expect
      .poll(async () => (await stage().read(agent.id)).activity)
      .toBe("waiting");
    await stage().open(agent.id);
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
    // A question ignores keys right after it was rendered.
    await expect
      .poll(async () => {
        await page.keyboard.press("1");
        return isAnswered;
      })
      .toBe(true);
    await question.waitFor({ state: "detached" });
    await feed().getByText("touched", { exact: true }).waitFor();
    await feed().getByText("Allow", { exact: true }).waitFor();
    stage().expectNoFaults();
  },
);

browserTest(
  "a question does not take the focus from a user who is typing",
  async () => {
    const { page } = stage();
    const agent = await stage().createAgent({ name: "Polite" });
    await stage().open(agent.id);
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
    stage().expectNoFaults();
  },
);

browserTest(
  "a key pressed just as a question appears does not answer it",
  async () => {
    const { page } = stage();
    const agent = await stage().createAgent({ name: "Sudden" });
    await stage().open(agent.id);
    await page.evaluate(() => {
      const press = () => {
        const question = document.querySelector("[data-dialog]");
        if (!question) return;
        watcher.disconnect();
        // A busy page renders late what it has already mounted.
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
      .poll(async () => (await stage().read(agent.id)).activity)
      .toBe("waiting");
    await page.getByRole("button", { name: /^Allow/ }).click();
    await feed().getByText("done", { exact: true }).waitFor();
    stage().expectNoFaults();
  },
);

browserTest(
  "the second of two questions ignores keys right after the first was answered",
  async () => {
    const { page } = stage();
    const agent = await stage().createAgent({ name: "Both", cli: "standin" });
    await stage().prompt(agent.id, "[[ask:First?;Second?]][[reply:both]]");
    await stage().open(agent.id);
    const first = page.getByRole("group", { name: "First?" });
    const second = page.getByRole("group", { name: "Second?" });
    await second.waitFor();
    const answers: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/ui")) answers.push(request.postData() ?? "");
    });
    // Presses a key as soon as the first question is removed.
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
    stage().expectNoFaults();
  },
);

/** Opens the page of an agent with an open question. */
async function showQuestion(name: string) {
  const agent = await stage().createAgent({ name });
  await stage().prompt(agent.id, "[[ask:Really?]][[reply:so it is]]");
  await stage().open(agent.id);
  const question = stage().page.getByRole("group", { name: "Really?" });
  await question.waitFor();
  return question;
}

browserTest("a question accepts one answer until it is removed", async () => {
  const { page } = stage();
  const answers: string[] = [];
  // Intercepts the answers, so that the stream does not remove the question.
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
  // A request triggered by a key would have been sent before this one.
  await page.evaluate(() => fetch("/api/agents"));
  expect(answers).toHaveLength(1);
  await page.unroute(isAnswer);
  stage().expectNoFaults();
});

browserTest(
  "the composer gets the focus after the last answer, also if the question is removed before the response arrives",
  async () => {
    const { page } = stage();
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
    stage().expectNoFaults();
  },
);

browserTest("a question with free text is answered in place", async () => {
  const { page } = stage();
  const agent = await stage().createAgent({ name: "Wonders", cli: "standin" });
  await stage().open(agent.id);
  await say("[[question:Which branch?]]");
  await page.getByRole("textbox", { name: "Your answer" }).fill("main");
  await page.getByRole("textbox", { name: "Your answer" }).press("Enter");
  await feed().getByText("you said main").waitFor();
  stage().expectNoFaults();
});
