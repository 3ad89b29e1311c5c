import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, keepScreenshot } from "../support/browser.ts";
import { startBrowsingStage } from "../support/browsing-stage.ts";
import type { BrowsingStage } from "../support/browsing-stage.ts";
import { REAL_CLIS } from "../support/cli-users.ts";

const PAGE = `<!doctype html><title>The shop</title>
<body style="margin:0"><button data-testid="buy"
 style="position:absolute;inset:0;border:0;background:rgb(200,0,0)">Buy</button>`;
const SERVER = `const { createServer } = require("node:http");
const { readFileSync, writeFileSync } = require("node:fs");
createServer((request, response) => response
  .writeHead(200, { "content-type": "text/html" })
  .end(readFileSync("page.html")))
  .listen(0, "127.0.0.1", function () { writeFileSync("port", String(this.address().port)); });`;

/** Colour in the middle of a picture, in tens, since pictures are compressed. */
function colourOf(picture: Locator): Promise<string> {
  return picture.evaluate((canvas: HTMLCanvasElement) =>
    Array.from(
      canvas
        .getContext("2d")!
        .getImageData(canvas.width >> 2, canvas.height >> 2, 1, 1)
        .data.slice(0, 3),
      (part) => Math.round(part / 10) * 10,
    ).join(),
  );
}

describe.skipIf(chromiumPath === undefined)("what a user points at", () => {
  let stage: BrowsingStage | undefined;
  beforeAll(async () => {
    stage = await startBrowsingStage(
      REAL_CLIS.find(({ name }) => name === "claude")!,
    );
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail" && stage)
      await keepScreenshot(stage.page, "failed-annotated-fix");
  });

  test("Claude Code fixes it in the file of its own dev server, and the preview shows that", async ({
    skip,
  }) => {
    if (!stage) return skip();
    const { page, say } = stage;
    const agent = await stage.createAgent({ tier: "act", ownServers: true });
    const file = join(agent.cwd, "page.html");
    await writeFile(file, PAGE);
    await writeFile(join(agent.cwd, "server.cjs"), SERVER);
    const said = (text: string) =>
      stage!.conversation().getByText(text, { exact: true }).waitFor();
    const allow = () => page.getByRole("button", { name: /^Allow( 1)?$/ });
    const picture = page.getByRole("img", { name: "Live picture of The shop" });

    const run = { command: "node server.cjs", run_in_background: true };
    await say(
      `Start the server. [[toolj:Bash:${JSON.stringify(run)}]][[reply:It runs.]]`,
    );
    await allow().click();
    await said("It runs.");
    await expect
      .poll(() => readFile(join(agent.cwd, "port"), "utf8").catch(() => ""))
      .not.toBe("");
    const port = await readFile(join(agent.cwd, "port"), "utf8");
    const open = { to: `http://localhost:${port}/` };
    await say(
      `Open it. [[toolj:mcp__gantry__browser_navigate:${JSON.stringify(open)}]][[reply:It is open.]]`,
    );
    await said("It is open.");
    await expect.poll(() => colourOf(picture)).toBe("200,0,0");

    await page.getByRole("link", { name: "Open the tab The shop" }).click();
    await page.getByRole("button", { name: "Annotate", exact: true }).click();
    await page.getByRole("application").click({ position: { x: 100, y: 100 } });
    await page.getByText('[data-testid="buy"]').waitFor();
    const edit = {
      ...{ file_path: file, old_string: "rgb(200,0,0)" },
      new_string: "rgb(0,150,0)",
    };
    await page
      .getByRole("textbox", { name: "Comment" })
      .fill(
        [
          "Make it green.",
          `[[toolj:Read:${JSON.stringify({ file_path: file })}]]`,
          `[[toolj:Edit:${JSON.stringify(edit)}]]`,
          `[[toolj:mcp__gantry__browser_navigate:{"to":"reload"}]]`,
          "[[reply:It is green now.]]",
        ].join(" "),
      );
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "Ada" }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Sent to Ada").first().waitFor();

    await page
      .getByRole("navigation")
      .first()
      .getByRole("link", { name: /^Ada/ })
      .click();
    await allow().click();
    await said("It is green now.");
    expect(await readFile(file, "utf8")).toContain(edit.new_string);
    await expect.poll(() => colourOf(picture)).toBe("0,150,0");
    await keepScreenshot(page, "annotated-fix");
    expect(stage.visitor.faults).toEqual([]);
  });
});
