import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { chromiumPath } from "../support/browser.ts";
import { runGantry, startDaemon } from "../support/daemon.ts";
import {
  openPageWithout,
  packThirdPartyPlugin,
} from "../support/third-party-plugin.ts";

test(
  "a plugin from a tarball works at once, and leaves nothing when it goes",
  { tags: "thorough" },
  async () => {
    await using plugin = await packThirdPartyPlugin("reading-list");
    const { home, tarball } = plugin;
    await using daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    expect((await api.call("GET", "/api/reading-list")).status).toBe(404);

    expect(
      (await runGantry("plugins", "add", tarball, "--home", home)).output,
    ).toContain("reading-list 1.0.0 (home): active");
    const added = await api.call("POST", "/api/reading-list", {
      url: "https://example.org/",
      title: "An example",
    });
    expect(added).toMatchObject({
      status: 200,
      body: { title: "An example", revision: 1 },
    });
    const events = await api.call(
      "GET",
      "/api/events/log?limit=500&types=reading-list.*",
    );
    expect(events.body).toMatchObject({
      items: [
        { type: "reading-list.link-added", data: { title: "An example" } },
      ],
    });
    const document = await api.call<{ paths: object }>(
      "GET",
      "/api/openapi.json",
    );
    expect(Object.keys(document.body.paths)).toContain(
      "/api/reading-list/digest",
    );

    expect(
      (await runGantry("plugins", "remove", "reading-list", "--home", home))
        .output,
    ).toContain("Removed reading-list");
    expect((await api.call("GET", "/api/reading-list")).status).toBe(404);
    expect(await readdir(join(home, "plugins"))).toEqual([]);
    const left = await api.call<{ items: { plugin: string }[] }>(
      "GET",
      "/api/events/log?limit=500",
    );
    expect(
      left.body.items.filter(({ plugin }) => plugin === "reading-list"),
    ).toEqual([]);

    await runGantry("plugins", "add", tarball, "--home", home);
    expect((await api.call("GET", "/api/reading-list")).body).toMatchObject({
      items: [],
    });
  },
);

test(
  "a plugin brings commands, which the daemon runs or says why not",
  { tags: "thorough" },
  async () => {
    await using plugin = await packThirdPartyPlugin("reading-list");
    const { home, tarball } = plugin;
    const gantry = (...args: string[]) => runGantry(...args, "--home", home);
    await gantry("plugins", "add", tarball);
    expect((await gantry("--help")).output).toMatch(
      /reading-list +Links to read later/,
    );
    expect((await gantry("reading-list", "--help")).output).toMatch(
      /add +Put a link on the list/,
    );
    expect(await gantry("reading-list", "list")).toMatchObject({
      code: 1,
      output: expect.stringContaining("No daemon runs") as string,
    });
    await using daemon = await startDaemon(home);
    const title = "An example";
    const add = (url: string) =>
      gantry("reading-list", "add", url, "--title", title);
    expect(await add("https://example.org/")).toMatchObject({ code: 0 });
    expect((await gantry("reading-list", "list", "--urls")).output).toBe(
      "https://example.org/\n",
    );
    expect(await add("nonsense")).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /^gantry: The body does not fit: .*url/,
      ) as string,
    });
    const api = await createApiClient(daemon);
    expect((await api.call("GET", "/api/reading-list")).body).toMatchObject({
      items: [{ title }],
    });
  },
);

(chromiumPath === undefined ? test.skip : test)(
  "its page shows up in an open browser, and goes, without a reload",
  { tags: "thorough" },
  async () => {
    await using plugin = await openPageWithout("reading-list");
    const { home, tarball, visitor, isReloaded } = plugin;
    const { page, faults, stray } = visitor;

    await runGantry("plugins", "add", tarball, "--home", home);
    await page.getByRole("link", { name: "Reading list" }).click();
    await page.getByRole("heading", { name: "Reading list" }).waitFor();
    await page.getByLabel("Title").fill("An example");
    await page.getByLabel("Address").fill("https://example.org/");
    await page.getByRole("button", { name: "Add link" }).click();
    await page.getByText("An example").waitFor();
    // A class that no other plugin uses: the sheet was generated again for it.
    const gap = await page
      .locator("form")
      .evaluate((form) => getComputedStyle(form).columnGap);
    expect(gap).toBe("13px");

    await runGantry("plugins", "remove", "reading-list", "--home", home);
    await page
      .getByRole("link", { name: "Reading list" })
      .waitFor({ state: "detached" });
    expect(await isReloaded()).toBe(false);
    expect(faults).toEqual([]);
    expect(stray).toEqual([]);
  },
);
