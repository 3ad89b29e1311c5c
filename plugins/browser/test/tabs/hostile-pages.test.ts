import type { ServerResponse } from "node:http";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Tab } from "../../src/contract.ts";
import { MAX_TABS } from "../../src/tabs/browser-tabs.ts";
import { DIALOG_MS, MAX_DIALOGS } from "../../src/tabs/page-watch.ts";
import { processesWith } from "../support/processes.ts";
import { REAL, startBrowsing } from "../support/start-browsing.ts";
import type { BrowsingBench } from "../support/start-browsing.ts";
import { startPages } from "../support/start-pages.ts";
import type { Pages } from "../support/start-pages.ts";

/** A page that opens windows, as far as the browser lets it. */
const opener = (count: number) => `<title>Opener</title><script>
  let opened = 0;
  for (let index = 0; index < ${count}; index++)
    if (open("/popup?" + index, "_blank", "width=200")) opened++;
  document.title = "opened " + opened;
</script>`;

const { promise: titleSeen, resolve: noteTitleSeen } =
  Promise.withResolvers<void>();

const PAGES = {
  "/popup": "<title>Popup</title>",
  "/quiet": "<title>Quiet</title>",
  "/40-popups": opener(40),
  "/1000-popups": opener(1_000),
  "/dialogs": `<title>Dialogs</title><script>
    setTimeout(async () => {
      const answers = [alert(), confirm(), prompt()];
      document.title = "answers " + answers.map(String).join();
      await fetch("/more");
      for (let count = 0; ; count++) alert(count);
    });
  </script>`,
  // Answered when the test has seen the title.
  "/more": (response: ServerResponse) =>
    void titleSeen.then(() => response.end()),
  "/long": `<script>
    document.title = "t".repeat(64 * 1024);
    history.replaceState(null, "", "/" + "u".repeat(1_000_000));
  </script>`,
  "/10000-long-addresses": `<title>Pushing</title><script>
    const path = "/" + "u".repeat(2_000_000);
    setTimeout(() => {
      for (let count = 0; count < 10_000; count++)
        history.replaceState(null, "", path + count);
    });
  </script>`,
  "/go": `<script>setTimeout(() => { location = "http://127.0.0.1:4443/"; })</script>`,
};

describe.skipIf(chromiumPath === undefined)("hostile pages", () => {
  let bench: BrowsingBench;
  let pages: Pages;
  beforeAll(async () => {
    pages = await startPages(PAGES);
    bench = await startBrowsing(REAL);
    for (const name of ["shop.test", "other.test"])
      bench.names.set(name, ["127.0.0.1"]);
    await open("/quiet");
  });
  afterAll(async () => {
    await bench?.stop();
    await pages?.[Symbol.asyncDispose]();
  });

  async function open(path: string): Promise<string> {
    const { status, body } = await bench.post(pages.url(path));
    expect(status).toBe(200);
    return body.id;
  }
  const find = async (id: string): Promise<Tab | undefined> =>
    (await bench.tabs()).find((tab) => tab.id === id);
  /** Closes all tabs but the first, however many more pages open. */
  async function closeOthers(): Promise<void> {
    await expect
      .poll(async () => {
        const [, ...others] = await bench.tabs();
        for (const { id } of others)
          await bench.api.delete(`/api/browser/tabs/${id}`);
        await bench.clock.advance(1_000);
        return others.length;
      })
      .toBe(0);
  }

  async function openPopups(count: number): Promise<void> {
    const id = await open(`/${count}-popups`);
    // A browser that blocks windows opens none.
    await expect
      .poll(async () => {
        const tab = await find(id);
        return tab?.title === "opened 0" ? "blocked" : tab?.problem;
      })
      .toMatch(/blocked|opened more tabs than a browser may have \(12\)/);
    const tabs = await bench.tabs();
    expect(tabs.length).toBeLessThanOrEqual(MAX_TABS);
    await expect.poll(async () => (await bench.tabs())[0]?.title).toBe("Quiet");
    await closeOthers();
    // Renderers of closed windows end with them.
    await expect
      .poll(
        async () =>
          (await processesWith(`${bench.home}/browser`)).filter(({ command }) =>
            command.includes("--type=renderer"),
          ).length,
      )
      .toBeLessThanOrEqual(MAX_TABS);
  }

  test("a page that opens many windows fills the list of tabs, and no more", () =>
    openPopups(40));

  test(
    "a page that opens 1,000 windows does not harm other tabs",
    {
      tags: ["thorough"],
    },
    () => openPopups(1_000),
  );

  test("dialogs are dismissed at a bounded rate, and a page that opens no end of them is reported and closed", async () => {
    const id = await open("/dialogs");
    const advance = () => bench.clock.advance(DIALOG_MS);
    await expect
      .poll(async () => {
        await advance();
        return (await find(id))?.title;
      })
      .toBe("answers undefined,false,null");
    expect((await find(id))?.problem).toBeNull();
    noteTitleSeen();
    await expect
      .poll(async () => {
        await advance();
        return (await find(id))?.problem;
      })
      .toContain("one dialog after another");
    expect(MAX_DIALOGS).toBeGreaterThan(3);
    expect((await bench.tabs())[0]?.title).toBe("Quiet");
    await closeOthers();
  });

  test("titles and addresses of any length are cut", async () => {
    const id = await open("/long");
    await expect.poll(async () => (await find(id))?.title.length).toBe(500);
    await expect.poll(async () => (await find(id))?.url.length).toBe(2048);
    await closeOthers();
  });

  test(
    "a page that changes its address without end does not keep the list from answering",
    {
      tags: ["thorough"],
    },
    async () => {
      const id = await open("/10000-long-addresses");
      await expect.poll(async () => (await find(id))?.url.length).toBe(2048);
      for (let count = 0; count < 5; count++)
        expect(await bench.tabs()).toHaveLength(2);
      await closeOthers();
    },
  );

  test("a page that is not reached says why", async () => {
    const unused = await startPages({});
    const url = unused.url("/");
    await unused[Symbol.asyncDispose]();
    const { body } = await bench.post(url);
    await expect
      .poll(async () => (await find(body.id))?.problem)
      .toContain("was not reached: nothing listens there.");
    // An address of this machine that the user has not opened.
    const id = await open("/go");
    await expect
      .poll(async () => (await find(id))?.problem)
      .toMatch(
        /^The address was refused: port 4443 of this machine .*\. If you trust it, open it in a tab of its own\.$/,
      );
    await closeOthers();
  });

  test("pages whose process ends are reported, and can be opened again", async () => {
    const id = await open("/popup");
    await expect.poll(async () => (await find(id))?.title).toBe("Popup");
    for (const { pid, command } of await processesWith(`${bench.home}/browser`))
      if (command.includes("--type=renderer"))
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // One without a page may have ended by itself.
        }
    await expect
      .poll(async () => (await find(id))?.problem)
      .toBe("The page crashed. Close the tab, or open the page again.");
    let again = await open("/popup");
    await expect
      .poll(async () => {
        const { title, problem } = (await find(again))!;
        // Chromium's spare process was killed too, and may be given to a page before that is known.
        if (problem !== null) again = await open("/popup");
        return title;
      })
      .toBe("Popup");
    expect((await find(again))?.problem).toBeNull();
    await closeOthers();
  });
});
