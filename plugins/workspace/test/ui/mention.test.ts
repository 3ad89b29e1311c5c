import { join } from "node:path";
import { createRepository } from "@gantry/agent-folder/testing";
import { findBarriers } from "@gantry/ui-kit/testing";
import { beforeAll, expect } from "vitest";
import { browserTest, useBench } from "./support/browser-test.ts";
import { chromiumPath } from "./support/e2e.ts";

const bench = useBench();
let agentId: string;

beforeAll(async () => {
  if (!chromiumPath) return;
  const cwd = await createRepository(join(bench().folder, "shop"), {
    "README.md": "# Shop\n",
    "src/invoices.ts": "export {};\n",
    "src/rates.ts": "export {};\n",
  });
  agentId = (await bench().createAgent({ name: "Clerk", cwd })).id;
});

browserTest("a message names a file by letters of its path", async () => {
  const { page, daemon } = bench();
  await page.goto(`${daemon.url}/agents/${agentId}`);
  const message = page.getByRole("textbox", { name: "Message to Clerk" });
  const files = page.getByRole("listbox", { name: "Files" });
  await message.pressSequentially("see @");
  await files.getByRole("option", { name: "README.md" }).waitFor();
  await message.pressSequentially("invts");
  await files
    .getByRole("option", { name: /invoices\.ts/, selected: true })
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await message.press("Enter");
  await expect.poll(() => message.inputValue()).toBe("see @src/invoices.ts ");
  await files.waitFor({ state: "detached" });

  await message.pressSequentially("and @rates");
  await files.getByRole("option", { name: /rates\.ts/ }).waitFor();
  await message.press("Escape");
  await files.waitFor({ state: "detached" });
  await message.pressSequentially("! and @read");
  await files.getByRole("option", { name: "README.md" }).click();
  await expect
    .poll(() => message.inputValue())
    .toBe("see @src/invoices.ts and @rates! and @README.md ");
  bench().expectPeace();
});
