import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import type { DoctorReport } from "../app/shell/wire.ts";
import { doctorReport, finding } from "./support/doctorReport.ts";
import { hasBrowser, openShell } from "./support/openShell.ts";

describe.skipIf(!hasBrowser)("the security page", () => {
  let shell: Awaited<ReturnType<typeof openShell>>;

  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());
  beforeEach(() => shell.standIn.state.answers.clear());
  afterEach(async () => {
    for (const context of shell.browser.contexts()) await context.close();
  });

  const answer = (report: DoctorReport, delayMs = 0) =>
    shell.standIn.state.answers.set("GET /api/doctor", () => ({
      body: report,
      delayMs,
    }));

  async function open(report: DoctorReport, options = {}): Promise<Page> {
    answer(report);
    const { page } = await shell.open("/settings/security", options);
    await page
      .getByRole("heading", { name: /All is well|thing|fix/ })
      .waitFor();
    return page;
  }

  const region = (page: Page, name: string) =>
    page.getByRole("region", { name });

  test(
    "says that all is well, and draws the way from outside to inside",
    { tags: "thorough" },
    async () => {
      const page = await open(doctorReport());
      await page.getByRole("heading", { name: "All is well" }).waitFor();
      const way = page.getByRole("list", { name: "From outside to inside" });
      await way.getByText("This machine only").waitFor();
      await way.getByText("All browsers pair").waitFor();
      await way.getByText("2 plugins").waitFor();
      expect(await page.getByRole("list", { name: "Findings" }).count()).toBe(
        0,
      );
    },
  );

  test("shows what was found, the worst first, each with its fix", async () => {
    const page = await open(
      doctorReport({
        findings: [finding.plain, finding.mode, finding.agent],
        mode: "loopback",
        listening: [{ address: "0.0.0.0", port: 7420, reach: "the network" }],
      }),
    );
    await page.getByRole("heading", { name: "1 thing to fix" }).waitFor();
    const items = page
      .getByRole("list", { name: "Findings" })
      .getByRole("listitem");
    expect(await items.count()).toBe(3);
    const texts = await items.allInnerTexts();
    expect(texts[0]).toContain(finding.plain.what);
    expect(texts[0]).toContain(finding.plain.fix);
    expect(texts[2]).toContain(finding.agent.what);
    await items.nth(1).getByRole("link", { name: "Devices" }).click();
    await page.getByText("Who has to pair").first().waitFor();
  });

  test(
    "counts what is to be looked at where nothing is serious",
    { tags: "thorough" },
    async () => {
      const page = await open(
        doctorReport({ findings: [finding.root, finding.agent] }),
      );
      await page
        .getByRole("heading", { name: "2 things to look at" })
        .waitFor();
    },
  );

  test(
    "names addresses, names, and where plugins come from",
    { tags: "thorough" },
    async () => {
      const page = await open(doctorReport());
      const door = region(page, "Where it listens");
      await door.getByText("127.0.0.1:7420").first().waitFor();
      await door.getByText("gantry.localhost:7420").waitFor();
      await door.getByText("hooks.example.org").waitFor();
      await door.getByText("Webhooks only").waitFor();
      const plugins = page
        .getByRole("list", { name: "Plugins" })
        .getByRole("listitem");
      expect(await plugins.first().innerText()).toContain("Came with Gantry");
      expect(await plugins.nth(1).innerText()).toContain("Added by you");
      await plugins.nth(1).getByText("a7a7a7a7a7a7").waitFor();
    },
  );

  test(
    "shows the newest entries of the audit log in words and local time, and finds among them",
    { tags: "thorough" },
    async () => {
      const page = await open(doctorReport(), { timezoneId: "Asia/Tokyo" });
      const list = page.getByRole("list", { name: "Audit log" });
      const rows = list.getByRole("listitem");
      await rows.getByText("A device was let in").waitFor();
      expect(await rows.count()).toBe(5);
      const exact = await rows.first().locator("time").getAttribute("title");
      expect(exact).toContain("GMT+9");
      expect(await rows.nth(1).innerText()).toContain(
        "29 more within a minute",
      );
      // An action that is not known is shown as it is, and so is what stands in it.
      expect(await rows.nth(4).innerText()).toContain("notes.burnt");
      expect(await rows.nth(4).innerText()).toContain("<script>");
      await page.getByRole("button", { name: "Refused" }).click();
      await expect.poll(() => rows.count()).toBe(1);
      expect(await rows.first().innerText()).toContain("http://localhost:5173");
      await page.getByRole("button", { name: "All" }).click();
      await page
        .getByRole("textbox", { name: "Find in the audit log" })
        .fill("iphone");
      await expect.poll(() => rows.count()).toBe(1);
      await page
        .getByRole("textbox", { name: "Find in the audit log" })
        .fill("no such thing");
      await page.getByText("Nothing fits").waitFor();
    },
  );

  test("says that the log is broken", { tags: "thorough" }, async () => {
    const problem =
      "audit-000001.jsonl, line 3: it was changed after it was written";
    const page = await open(
      doctorReport({
        audit: { ...doctorReport().audit, state: "broken", problem },
      }),
    );
    await region(page, "Audit log").getByText(problem).waitFor();
  });

  test(
    "restores and deletes records in quarantine, and says why one is not restored",
    { tags: "thorough" },
    async () => {
      const quarantine = {
        count: 1,
        items: [
          {
            id: "qua_1",
            plugin: "notes",
            key: "notes:note:not_1",
            reason: '"title": too long',
            at: new Date().toISOString(),
          },
        ],
      };
      const page = await open(doctorReport({ quarantine }));
      const card = region(page, "Quarantine");
      await card.getByText('"title": too long').waitFor();
      const { answers, requests } = shell.standIn.state;
      const path = "/api/doctor/quarantine/qua_1";
      answers.set(`POST ${path}/restore`, () => ({
        status: 409,
        body: {
          code: "QUARANTINE_NOT_RESTORED",
          title: "Not restored",
          detail: "The record stays in quarantine: it still does not fit.",
        },
      }));
      answers.set(`DELETE ${path}`, () => ({ body: { ok: true } }));
      await card.getByRole("button", { name: /^Restore/ }).press("Enter");
      await page.getByText("it still does not fit").first().waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await card.getByRole("button", { name: /^Delete/ }).press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("cannot be read now").waitFor();
      answer(doctorReport());
      await dialog.getByRole("button", { name: "Delete record" }).click();
      await card.waitFor({ state: "detached" });
      expect(requests).toContain(`DELETE ${path}`);
    },
  );

  test("an empty log says so", { tags: "thorough" }, async () => {
    const page = await open(
      doctorReport({
        audit: { state: "empty", entries: 0, problem: null, latest: [] },
      }),
    );
    await page.getByText("Nothing was written yet").waitFor();
  });

  test(
    "shows shapes while it loads, says what failed, and tries again",
    { tags: "thorough" },
    async () => {
      answer(doctorReport(), 2_000);
      const { page } = await shell.open("/settings/security");
      await page
        .getByRole("status")
        .getByText("Looking at the daemon")
        .waitFor();
      shell.standIn.state.answers.set("GET /api/doctor", () => ({
        status: 500,
        body: {
          code: "KERNEL_FAULT",
          title: "Ours",
          detail: "Something went wrong.",
          requestId: "req_9",
        },
      }));
      await page.reload();
      await page
        .getByRole("alert")
        .getByText("KERNEL_FAULT · request req_9")
        .waitFor();
      answer(doctorReport());
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "All is well" }).waitFor();
    },
  );

  test(
    "looks again on demand, and by itself when a device comes",
    { tags: "thorough" },
    async () => {
      const page = await open(doctorReport());
      await page.getByText("Connected").first().waitFor({ state: "attached" });
      answer(doctorReport({ findings: [finding.mode] }));
      await page.getByRole("button", { name: "Look again" }).click();
      await page.getByRole("heading", { name: "1 thing to look at" }).waitFor();
      answer(doctorReport());
      shell.standIn.events.emit("auth.session-ended", "ses_x", {
        device: "Phone",
      });
      await page.getByRole("heading", { name: "All is well" }).waitFor();
    },
  );

  test(
    "is accessible, in light and dark, on a desk and on a phone",
    { tags: "thorough" },
    async () => {
      const page = await open(
        doctorReport({
          findings: [finding.plain, finding.mode, finding.agent],
        }),
        { colorScheme: "light" },
      );
      expect(await findBarriers(page), "light").toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.locator("html.dark").waitFor();
      expect(await findBarriers(page), "dark").toEqual([]);
      await page.setViewportSize({ width: 390, height: 780 });
      expect(await findBarriers(page), "on a phone").toEqual([]);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width).toBeLessThanOrEqual(390);
    },
  );
});
