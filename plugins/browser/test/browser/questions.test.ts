import { chromiumPath } from "@gantry/plugin-testing/browser";
import { expect, test } from "vitest";
import type { Question } from "../../src/contract.ts";
import { inspect } from "./support/inspect.ts";
import { fillStage, startStage } from "./support/stage.ts";

(chromiumPath ? test : test.skip)(
  "what an agent asks for is shown and answered",
  { tags: "thorough" },
  async () => {
    await using stage = await startStage();
    const [agentId = ""] = await fillStage(stage);
    let open: Question[] = [
      {
        ...{ id: "bqn_1", agentId, kind: "site", tier: null },
        ...{ site: "news.example", tool: "browser_navigate" },
        detail: `https://news.example/${"today/".repeat(60)}`,
        createdAt: "2026-03-01T10:00:00.000Z",
        expiresAt: "2026-03-01T10:10:00.000Z",
      },
    ];
    const answers: unknown[] = [];
    const { page, leave } = await stage.open("/browser/agents");
    await page.route("**/api/browser/questions**", async (route) => {
      if (route.request().method() === "GET")
        return await route.fulfill({ json: { items: open } });
      answers.push(route.request().postDataJSON());
      const [question] = open;
      open = [];
      await route.fulfill({ json: question });
    });
    await page.reload();
    const card = page.getByRole("region", {
      name: "Move the shop to the new checkout wants to open news.example",
    });
    await card.waitFor();
    await inspect(page, "questions");
    await card.getByRole("button", { name: "Always allow" }).click();
    await card.waitFor({ state: "detached" });
    expect(answers).toEqual([{ answer: "always" }]);
    await leave();
  },
);
